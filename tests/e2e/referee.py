"""The rules, worked out anew from frames alone, and held against what the frames say.

Nothing here uses the game's own rules: what is right is reckoned from who won which duel.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordle_tournament.protocol import messages

Frame = dict[str, Any]

LARGEST_FRAME = 32 * 1024


@dataclass
class Chronicle:
    """A tournament as all frames of all its players tell it."""

    tournament_id: str
    states: list[Frame] = field(default_factory=list)
    """Its `tournament`s, each version once, oldest first."""
    duels: dict[str, Frame] = field(default_factory=dict)
    """The newest of each duel."""
    results: dict[str, list[Frame]] = field(default_factory=dict)
    """The `result`s each player got."""

    @property
    def last(self) -> Frame:
        return self.states[-1]

    @property
    def rounds(self) -> list[Frame]:
        """The last state of each round."""
        return list({state["round"]: state for state in self.states}.values())


def chronicle(tournament_id: str, frames: Mapping[str, Iterable[Frame]]) -> Chronicle:
    """Read the frames, by player."""
    found = Chronicle(tournament_id)
    states: dict[int, Frame] = {}
    for player_id, received in frames.items():
        for frame in received:
            for state in tournaments_in(frame):
                if state["tournament_id"] == tournament_id:
                    states[state["version"]] = state
            for duel in duels_in(frame):
                known = found.duels.get(duel["duel_id"])
                if duel["tournament_id"] == tournament_id and (known is None or known["version"] < duel["version"]):
                    found.duels[duel["duel_id"]] = duel
            if frame["type"] == "result" and frame["tournament_id"] == tournament_id:
                found.results.setdefault(player_id, []).append(frame)
    found.states = [state for _, state in sorted(states.items())]
    return found


def tournaments_in(frame: Frame) -> list[Frame]:
    return [frame["tournament"]] if "tournament" in frame else []


def _settled_in(frame: Frame) -> list[Frame]:
    """The duels of the last settled round, with their words."""
    return [duel for one in tournaments_in(frame) for duel in one.get("last_round", {}).get("duels", [])]


def duels_in(frame: Frame) -> list[Frame]:
    return [frame["duel"]] if "duel" in frame else list(frame.get("duels", []))


# -- a whole tournament ----------------------------------------------------------------------------


def check(told: Chronicle) -> None:
    """Hold a tournament against the rules: all of it, or the rounds that are settled if it is not over."""
    settled = told.rounds if told.last["over"] else told.rounds[:-1]
    players = [player["player_id"] for player in told.last["players"]]
    ratings = {player["player_id"]: player["rating"] for player in told.last["players"]}
    assert len(set(players)) == 8, "R1"
    lives = dict.fromkeys(players, 3)
    fate = dict.fromkeys(players, "in")
    places: dict[str, int] = {}
    last: tuple[set[frozenset[str]], str | None] = (set(), None)
    played: list[Frame] = []

    for number, state in enumerate(settled, start=1):
        assert state["round"] == number
        for shown in told.states:
            if shown["round"] == number and not shown["over"]:
                _check_table(shown, lives, fate, places, ratings)
        standing = [player for player in players if fate[player] == "in"]
        assert len(standing) >= 2, "R7: no round is played when it is decided"
        _check_pairing(standing, state, last)
        last = ({frozenset(match["players"]) for match in state["matches"]}, state.get("bye"))

        duels = [told.duels[match["duel_id"]] for match in state["matches"]]
        played += duels
        for duel, match in zip(duels, state["matches"], strict=True):
            assert duel["length"] == match["length"]
            assert duel["round"] == number
            assert [player["player_id"] for player in duel["players"]] == list(match["players"])
            check_duel(duel)
            for player, shown_lives in ((one["player_id"], one["lives"]) for one in duel["players"]):
                if player != duel.get("winner"):
                    lives[player] -= 1
                    if duel["ending"] == "forfeited":
                        lives[player] = 0
                assert shown_lives == lives[player], "R6"
        leavers = set(state["leavers"])
        fallen = {player for player in standing if lives[player] == 0 and player not in leavers}
        left_in = [player for player in standing if player not in fallen | leavers]
        for player in fallen:
            fate[player], places[player] = "out", 1 + len(left_in)
        for player in leavers:
            assert fate[player] == "in", "leaving once out changes nothing (R10)"
            fate[player], places[player], lives[player] = "left", 1 + len(left_in) + len(fallen), 0
        for duel in duels:
            for outlook in duel["out"]:
                assert outlook["player_id"] in fallen
                place = places[outlook["player_id"]]
                assert place <= outlook["worst_place"]
                assert outlook["best_place"] <= place or leavers, "only somebody leaving can improve it"

    still_in = [player for player in players if fate[player] == "in"]
    if told.last["over"]:
        assert len(still_in) <= 1, "R7, R8"
        for winner in still_in:
            fate[winner], places[winner] = "won", 1
        for player in players:
            assert places[player] == 1 + sum(other < places[player] for other in places.values()), "R9"
        if "left" not in fate.values():
            assert 3 <= len(settled) <= 12
    else:
        assert len(still_in) > 1, "R7"
    _check_table(told.last, lives, fate, places, ratings)
    assert len(played) <= 23, "R7"
    words = [duel["word"] for duel in played]
    assert len(set(words)) == len(words), "R12: no word comes twice"

    for player, frames in told.results.items():
        for result in frames:
            assert result["place"] == places[player]
            assert result["rating_change"] == rating_change(player, {**dict.fromkeys(players, 0), **places}, ratings)


def _check_table(
    state: Frame,
    lives: Mapping[str, int],
    fate: Mapping[str, str],
    places: Mapping[str, int],
    ratings: Mapping[str, int],
) -> None:
    """The table of a state, by the rounds settled before it."""
    for shown in state["players"]:
        player = shown["player_id"]
        assert (shown["lives"], shown["fate"], shown.get("place")) == (lives[player], fate[player], places.get(player))
        expected = None
        if player in places:
            # Whoever is still in finishes above.
            expected = rating_change(player, {other: places.get(other, 0) for other in lives}, ratings)
        assert shown.get("rating_change") == expected, "R20, R21"
        assert shown["rating"] == ratings[player]


def _check_pairing(standing: Sequence[str], state: Frame, last: tuple[set[frozenset[str]], str | None]) -> None:
    pairs = {frozenset(match["players"]) for match in state["matches"]}
    bye = state.get("bye")
    seated = [player for pair in pairs for player in pair] + ([bye] if bye else [])
    assert sorted(seated) == sorted(standing), "R2: everybody still in, each once"
    assert (bye is not None) == (len(standing) % 2 == 1), "R5"
    last_pairs, last_bye = last
    assert bye is None or bye != last_bye, "R5: nobody twice running"
    fewest = min(
        len(possible & last_pairs)
        for out in ([None] if bye is None else [player for player in standing if player != last_bye])
        for possible in _all_pairs([player for player in standing if player != out])
    )
    assert len(pairs & last_pairs) == fewest, "R4"


def _all_pairs(players: Sequence[str]) -> Iterator[set[frozenset[str]]]:
    if not players:
        yield set()
        return
    first, *rest = players
    for partner in rest:
        for others in _all_pairs([player for player in rest if player != partner]):
            yield {frozenset((first, partner))} | others


def rating_change(player: str, places: Mapping[str, int], ratings: Mapping[str, int]) -> int:
    """Elo over the seven others, K = 50 shared between them, rounded once (R21)."""
    total = 0.0
    for other in places:
        if other != player:
            score = 0.5 if places[other] == places[player] else float(places[player] < places[other])
            total += score - 1 / (1 + 10 ** ((ratings[other] - ratings[player]) / 400))
    return round(50 / 7 * total)


# -- a duel ----------------------------------------------------------------------------------------


def check_duel(duel: Frame) -> None:
    """Hold a duel that is over against the rules."""
    first, second = (player["player_id"] for player in duel["players"])
    rows, word, ending = duel["rows"], duel["word"], duel["ending"]
    assert len(word) == duel["length"]
    assert duel["length"] in (4, 5, 6)
    assert len(rows) <= 12
    assert [row["player_id"] for row in rows] == [(first, second)[index % 2] for index in range(len(rows))], "R11"
    for row in rows:
        assert row["marks"] == (marks(row["word"], word) if "word" in row else []), "R15, R17"
    solved = [index for index, row in enumerate(rows) if row.get("word") == word]
    if ending == "solved":
        assert solved == [len(rows) - 1], "R13"
        assert duel["winner"] == rows[-1]["player_id"]
    else:
        assert not solved
        assert ("winner" in duel) == (ending == "forfeited")
        assert (ending == "drawn") == (len(rows) == 12), "R16"
    assert "deadline_ms" not in duel
    assert "to_move" not in duel


def marks(guess: str, word: str) -> list[str]:
    """Correct ones first, then present ones from the left, each letter as often as the word has it (R17)."""
    found = ["correct" if typed == right else "absent" for typed, right in zip(guess, word, strict=True)]
    unpaid = Counter(right for right, mark in zip(word, found, strict=True) if mark != "correct")
    for index, typed in enumerate(guess):
        if found[index] == "absent" and unpaid[typed]:
            unpaid[typed] -= 1
            found[index] = "present"
    return found


# -- every frame -----------------------------------------------------------------------------------

_TYPES = {kind.model_fields["type"].default: kind for kind in messages.MESSAGES}


def check_frames(frames: Iterable[Frame]) -> None:
    """Every frame is one of the protocol's, and one version of a duel is one thing."""
    versions: dict[tuple[str, int], Frame] = {}
    for frame in frames:
        _TYPES[frame["type"]].model_validate(frame)
        assert frame.get("code") != "internal", frame
        assert len(json.dumps(frame, ensure_ascii=False).encode()) < LARGEST_FRAME
        for duel in duels_in(frame):
            assert versions.setdefault((duel["duel_id"], duel["version"]), duel) == duel


@dataclass(frozen=True)
class Secret:
    """A duel's word and when the duel was over by the server's clock; None while it runs."""

    duel_id: str
    word: str
    ended_at_ms: int | None


def check_secrets(frames: Iterable[Frame], secrets: Iterable[Secret]) -> None:
    """No frame that was made before a duel's end has the duel's word in a word's place (R18)."""
    for frame in frames:
        running = {secret.duel_id: secret for secret in secrets if _running(secret, frame)}
        assert running.keys().isdisjoint(duel["duel_id"] for duel in _settled_in(frame))
        for duel in duels_in(frame):
            secret = running.get(duel["duel_id"])
            if secret is not None:
                assert not duel["over"]
                assert "word" not in duel
                assert "display" not in duel
                assert secret.word not in [row.get("word") for row in duel["rows"]]


def check_text(frames: Iterable[Frame], secrets: Sequence[Secret]) -> None:
    """As `check_secrets`, but wherever in the frame the word might be.

    For a language in whose letters nothing but words is written: ids, keys and names must not look like words.
    """
    for frame in frames:
        shown = {duel["duel_id"] for duel in duels_in(frame)}
        bare = _text(frame, None)
        for secret in secrets:
            if _running(secret, frame):
                text = _text(frame, secret.duel_id) if secret.duel_id in shown else bare
                assert secret.word.casefold() not in text, frame


def _running(secret: Secret, frame: Frame) -> bool:
    return secret.ended_at_ms is None or frame["now_ms"] < secret.ended_at_ms


def _text(frame: Frame, duel_id: str | None) -> str:
    """The frame without the words of other duels, and of settled rounds, one of which may hold another one's secret."""

    def emptied(duel: Frame) -> Frame:
        if duel["duel_id"] == duel_id:
            return duel
        shown = {key: value for key, value in duel.items() if key not in ("word", "display")}
        return shown | {"rows": [{**row, "word": None} for row in duel["rows"]]}

    copy = dict(frame)
    if "duel" in copy:
        copy["duel"] = emptied(copy["duel"])
    if "duels" in copy:
        copy["duels"] = [emptied(duel) for duel in copy["duels"]]
    if _settled_in(frame):
        copy["tournament"] = {**copy["tournament"], "last_round": None}
    return json.dumps(copy, ensure_ascii=False).casefold()
