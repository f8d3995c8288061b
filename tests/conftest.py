"""For all tests: functions that run in this process say only what is wrong, unless a test wants to hear more."""

import os

# Powertools reads it when it is imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
