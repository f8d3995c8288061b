"""The pairs of a round (R2, R4, R5), drawn exactly and uniformly from every possible pairing.

Eight players have 105 pairings and seven have 7 x 15 = 105, so all of them are listed.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a round, and the player with the bye if the number of players is odd."""

    pairs: tuple[Pair, ...]
    bye: str | None = None

    def opponent(self, player_id: str) -> str | None:
        """Return the player's opponent; None with a bye."""
        for first, second in self.pairs:
            if player_id == first:
                return second
            if player_id == second:
                return first
        return None


def draw_pairing(players: Sequence[str], last: Pairing | None, rng: random.Random) -> Pairing:
    """Pair `players` (2 to 8, distinct). All allowed pairings are equally likely.

    Nobody has the bye twice running (R5), and there are as few rematches of the round before as possible, none if
    that can be avoided (R4). `last` is that round's pairing. The first to guess in each pair is drawn too (R11).
    """
    last = last or Pairing(())
    candidates = [pairing for pairing in _pairings(tuple(players)) if pairing.bye is None or pairing.bye != last.bye]
    fewest = min(_rematches(pairing, last) for pairing in candidates)
    drawn = rng.choice([pairing for pairing in candidates if _rematches(pairing, last) == fewest])
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in drawn.pairs]
    return Pairing(tuple(pairs), drawn.bye)


def _rematches(pairing: Pairing, last: Pairing) -> int:
    return sum(last.opponent(first) == second for first, second in pairing.pairs)


def _pairings(players: tuple[str, ...]) -> Iterator[Pairing]:
    if len(players) % 2 == 0:
        for pairs in _perfect(players):
            yield Pairing(pairs)
        return
    for index, bye in enumerate(players):
        for pairs in _perfect(players[:index] + players[index + 1 :]):
            yield Pairing(pairs, bye)


def _perfect(players: tuple[str, ...]) -> Iterator[tuple[Pair, ...]]:
    if not players:
        yield ()
        return
    first, rest = players[0], players[1:]
    for index, partner in enumerate(rest):
        for others in _perfect(rest[:index] + rest[index + 1 :]):
            yield ((first, partner), *others)
