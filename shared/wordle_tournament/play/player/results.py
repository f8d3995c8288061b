"""Show the results of a tournament (kept for 30 days)."""

from ...delivery import views
from ...delivery.session import Call, played_in, signed_in
from ...protocol import messages
from ...protocol.requests import Results
from ...store import PLAYERS, load_many


def results(call: Call, request: Results) -> messages.TournamentResults:
    """Return rounds, words, places and the parts of rating changes, as far as settled, to a player of the tournament.

    Raises GameError: NO_SUCH_TOURNAMENT, NOT_SIGNED_IN, REPLACED.
    """
    tournament = played_in(request.tournament, signed_in(call).value.player_id, field="tournament")
    players = load_many(PLAYERS, [entrant.player_id for entrant in tournament.value.entrants])
    return views.results(tournament.value, players)
