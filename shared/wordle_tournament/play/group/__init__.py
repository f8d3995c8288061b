"""Use cases of a group of friends (R29-R31)."""
