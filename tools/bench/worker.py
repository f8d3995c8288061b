"""`python -m tools.bench.worker`: a cold start of guess in the emulator's worker process, without and with byte code.

The layer is built and deployed as by `make e2e`, once with its byte code taken out. Each time a new emulator starts a
process for the function and sends it one guess. Printed are the processor seconds of that process, interpreter
included.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import boto3

from tools.e2e import PARAMETERS, ROOT, TEMPORARY, Sam, emulator

SAM, MINISTACK = ROOT / "build/sam/bin/sam", ROOT / "build/emulator/bin/ministack"
EVENT = {
    "requestContext": {"routeKey": "guess", "connectionId": "nobody=", "requestTimeEpoch": 1, "requestId": "1"},
    "body": json.dumps({"action": "guess", "duel": "none", "turn": 1, "word": "word"}),
}


def main() -> int:
    """Measure both, and print them."""
    work = ROOT / "build" / "worker"
    work.mkdir(parents=True, exist_ok=True)
    for byte_code in (False, True):
        print(f"{'with' if byte_code else 'without'} byte code: {_seconds(work, byte_code):.2f} s of processor time")
    return 0


def _seconds(work: Path, byte_code: bool) -> float:
    with emulator(str(MINISTACK), work) as endpoint:
        sam = Sam(str(SAM), work, endpoint)
        sam.build()
        if not byte_code:
            for folder in [*(sam.built / "SharedLayer").rglob("__pycache__")]:
                shutil.rmtree(folder)
        sam.deploy(PARAMETERS)
        function = sam.resources()["DuelFunction"]
        credentials: Any = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        client = boto3.client("lambda", endpoint_url=endpoint, **credentials)
        before = _used(work / TEMPORARY)
        answer = client.invoke(FunctionName=f"{function}:live", Payload=json.dumps(EVENT).encode())
        if json.loads(answer["Payload"].read()) != {"statusCode": 200}:
            raise RuntimeError("the guess was not answered")
        time.sleep(0.5)
        after = _used(work / TEMPORARY)
        return sum(seconds for process, seconds in after.items() if process not in before)


def _used(temporary: Path) -> dict[int, float]:
    """Return the processor seconds of the processes that were started with this folder for temporary files."""
    used: dict[int, float] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={temporary}".encode() in (process / "environ").read_bytes():
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                used[int(process.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return used


if __name__ == "__main__":
    sys.exit(main())
