"""The WebSocket protocol: the requests of clients and the messages of the server, as pydantic models.

The published documents are generated from these models. The package imports nothing else of ours. No field can hold
what is secret while a duel runs, except the word, which is filled in only when the duel is over (R18).
"""
