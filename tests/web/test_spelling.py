"""The page's rules of spelling are the server's: both read the same table (R33)."""

import json
import random
import shutil
import subprocess

import pytest

from tests.web.fake_server import KIT, _languages
from wordle_tournament.words import languages, normalise

NODE = shutil.which("node")
SAMPLES = 60

SCRIPT = """
import { EMPTY, type } from "%s";
const { languages, samples } = JSON.parse(await new Response(process.stdin).text());
const typed = samples.map(({ code, text }) => {
  const language = languages.find((each) => each.code === code);
  const whole = type(language, 40, EMPTY, text);
  const single = [...text].reduce((draft, char) => type(language, 40, draft, char).draft, EMPTY);
  return { whole: whole.draft.letters.join(""), single: single.letters.join(""), unknown: whole.unknown ?? null };
});
console.log(JSON.stringify(typed));
"""


@pytest.mark.skipif(NODE is None, reason="node is not here")
def test_the_page_types_every_spelling_as_the_server_reads_it() -> None:
    rng = random.Random(15)
    samples, expected = [], []
    for code, language in languages().items():
        spellings = [*language.spellings, *(tile.letter for tile in language.tiles)]
        texts = [*spellings, *("".join(rng.choices(spellings, k=6)) for _ in range(SAMPLES))]
        for text in texts:
            written = text.upper() if rng.random() < 0.5 and text.upper().lower() == text else text
            samples.append({"code": code, "text": written})
            expected.append(normalise(code, written))
    given = json.dumps({"languages": _languages(), "samples": samples})
    script = SCRIPT % (KIT / "typing.js").as_uri()
    assert NODE
    ran = subprocess.run(
        [NODE, "--input-type=module", "-e", script], input=given, capture_output=True, text=True, check=True
    )
    for sample, word, typed in zip(samples, expected, json.loads(ran.stdout), strict=True):
        assert typed == {"whole": word, "single": word, "unknown": None}, sample
