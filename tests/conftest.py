"""For all tests: functions that run in this process say only what is wrong, unless a test wants to hear more."""

import importlib
import logging
import os

from hypothesis import HealthCheck, settings

# Powertools reads it when it is imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
# A thread that outlives its stack must not count into the next test.
os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
# It keeps the stdout that it finds when it is imported, which must not be that of a test that captures its own.
importlib.import_module("wordle_tournament.log")

# A message is counted by chance, and tests count calls. Those of the guard against floods draw themselves.
importlib.import_module("wordle_tournament.delivery.flooding").__dict__["draw"] = lambda: 1.0

# Tests make moto's machines fail on purpose. Its threads log that between tests too, when nothing captures it.
logging.getLogger("moto").addHandler(logging.NullHandler())

# How long an example takes tells more of the machine than of the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
