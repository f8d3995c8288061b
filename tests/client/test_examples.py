"""The examples play a tournament to its end, on a stack as `make play` starts it."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.backfill import start_backfill
from infra.local.stack import LocalStack

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "client" / "examples"
NODE = shutil.which("node")
TSC = ROOT / "build" / "node" / "node_modules" / "typescript" / "lib" / "typescript.js"
PATIENCE_SECONDS = 200
TRANSPILE = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const typescript = createRequire(import.meta.url)(process.argv[1]);
const text = readFileSync(process.argv[2], "utf8").replaceAll("../javascript/", process.argv[3]);
console.log(typescript.transpile(text, { module: "esnext", target: "es2022" }));
"""


def commands(folder: Path) -> dict[str, list[str]]:
    """Return how each example is started, of those whose language is here."""
    found = {path.name: [sys.executable, str(path)] for path in EXAMPLES.glob("*.py")}
    if NODE:
        node = [NODE, "--experimental-websocket"]
        found |= {path.name: [*node, str(path)] for path in EXAMPLES.glob("*.js")}
        if TSC.exists():
            for path in EXAMPLES.glob("*[!d].ts"):
                made = folder / f"{path.stem}.mjs"
                kit = (ROOT / "client" / "javascript").as_uri() + "/"
                script = [NODE, "--input-type=module", "-e", TRANSPILE, str(TSC), str(path), kit]
                made.write_bytes(subprocess.run(script, capture_output=True, check=True).stdout)
                found[path.name] = [*node, str(made)]
    return found


async def output(command: list[str]) -> tuple[int | None, str]:
    """Run the command. Return its exit code and what it printed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "shared"), str(ROOT / "client")])}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdout=pipe, stderr=asyncio.subprocess.STDOUT, env=environment
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            printed, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, printed.decode()


@pytest.mark.slow
async def test_all_examples_play_one_tournament_to_its_end(tmp_path: Path) -> None:
    clocks = {"TurnSeconds": "1", "RoundIntroSeconds": "1", "ReconnectSeconds": "5", "LogLevel": "ERROR"}
    examples = commands(tmp_path)
    assert len(examples) <= 7
    with LocalStack(clocks) as stack:
        stop = start_backfill(stack.ws_url)
        try:
            ends = await asyncio.gather(*(output([*command, stack.ws_url]) for command in examples.values()))
        finally:
            stop()
    for name, (code, printed) in zip(examples, ends, strict=True):
        assert code == 0, f"{name}: {printed}"
        assert "place" in printed, f"{name}: {printed}"
        assert ("round" in printed) == name.startswith("watcher"), f"{name}: {printed}"
