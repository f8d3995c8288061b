"""Play a tournament: python client/examples/bot.py [ws://127.0.0.1:8000/ws]."""

import asyncio
import random
import sys

from wordle_tournament.protocol.messages import Duel
from wordle_tournament_client import Refused, TournamentClient, View

WORDS = "able bird cold dark east fish gold hand crane slate pilot round house light stone garden silver planet winter"


def my_turn(view: View) -> Duel | str | None:
    """Return the duel in which this player has to move, or "over"; None as long as there is nothing to do."""
    if view.tournament and view.tournament.over:
        return "over"
    duel = view.duel
    return duel if duel and view.you and not duel.over and duel.to_move == view.you.player_id else None


async def main(url: str) -> None:
    async with TournamentClient(url) as client:
        await client.join("en")
        while True:
            duel: Duel | str = await client.until(my_turn)
            if isinstance(duel, str):
                break
            words = [word for word in WORDS.split() if len(word) == duel.length]
            try:
                await client.guess(duel.duel_id, duel.turn, random.choice(words))
            except Refused as refused:
                print(refused.code)
                await asyncio.sleep(0.3)  # not started yet, or too late: the next frame tells
        print("place", client.view.me and client.view.me.place)


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8000/ws"))
