"""Build build/protocol: the AsyncAPI document as a page, by the viewer of the AsyncAPI Initiative.

`make docs` runs it where npm is. The viewer, @asyncapi/react-component, is one script and one style sheet of a fixed
release; its package is compared with a hash. The page loads nothing from elsewhere.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import yaml

from tools.asyncapi import DOCUMENT, ROOT

PAGE = ROOT / "build" / "protocol"
VIEWER = "@asyncapi/react-component@3.2.1"
SHA_512 = (
    "93966a25debea3161a436a3a177ac6589d4c4c88d7769b14601dcd2906d5aabe"
    "32ceb3743af8f973b799c7c346777c1f28f85b3ab2d112d625f4ad8e3df9d2b0"
)
FILES = {
    "package/browser/standalone/index.js": "viewer.js",
    "package/browser/standalone/index.js.LICENSE.txt": "viewer.js.LICENSE.txt",
    "package/styles/default.min.css": "viewer.css",
}
INDEX = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Wordle Tournament: the protocol</title>
  <link rel="stylesheet" href="viewer.css">
</head>
<body>
  <div id="protocol"></div>
  <script src="viewer.js"></script>
  <script src="start.js"></script>
</body>
</html>
"""
START = """fetch("asyncapi.json").then((answer) => answer.json()).then((schema) => AsyncApiStandalone.render(
  { schema, config: { show: { sidebar: true, errors: true } } }, document.querySelector("#protocol"),
));
"""


class WrongPackage(Exception):
    """The viewer's package is not the one whose hash is written here."""


def fetch_viewer(folder: Path) -> None:
    """Download the viewer and put its files into the folder. Raise WrongPackage if its hash is another."""
    with tempfile.TemporaryDirectory() as download:
        command = ("npm", "pack", VIEWER, "--silent", "--pack-destination", download)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (package,) = Path(download).iterdir()
        if hashlib.sha512(package.read_bytes()).hexdigest() != SHA_512:
            raise WrongPackage(VIEWER)
        with tarfile.open(package) as files:
            for inside, name in FILES.items():
                content = files.extractfile(inside)
                assert content is not None
                (folder / name).write_bytes(content.read())


def build(folder: Path) -> None:
    """Write the page, and fetch the viewer unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / name).exists() for name in FILES.values()):
        fetch_viewer(folder)
    document = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
    (folder / "asyncapi.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "index.html").write_text(INDEX, encoding="utf-8")
    (folder / "start.js").write_text(START, encoding="utf-8")


def main() -> int:
    """Build the page, or say why not. A machine without npm is no fault."""
    if shutil.which("npm") is None:
        print("npm is not here: the protocol's page is not built")
        return 0
    build(PAGE)
    print(f"{PAGE / 'index.html'}; make play serves it at /protocol/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
