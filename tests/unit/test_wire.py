"""A value is stored as boto3's own converter would store it, and comes back the same."""

from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from wordle_tournament.store.wire import from_wire, to_wire

NUMBERS = st.integers(-(10**37), 10**37) | st.floats(-1e15, 1e15).map(lambda number: round(number, 6))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def with_decimals(value: Any) -> Any:
    """Replace floats by decimals: boto3 refuses floats."""
    match value:
        case float():
            return Decimal(repr(value))
        case list():
            return [with_decimals(inner) for inner in value]
        case dict():
            return {name: with_decimals(inner) for name, inner in value.items()}
        case _:
            return value


@given(VALUES)
def test_a_value_is_on_the_wire_as_boto3_writes_it(value: Any) -> None:
    wire = to_wire(value)
    assert wire == TypeSerializer().serialize(with_decimals(value))
    assert from_wire(wire) == value == TypeDeserializer().deserialize(wire) or any_float(value)


@given(VALUES)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert from_wire(to_wire(value)) == value


def any_float(value: Any) -> bool:
    """Return True if a float is anywhere in the value: a decimal equals it only if it is a binary fraction."""
    if isinstance(value, dict | list):
        return any(map(any_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float)


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("-7", -7), ("1500.0", 1500), ("1E+3", 1000), ("0.5", 0.5), ("-0.25", -0.25)]
)
def test_a_number_without_a_fraction_is_an_int(text: str, number: float) -> None:
    read = from_wire({"N": text})
    assert read == number
    assert type(read) is type(number)


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object()])
def test_nothing_is_stored_that_json_cannot_hold(value: object) -> None:
    with pytest.raises(TypeError):
        to_wire([value])
    with pytest.raises(TypeError):
        from_wire({"SS": ["a"]})
