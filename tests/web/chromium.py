"""The browser that the page is tested in: one that is on this machine already."""

import os
import shutil
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is here (apt-get install chromium)")

LAUNCH: dict[str, Any] = {
    "executable_path": CHROMIUM,
    "args": [
        # Switch off everything except showing a page: the rest only takes time here.
        *("--disable-gpu", "--no-first-run", "--disable-sync", "--disable-component-update"),
        *("--disable-background-networking", "--disable-quic", "--disable-dev-shm-usage"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ],
}
"""How to launch it."""
