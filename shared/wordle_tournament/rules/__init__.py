"""What the game is: values and functions, no I/O, no clock, nothing of ours imported.

Time is an argument (`now_ms`, milliseconds of the Unix epoch, UTC), and so is chance (`rng`).
Rule numbers (R1 ...) are those of docs/rules.md.
"""
