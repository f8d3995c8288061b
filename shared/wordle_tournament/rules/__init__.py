"""The rules of the game as values and functions. They do no I/O and read no clock.

Time is an argument (`now_ms`, milliseconds of the Unix epoch, UTC), and so is randomness (`rng`).
Rule numbers (R1 ...) are those of docs/rules.md.
"""
