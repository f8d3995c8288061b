"""One version of a tournament or a duel is the same for every player."""

from collections.abc import Iterator

from bots.referee.record import Record, duels_in, tournaments_in
from wordle_tournament.protocol.messages import Duel, Tournament


def consistent_versions(record: Record) -> Iterator[str]:
    """All players get the same version of a thing, except for the players marked as away."""
    seen: dict[tuple[str, int], Tournament | Duel] = {}
    for _, _, message in record.frames:
        things: list[tuple[str, Tournament | Duel]] = [(one.duel_id, one) for one in duels_in(message)]
        things += [(one.tournament_id, _nobody_away(one)) for one in tournaments_in(message)]
        for thing_id, thing in things:
            if seen.setdefault((thing_id, thing.version), thing) != thing:
                yield f"{thing_id} was told in two ways as version {thing.version}"


def _nobody_away(tournament: Tournament) -> Tournament:
    players = [player.model_copy(update={"away": False, "away_until_ms": None}) for player in tournament.players]
    return tournament.model_copy(update={"players": players})
