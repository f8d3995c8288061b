"""The one-process stack in a process of its own, as `make play` runs it, for `tools.bench.stack`.

It prints its address as a line of JSON. For each line that it reads it prints its processor seconds, and its memory
after a collection if the line asks for that. It ends with its input.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

from infra.local.stack import LocalStack, freeze_start

COLLECT = "collect"


def main() -> int:
    """Run the stack until the input ends. The only argument is a JSON object of template parameters."""
    parameters: dict[str, str] = json.loads(sys.argv[1])
    logging.basicConfig(level=parameters.get("LogLevel", "WARN"))
    stack = LocalStack(parameters)
    with contextlib.ExitStack() as running:
        running.enter_context(stack)
        running.callback(freeze_start())
        logging.getLogger("botocore").setLevel(logging.WARNING)
        _print({"url": stack.ws_url})
        for line in sys.stdin:
            seconds = time.process_time()
            if line.strip() == COLLECT:
                gc.collect()
            _print({"seconds": seconds, "megabytes": resident_megabytes()})
    return 0


def resident_megabytes() -> float:
    """Return the memory of this process that is in RAM. Linux only."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def _print(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
