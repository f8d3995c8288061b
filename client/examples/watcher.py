"""Take a seat, let all turns pass, and print the tournament: python client/examples/watcher.py [URL]."""

import asyncio
import sys

from wordle_tournament.protocol.messages import DuelChanged, Result, TournamentChanged
from wordle_tournament_client import TournamentClient


async def main(url: str) -> None:
    async with TournamentClient(url) as client:
        await client.join("en")
        async for frame in client.events():
            players = client.view.tournament.players if client.view.tournament else []
            names = {player.player_id: player.nickname for player in players}
            match frame:
                case TournamentChanged(tournament=tournament) if tournament.over:
                    break
                case TournamentChanged(tournament=tournament):
                    pairs = [[names[one] for one in match.players] for match in tournament.matches]
                    print("round", tournament.round, pairs)
                case DuelChanged(duel=duel) if duel.over:
                    print(duel.display, duel.ending, names.get(duel.winner or "", ""))
                case Result(place=place, rating_change=change):
                    print("place", place, change)


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8000/ws"))
