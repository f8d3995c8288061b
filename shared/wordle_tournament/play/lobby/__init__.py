"""Use cases of looking for a game and leaving one (R23-R27)."""
