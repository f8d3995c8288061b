"""How a tournament went (kept for 30 days)."""

from ..protocol import messages
from ..protocol.errors import ErrorCode
from ..protocol.requests import Results
from ..rules.tournament import Tournament
from ..store import PLAYERS, TOURNAMENTS, Stored, load, load_many
from . import views
from .refused import Refused
from .session import Call, signed_in


def results(call: Call, request: Results) -> messages.TournamentResults:
    """Rounds, words, places, and how the rating changes add up, as far as settled; for those who played in it.

    Raises Refused: NO_SUCH_TOURNAMENT, NOT_SIGNED_IN, REPLACED.
    """
    tournament = played_in(request.tournament, signed_in(call).value.player_id, field="tournament")
    players = load_many(PLAYERS, [entrant.player_id for entrant in tournament.value.entrants])
    return views.results(tournament.value, players)


def played_in(tournament_id: str, player_id: str, field: str) -> Stored[Tournament]:
    """The tournament, if the player entered it. Raises Refused(NO_SUCH_TOURNAMENT), naming the request's field."""
    tournament = load(TOURNAMENTS, tournament_id)
    if tournament is None or all(entrant.player_id != player_id for entrant in tournament.value.entrants):
        raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, field=field)
    return tournament
