"""The start of the one-process stack is left out of later garbage collections."""

from __future__ import annotations

import gc

from infra.local.stack import freeze_start


def test_what_the_start_has_made_is_frozen_and_can_be_put_back() -> None:
    before = gc.get_freeze_count()
    put_back = freeze_start()
    try:
        assert gc.get_freeze_count() > before + 10_000
    finally:
        put_back()
    assert gc.get_freeze_count() == 0
