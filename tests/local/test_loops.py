"""Loops of a template: written out as CloudFormation's language extensions do."""

from __future__ import annotations

from typing import Any

from infra.local import template
from infra.local.loops import written_out


def test_a_loop_makes_one_resource_for_each_name() -> None:
    section: dict[str, Any] = {
        "Before": {"Type": "A"},
        "Fn::ForEach::Each": ["Name", ["One", "Two"], {"${Name}Thing": {"Type": "B", "Called": {"Ref": "Name"}}}],
    }
    assert written_out(section, {}) == {
        "Before": {"Type": "A"},
        "OneThing": {"Type": "B", "Called": "One"},
        "TwoThing": {"Type": "B", "Called": "Two"},
    }


def test_loops_lie_within_one_another() -> None:
    inner = {"Fn::ForEach::Inner": ["Y", ["C", "D"], {"${X}${Y}": {"Type": {"Fn::Sub": "${X}-${Y}"}}}]}
    section: dict[str, Any] = {"Fn::ForEach::Outer": ["X", ["A", "B"], inner]}
    assert {key: one["Type"] for key, one in written_out(section, {}).items()} == {
        "AC": "A-C",
        "AD": "A-D",
        "BC": "B-C",
        "BD": "B-D",
    }


def test_what_a_loop_makes_literal_is_resolved_and_nothing_else() -> None:
    body = {
        "Reference": {"Ref": {"Fn::Sub": "${Name}Table"}},
        "Mapped": {"Fn::FindInMap": ["Limits", {"Ref": "Name"}, "Most"]},
        "Text": {"Fn::Sub": ["${Stack}-${Name}-${Most}", {"Most": {"Fn::FindInMap": ["Limits", "Duels", "Most"]}}]},
        "Elsewhere": {"Fn::Sub": "${Stack}"},
    }
    section: dict[str, Any] = {"Fn::ForEach::Each": ["Name", ["Duels"], {"${Name}": body}]}
    assert written_out(section, {"Limits": {"Duels": {"Most": "7"}}})["Duels"] == {
        "Reference": {"Ref": "DuelsTable"},
        "Mapped": "7",
        "Text": {"Fn::Sub": "${Stack}-Duels-7"},
        "Elsewhere": {"Fn::Sub": "${Stack}"},
    }


def test_a_nested_stack_has_its_loops_written_out_and_its_conditions_decided() -> None:
    production = template.nested("Monitoring", {"Production": "true"})
    assert not any(key.startswith("Fn::") for key in production)
    assert production["DuelFunctionFailsAlarm"]["Properties"]["Dimensions"] == [
        {"Name": "FunctionName", "Value": {"Ref": "DuelFunction"}}
    ]
    assert set(template.nested("Monitoring")) == {"Dashboard"}


def test_the_nested_stack_gets_what_has_its_parameters_names() -> None:
    """So that a reference means the same inside and outside of it."""
    given = template.deployed({"Production": "true"})["Monitoring"]["Properties"]["Parameters"]
    apart = {"Name": {"Ref": "AWS::StackName"}, "HasAlarms": "true", "HasSynthetic": "false"}
    apart["FailuresQueue"] = {"Fn::GetAtt": ["FailuresQueue", "QueueName"]}
    assert given == {name: apart.get(name, {"Ref": name}) for name in given}
