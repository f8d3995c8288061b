"""The settings are checked once, and one error names every variable that is missing or wrong."""

import pytest

from wordle_tournament.config import Settings, SettingsError, read_settings
from wordle_tournament.rules.tournament import Timing

MACHINE = "arn:aws:states:eu-central-1:123456789012:stateMachine:wordle-dev"
ENVIRONMENT = {
    "PLAYERS_TABLE": "wordle-dev-PlayersTable-1A2B",
    "CONNECTIONS_TABLE": "connections",
    "LOBBIES_TABLE": "lobbies",
    "GROUPS_TABLE": "groups",
    "TOURNAMENTS_TABLE": "tournaments",
    "DUELS_TABLE": "duels",
    "TOURNAMENT_MACHINE_ARN": f"{MACHINE}-tournament",
    "RECONNECT_MACHINE_ARN": f"{MACHINE}-reconnect",
    "PUSH_ENDPOINT": "https://abc.execute-api.eu-central-1.amazonaws.com/dev",
    "ROUND_INTRO_SECONDS": "6",
    "TURN_SECONDS": "30",
    "TURN_GRACE_SECONDS": "2",
    "RECONNECT_SECONDS": "60",
    "SILENCE_SECONDS": "55",
}


OPTIONAL = {"FRONT_SECRET_HASHES", "OLDEST_CLIENTS", "SYNTHETIC_URL", "SHARDS"}


def problems(**changes: str | None) -> list[str]:
    environment = {name: text for name, text in {**ENVIRONMENT, **changes}.items() if text is not None}
    with pytest.raises(SettingsError) as error:
        read_settings(environment)
    return str(error.value).split("; ")


def test_settings_are_typed_and_durations_come_in_milliseconds() -> None:
    settings = read_settings({**ENVIRONMENT, "PATH": "/bin"})
    assert settings.players_table == "wordle-dev-PlayersTable-1A2B"
    assert settings.reconnect_machine_arn == f"{MACHINE}-reconnect"
    assert settings.timing == Timing(intro_ms=6_000, turn_ms=30_000)
    assert (settings.turn_grace_ms, settings.reconnect_ms, settings.silence_ms) == (2_000, 60_000, 55_000)


def test_a_round_may_have_no_introduction() -> None:
    assert read_settings({**ENVIRONMENT, "ROUND_INTRO_SECONDS": "0"}).timing.intro_ms == 0


@pytest.mark.parametrize("variable", ENVIRONMENT)
def test_a_missing_variable_is_named(variable: str) -> None:
    (problem,) = problems(**{variable: None})
    assert problem.startswith(f"{variable} must be ")
    assert problem.endswith(", but is not set")


@pytest.mark.parametrize(
    ("variable", "text", "kind"),
    [
        ("PLAYERS_TABLE", "", "the name of a DynamoDB table"),
        ("DUELS_TABLE", "two words", "the name of a DynamoDB table"),
        ("TOURNAMENT_MACHINE_ARN", "wordle-dev-tournament", "the ARN of a state machine"),
        ("PUSH_ENDPOINT", "wss://abc/dev", "an http or https address"),
        ("TURN_SECONDS", "0", "a whole number of seconds above 0"),
        ("TURN_SECONDS", "-30", "a whole number of seconds above 0"),
        ("RECONNECT_SECONDS", "60.0", "a whole number of seconds above 0"),
        ("SILENCE_SECONDS", "one", "a whole number of seconds above 0"),
        ("SILENCE_SECONDS", "٣", "a whole number of seconds above 0"),
        ("ROUND_INTRO_SECONDS", "-1", "a whole number of seconds"),
    ],
)
def test_a_wrong_variable_is_named_with_its_value(variable: str, text: str, kind: str) -> None:
    assert problems(**{variable: text}) == [f"{variable} must be {kind}, but is {text!r}"]


def test_one_error_names_all_that_is_wrong() -> None:
    found = problems(PLAYERS_TABLE=None, TURN_SECONDS="soon", PUSH_ENDPOINT=None)
    assert [problem.split()[0] for problem in found] == ["PLAYERS_TABLE", "PUSH_ENDPOINT", "TURN_SECONDS"]


@pytest.mark.parametrize("hashes", ["", "a" * 64, f"{'a' * 64},{'0' * 64}"])
def test_a_front_is_optional_and_may_have_two_secrets(hashes: str) -> None:
    assert read_settings({**ENVIRONMENT, "FRONT_SECRET_HASHES": hashes}).front_secret_hashes == hashes
    assert read_settings(ENVIRONMENT).front_secret_hashes == "", "an older template knows of no front"


@pytest.mark.parametrize("wrong", ["secret", "A" * 64, "a" * 63, f"{'a' * 64},"])
def test_a_secret_itself_is_refused_where_its_hash_belongs(wrong: str) -> None:
    (problem,) = problems(FRONT_SECRET_HASHES=wrong)
    assert problem.startswith("FRONT_SECRET_HASHES must be SHA-256 hashes")


def test_an_empty_environment_lacks_every_setting() -> None:
    with pytest.raises(SettingsError) as error:
        read_settings({})
    assert (
        str(error.value).count("is not set") == len(ENVIRONMENT) == len(Settings.__dataclass_fields__) - len(OPTIONAL)
    )
