"""The numbers of the game, and how often something may happen (R1, R7)."""

from collections.abc import Iterator

from bots.referee.record import Record

PLAYERS = 8
LIVES = 3
LENGTHS = (4, 5, 6)
TURNS = 12
MOST_DUELS = 23
ROUNDS = range(3, 13)


def start(record: Record) -> Iterator[str]:
    """R1: eight players with three lives."""
    first = record.tournaments[0]
    if len({player.player_id for player in first.players}) != PLAYERS or len(first.players) != PLAYERS:
        yield f"R1: {len(first.players)} players"
    if any(player.lives != LIVES or player.fate != "in" for player in first.players):
        yield f"R1: not everybody starts with {LIVES} lives"
    if len({one.tournament_id for one in record.tournaments}) != 1:
        yield "R1: more than one tournament was told of"
    if sorted(record.rounds) != list(range(1, len(record.rounds) + 1)):
        yield f"R2: the rounds told of are {sorted(record.rounds)}"


def limits(record: Record) -> Iterator[str]:
    """R7: at most 23 duels; without leavers 3 to 12 rounds."""
    number = len({match.duel_id for one in record.tournaments for match in one.matches})
    if number > MOST_DUELS:
        yield f"R7: {number} duels"
    if record.over and not any(one.leavers for one in record.tournaments) and len(record.rounds) not in ROUNDS:
        yield f"R7: {len(record.rounds)} rounds"
