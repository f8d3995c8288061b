"""Use cases of duels: guessing and watching (R10-R18)."""
