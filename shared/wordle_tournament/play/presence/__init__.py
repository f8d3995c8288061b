"""Use cases of coming, going and catching up (R28, R34)."""
