"""Where chance comes from: the operating system, since Python's own generator would be in the same state in each copy
of a SnapStart snapshot, and all would draw alike and meet again."""

import random

rng: random.Random = random.SystemRandom()
