"""One connection that pings ten times a second (no flood yet), in a process of its own: whether the stack ever freezes.

It prints what it has measured as a line of JSON when its input ends.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect

PAUSE_SECONDS = 0.1


async def ping(url: str, ended: asyncio.Event) -> dict[str, float]:
    """Ping until `ended`. Return the number of pings, the longest wait in ms, and how late this process woke at most.

    The lateness is the machine's own: as much of the longest wait may not be the stack's.
    """
    worst = late = 0.0
    count = 0
    async with connect(url, compression=None, ping_interval=None, proxy=None) as socket:
        while not ended.is_set():
            began = time.perf_counter()
            await socket.send('{"action": "ping"}')
            while json.loads(await socket.recv())["type"] != "pong":
                pass
            answered = time.perf_counter()
            worst = max(worst, answered - began)
            count += 1
            await asyncio.sleep(PAUSE_SECONDS)
            late = max(late, time.perf_counter() - answered - PAUSE_SECONDS)
    return {"pings": count, "worst_ms": worst * 1000, "late_ms": late * 1000}


async def main(url: str) -> None:
    """Ping until the input ends."""
    ended = asyncio.Event()
    pinging = asyncio.create_task(ping(url, ended))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    ended.set()
    print(json.dumps(await pinging), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
