"""Use cases of a player's name and record (R34, R35)."""
