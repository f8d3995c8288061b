"""The one source of randomness.

It is the operating system's. Python's own generator is seeded in memory: each copy of a SnapStart snapshot would start
from the same seed, and all copies would draw the same ids and words.
"""

import random

rng: random.Random = random.SystemRandom()
