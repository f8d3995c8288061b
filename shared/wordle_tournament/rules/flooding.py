"""When a connection floods: it sends far more messages than a game needs, and so takes a route away from everybody.

Only a sample of the messages is counted, since a count of each would cost more than most of them do.
"""

ONE_IN = 20
"""One message of so many is counted."""
WINDOW_MS = 60_000
"""A count belongs to one window of this length, and the next window begins at 0."""
MOST = 40
"""The counted messages of one window with which a connection floods: those of some 800, thirteen a second."""


def is_counted(chance: float) -> bool:
    """Return True for the messages of the sample. `chance` is drawn evenly from 0 to 1, without 1."""
    return chance < 1 / ONE_IN


def window(at_ms: int) -> int:
    """Return the number of the window that the time, in milliseconds of the Unix epoch, belongs to."""
    return at_ms // WINDOW_MS


def floods(counted: int) -> bool:
    """Return True if a connection of which so many messages were counted in one window floods."""
    return counted >= MOST
