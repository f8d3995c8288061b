"""Make the page for production: copied, hashed, preloaded and compressed. The source itself runs unbuilt.

`make page` writes `build/page/`. Every module and the style sheet get their content's hash into their names; an import
map leads from the names in the source to these, so that no line of code changes. The style sheet and the first script
are in the document itself, which so paints first and connects at once. The policy of the document names the hashes of
what is inline.
"""

import argparse
import base64
import gzip
import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
KIT = ROOT / "client" / "javascript"
OUT = ROOT / "build" / "page"

# A worker is not found through an import map, and browsers and systems look for these under their own names.
UNHASHED = ("client/javascript/ticker.js", "manifest.webmanifest", "index.html", "icons/")
INLINE = ("index.html", "boot.js")
NOT_SERVED = {"page.d.ts", "tsconfig.json"}  # for the check of types
COMPRESSED = {".js", ".css", ".html", ".svg", ".webmanifest"}
IMPORT = re.compile(r'^(?:import|export)\b[^;]*?from "(\.[^"]+)";|^import "(\.[^"]+)";', re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """A page that was made: its folder, and the files by their name in the source."""

    folder: Path
    files: dict[str, str]

    def size(self) -> int:
        """Return the compressed bytes of what a first visit in English loads."""
        return sum((self.folder / f"{name}.gz").stat().st_size for name in self.first_visit())

    def first_visit(self) -> list[str]:
        """Return the files that a first visit in English loads."""
        return [
            "index.html",
            self.files["texts/en.js"],
            *(self.files[name] for name in modules("main.js")),
            "client/javascript/ticker.js",
        ]


def sources() -> dict[str, Path]:
    """Return all files of the page by their path below its root."""
    found = {
        path.relative_to(WEB).as_posix(): path
        for path in sorted(WEB.rglob("*"))
        if path.is_file() and path.name not in NOT_SERVED
    }
    kit = {path.relative_to(ROOT).as_posix(): path for path in sorted(KIT.glob("*.js"))}
    return found | kit


def modules(name: str) -> list[str]:
    """Return a module and all that it imports, directly or not, as the browser will ask for them."""
    files, found = sources(), [name]
    for each in found:
        text = files[each].read_text(encoding="utf-8")
        for match in IMPORT.finditer(text):
            target = (Path(each).parent / (match[1] or match[2])).as_posix()
            resolved = _resolve(target)
            if resolved not in found:
                found.append(resolved)
    return found


def preloaded() -> list[str]:
    """Return all modules in the order in which the browser should ask for them: first those that sign in."""
    first = modules("start.js")
    return first + [name for name in modules("main.js") if name not in first]


def _resolve(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]  # the root's parent is the root, as in an address
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def build(out: Path = OUT, server: str = "") -> Built:
    """Write the page into a folder, which is emptied first. `server` is the address of the game's WebSocket."""
    shutil.rmtree(out, ignore_errors=True)
    files = sources()
    names = {
        name: name if name.startswith(UNHASHED) else _hashed(name, path.read_bytes()) for name, path in files.items()
    }
    for name, path in files.items():
        if name in INLINE:
            continue
        _write(out / names[name], path.read_bytes())
    _write(out / "index.html", _document(files, names, server).encode())
    return Built(out, names)


def _hashed(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{suffix}"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if path.suffix in COMPRESSED:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))


def _document(files: dict[str, Path], names: dict[str, str], server: str) -> str:
    """Return the document with its style inside, an import map, preloads, and a policy that allows just these."""
    scripts = {
        name: new for name, new in names.items() if name.endswith(".js") and not name.startswith((*UNHASHED, *INLINE))
    }
    imports = ",".join(f'"./{name}":"./{new}"' for name, new in scripts.items())
    boot = files["boot.js"].read_text(encoding="utf-8")
    style = _smaller(files["style.css"].read_text(encoding="utf-8"))
    import_map = f'{{"imports":{{{imports}}}}}'
    preloads = "".join(f'\n  <link rel="modulepreload" href="{names[name]}">' for name in preloaded())
    policy = f"script-src 'self' {_source(import_map)} {_source(boot)}; style-src {_source(style)};"
    changes = {
        '  <link rel="stylesheet" href="style.css">': f"  <style>{style}</style>\n"
        f'  <script type="importmap">{import_map}</script>',
        '  <script src="boot.js"></script>': f"  <script>{boot}</script>{preloads}",
        'src="start.js"': f'src="{names["start.js"]}"',
        'src="main.js"': f'src="{names["main.js"]}"',
        "default-src 'self';": f"default-src 'self'; {policy}",
        '<meta name="server" content="">': f'<meta name="server" content="{server}">',
    }
    text = re.sub(r'\n  <link rel="modulepreload"[^>]*>', "", files["index.html"].read_text(encoding="utf-8"))
    for old, new in changes.items():
        if old not in text:
            raise ValueError(f"web/index.html lacks {old}")
        text = text.replace(old, new)
    return text


def _smaller(style: str) -> str:
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)).strip()


def _source(inline: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"


def main() -> None:
    """Make the page and print its size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--server", default="", help="the game's address, such as wss://play.example.com; empty for /ws of its own"
    )
    options = parser.parse_args()
    built = build(server=options.server)
    size = f"{built.size() / 1000:.1f} kB compressed for a first visit"
    print(f"{built.folder.relative_to(ROOT)}: {len(built.files)} files, {size}")


if __name__ == "__main__":
    main()
