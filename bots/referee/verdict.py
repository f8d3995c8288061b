"""All checks of a record, in their order."""

from collections.abc import Callable, Iterable, Iterator

from bots.referee.boards import boards, secret_words
from bots.referee.limits import limits, start
from bots.referee.places import places_and_ratings
from bots.referee.record import Record, Recorded, read_record
from bots.referee.rounds import pairings, settlements
from bots.referee.secrecy import secrecy
from bots.referee.versions import consistent_versions

CHECKS: tuple[Callable[[Record], Iterator[str]], ...] = (
    consistent_versions,
    start,
    pairings,
    boards,
    secret_words,
    settlements,
    places_and_ratings,
    limits,
    secrecy,
)


def violations(frames: Iterable[Recorded]) -> list[str]:
    """Return all violations in a tournament that was recorded from its start to its end; [] if all is well."""
    record = read_record(frames)
    return violations_so_far(record) if record.over or not record.tournaments else ["the tournament is not over"]


def violations_so_far(record: Record) -> list[str]:
    """Do the same for a tournament that was recorded from its start and may still run, except for its last round."""
    if not record.tournaments:
        return ["no tournament was heard of"]
    return list(dict.fromkeys(violation for check in CHECKS for violation in check(record)))
