"""Judge a tournament from the frames that its players received, and from nothing else of the server.

The referee computes every expected value itself and uses none of the server's rules. `record` sorts the frames. Each
check of the other modules reads the record and yields the violations that it finds, with the number of the rule.
"""

from bots.referee.limits import ROUNDS
from bots.referee.places import rating_change
from bots.referee.record import Record, Recorded, read_record
from bots.referee.verdict import violations, violations_so_far

__all__ = ["ROUNDS", "Record", "Recorded", "rating_change", "read_record", "violations", "violations_so_far"]
