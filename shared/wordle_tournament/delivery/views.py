"""State as clients see it. Only here does a duel's word get into a message, and only once the duel is over (R18)."""

from collections.abc import Iterable, Mapping

from .. import clock, words
from ..config import settings
from ..protocol import messages
from ..rules import duel as duel_rules
from ..rules import tournament as tournament_rules
from ..rules.lobby import Lobby
from ..rules.nickname import DELETED
from ..rules.player import Player
from ..rules.rating import Outcome
from ..rules.tournament import PLAYERS as SEATS
from ..rules.tournament import Tournament
from ..store import LiveDuel, Versioned

Players = Mapping[str, Versioned[Player]]


def you(player: Player) -> messages.You:
    """Return the player as they see themselves."""
    return messages.You(player_id=player.player_id, nickname=player.nickname, rating=player.rating, games=player.games)


def lost_game(player: Player) -> messages.LostGame | None:
    """Return the game that the player has lost by being away, until they take the next seat (R28)."""
    lost = player.lost_game
    if lost is None or player.game is not None:
        return None
    return messages.LostGame(
        what="tournament" if lost.started else "lobby",
        id=lost.game,
        at_ms=lost.at_ms,
        restarted=lost.restarted or None,
    )


def lobby(stored: Versioned[Lobby], players: Players) -> messages.Lobby:
    """Return a lobby; `players` are the records of those in it, as far as they are known."""
    value = stored.value
    return messages.Lobby(
        lobby_id=value.lobby_id,
        version=stored.version,
        language=value.language,
        rating=value.rating,
        seats=SEATS,
        players=[
            messages.LobbyPlayer(
                player_id=seat.player_id,
                nickname=seat.nickname,
                rating=seat.rating,
                away=_away(players, seat.player_id),
                away_until_ms=_away_until_ms(players, seat.player_id, value.lobby_id),
            )
            for seat in value.seats
        ],
        started=value.started,
    )


def tournament(stored: Versioned[Tournament], players: Players) -> messages.Tournament:
    """Return a tournament by its settled rounds, with the pairings of the current round."""
    value = stored.value
    standings = {standing.player_id: standing for standing in tournament_rules.standings(value)}
    current = value.round
    return messages.Tournament(
        tournament_id=value.tournament_id,
        version=stored.version,
        language=value.language,
        players=[
            messages.TournamentPlayer(
                player_id=entrant.player_id,
                nickname=_name(entrant, players),
                rating=entrant.rating,
                lives=standings[entrant.player_id].lives,
                fate=standings[entrant.player_id].status.value,
                place=standings[entrant.player_id].place,
                rating_change=standings[entrant.player_id].rating_change,
                away=_away(players, entrant.player_id),
                away_until_ms=_away_until_ms(players, entrant.player_id, value.tournament_id),
            )
            for entrant in value.entrants
        ],
        round=current.number,
        matches=[
            messages.Match(duel_id=match.duel_id, players=match.players, length=match.length)
            for match in current.matches
        ],
        bye=current.bye,
        leavers=list(current.leavers),
        starts_at_ms=current.starts_at_ms,
        last_round=_round(value.language, value.last_settled) if value.last_settled else None,
        over=value.over,
        ending=value.ending.value if value.ending else None,
    )


def duel(stored: LiveDuel) -> messages.Duel:
    """Return a duel, with its word only if it is over."""
    value = stored.value
    outlooks = ((player, duel_rules.places_possible(value, player)) for player in (value.players if value.over else ()))
    return messages.Duel(
        duel_id=value.duel_id,
        version=stored.version,
        tournament_id=value.tournament_id,
        round=value.round,
        language=value.language,
        length=len(value.word),
        players=[
            messages.DuelPlayer(player_id=player, lives=lives)
            for player, lives in zip(value.players, value.lives_left, strict=True)
        ],
        rows=[
            messages.Row(player_id=row.player_id, word=row.word, marks=[mark.value for mark in row.marks])
            for row in value.rows
        ],
        turn=value.turn,
        to_move=value.to_move,
        starts_at_ms=value.starts_at_ms,
        turn_ms=value.turn_ms,
        deadline_ms=None if value.over else value.deadline_ms,
        over=value.over,
        ending=value.ending.value if value.ending else None,
        winner=value.winner,
        word=value.word if value.over else None,
        display=words.display(value.language, value.word) if value.over else None,
        out=[
            messages.Outlook(player_id=player, best_place=places[0], worst_place=places[1])
            for player, places in outlooks
            if places
        ],
    )


def results(value: Tournament, players: Players) -> messages.TournamentResults:
    """Return the results of the tournament, as far as its rounds are settled."""
    entrants = {entrant.player_id: entrant for entrant in value.entrants}
    return messages.TournamentResults(
        now_ms=clock.now_ms(),
        tournament_id=value.tournament_id,
        language=value.language,
        started_at_ms=value.started_at_ms,
        ended_at_ms=value.ended_at_ms,
        ending=value.ending.value if value.ending else None,
        players=[
            messages.PlayerResult(
                player_id=standing.player_id,
                nickname=_name(entrants[standing.player_id], players),
                rating=entrants[standing.player_id].rating,
                lives=standing.lives,
                fate=standing.status.value,
                place=standing.place,
                rating_change=standing.rating_change,
                parts=[
                    messages.OpponentPart(player_id=other, outcome=_OUTCOMES[outcome], points=round(points, 3))
                    for other, outcome, points in tournament_rules.rating_parts(value, standing.player_id)
                ],
            )
            for standing in tournament_rules.standings(value)
        ],
        rounds=[_round(value.language, played) for played in value.rounds if played.settled],
    )


_OUTCOMES: dict[Outcome, messages.Outcome] = {
    Outcome.ABOVE: "win",
    Outcome.SAME: "draw",
    Outcome.BELOW: "loss",
}


def _round(language: str, played: tournament_rules.Round) -> messages.RoundResult:
    results = {result.duel_id: result for result in played.results}
    return messages.RoundResult(
        number=played.number,
        duels=[
            messages.DuelResult(
                duel_id=match.duel_id,
                players=match.players,
                ending=results[match.duel_id].ending.value,
                winner=results[match.duel_id].winner,
                word=results[match.duel_id].word,
                display=words.display(language, results[match.duel_id].word),
                turns=results[match.duel_id].turns,
            )
            for match in played.matches
        ],
        bye=played.bye,
        leavers=list(played.leavers),
    )


def _name(entrant: tournament_rules.Entrant, players: Players) -> str:
    """Return the nickname, or the neutral one for a deleted player."""
    return entrant.nickname if entrant.player_id in players else DELETED


def languages() -> list[messages.Language]:
    """Return the languages of the game."""
    return [
        messages.Language(
            code=language.code,
            name=language.name,
            native_name=language.native_name,
            tiles=[messages.Tile(letter=tile.letter, label=tile.label) for tile in language.tiles],
            keyboard=[list(row) for row in language.keyboard],
            spellings=dict(language.spellings),
        )
        for language in words.languages().values()
    ]


def _away(players: Players, player_id: str) -> bool:
    """Return True if the player is away. A deleted player always is."""
    return player_id not in players or players[player_id].value.away


def _away_until_ms(players: Players, player_id: str, game: str) -> int | None:
    """Return when the player counts as having left that game; None if they are here or not in it (any more)."""
    player = players[player_id].value if player_id in players else None
    if player is None or player.away_since_ms is None or player.game != game:
        return None
    return player.away_since_ms + settings().reconnect_ms


def connections(players: Iterable[Versioned[Player]]) -> dict[str, str]:
    """Return the connections of those of the players who are connected, by player id."""
    return {player.value.player_id: player.value.connection_id for player in players if player.value.connection_id}
