"""The packed JavaScript kit is typed: in an empty folder TypeScript accepts right programs and refuses wrong ones."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TSC = ROOT / "build" / "node" / "node_modules" / ".bin" / "tsc"
STRICT = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"]

RIGHT = """
import { EMPTY, Refused, TournamentClient, overdue, type } from "wordle-tournament-client";
const made = new TournamentClient("ws://127.0.0.1:8000/ws", null, { client: "my-app", version: "1.0" });
const client = await made.connect();
const seats: number = (await client.join("en")).players.length;
for await (const frame of client.events()) {
  if (frame.type === "duel" && frame.duel.over) { const word: string = frame.duel.word; console.log(word, seats); }
  if (overdue(client.view, client.serverNowMs())) await client.sync();
}
export { EMPTY, Refused, type };
"""
WRONG = """
import { TournamentClient } from "wordle-tournament-client";
const client = new TournamentClient("ws://127.0.0.1:8000/ws");
const duel = Object.values(client.view.duels)[0];
if (!duel.over) { const word: string = duel.word; }
client.ask({ action: "guess", duel: "d", turn: "1", word: "crane" });
client.joinn("en");
const rating: string = client.view.you!.rating;
"""


@pytest.mark.slow
@pytest.mark.skipif(not TSC.exists() or not shutil.which("npm"), reason="TypeScript is not here: make types")
@pytest.mark.parametrize("resolution", ["nodenext", "bundler"])
def test_the_package_is_typed_in_an_empty_folder(tmp_path: Path, resolution: str) -> None:
    package = tmp_path / "kit" / "package"
    package.mkdir(parents=True)
    source = ROOT / "client" / "javascript"
    for path in (*source.glob("*.js"), source / "protocol.d.ts", source / "package.json"):
        shutil.copy(path, package)
    declare: list[str | Path] = [
        TSC,
        "-p",
        source,
        "--noEmit",
        "false",
        "--declaration",
        "--emitDeclarationOnly",
        "--outDir",
        package,
    ]
    subprocess.run(declare, check=True)
    packed = subprocess.run(
        ["npm", "pack", "./package", "--silent"], cwd=tmp_path / "kit", check=True, capture_output=True, text=True
    )
    app = tmp_path / "app"
    app.mkdir()
    (app / "package.json").write_text('{"name": "app", "private": true, "type": "module"}', encoding="utf-8")
    archive = tmp_path / "kit" / packed.stdout.strip()
    subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", archive], cwd=app, check=True)
    for name, text in (("right", RIGHT), ("wrong", WRONG)):
        (app / f"{name}.ts").write_text(text, encoding="utf-8")
    module = "nodenext" if resolution == "nodenext" else "esnext"
    checked = subprocess.run(
        [TSC, *STRICT, "--module", module, "--moduleResolution", resolution, "right.ts", "wrong.ts"],
        cwd=app,
        check=False,
        capture_output=True,
        text=True,
    )
    assert re.findall(r"^(\w+)\.ts\((\d+),", checked.stdout, re.MULTILINE) == [
        ("wrong", str(line)) for line in (5, 6, 7, 8)
    ], checked.stdout
