"""Use cases of a player's own data: export and deletion (R34)."""
