"""Places and rating changes follow from the table, and each player gets the same result (R9, R19-R21)."""

from collections.abc import Iterator, Mapping

from bots.referee.record import Record
from wordle_tournament.protocol.messages import Result, Snapshot


def places_and_ratings(record: Record) -> Iterator[str]:
    """R9, R19-R21: places are 1 + players above; rating changes follow from them; each player is told the same."""
    yield from _places(record)
    yield from _rating_changes(record)
    yield from _results(record)


def _places(record: Record) -> Iterator[str]:
    players = record.tournaments[-1].players if record.over else []
    for player in players:
        place = player.place or 0
        above = sum((other.place or 0) < place for other in players)
        if place != 1 + above:
            yield f"R9: {player.nickname} has place {place} with {above} above"


def _rating_changes(record: Record) -> Iterator[str]:
    ratings = {player.player_id: player.rating for player in record.tournaments[0].players}
    for tournament in record.tournaments:
        # Players who are still in will finish above.
        places = {player.player_id: player.place or 0 for player in tournament.players}
        if {player.player_id: player.rating for player in tournament.players} != ratings:
            yield f"R21: the ratings changed within round {tournament.round}"
        for player in tournament.players:
            change = None if player.place is None else rating_change(player.player_id, places, ratings)
            if player.rating_change != change:
                yield f"R21: {player.nickname} is told a rating change of {player.rating_change}, not {change}"


def _results(record: Record) -> Iterator[str]:
    final = record.tournaments[-1]
    table = {player.player_id: player for player in final.players}
    me: dict[int, str] = {}
    for listener, _, message in record.frames:
        if isinstance(message, Snapshot):
            me[listener] = message.you.player_id
        if isinstance(message, Result) and message.tournament_id == final.tournament_id:
            own = table[me[listener]]
            result = (message.place, message.rating_change, message.rating)
            if result != (own.place, own.rating_change, own.rating + (own.rating_change or 0)):
                yield f"R20: {own.nickname} got as result {result}, which is not what the table says"


def rating_change(player: str, places: Mapping[str, int], ratings: Mapping[str, int]) -> int:
    """Compute Elo over the seven others, with K = 50 shared between them, rounded once (R21)."""
    total = 0.0
    for other in places:
        if other != player:
            score = 0.5 if places[other] == places[player] else float(places[player] < places[other])
            total += score - 1 / (1 + 10 ** ((ratings[other] - ratings[player]) / 400))
    return round(50 / 7 * total)
