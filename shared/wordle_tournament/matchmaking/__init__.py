"""Seats in lobbies: finding one, merging lobbies, and starting the tournament of a full one (R1, R23, R24)."""
