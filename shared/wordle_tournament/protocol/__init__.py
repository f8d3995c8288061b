"""The WebSocket protocol: what clients may send and what they get. The published document is made from these models.

A leaf: it imports nothing of ours. Nothing that is secret while a duel runs has a field here, but for the word,
which is filled in only when the duel is over (R18).
"""
