"""Task of the reconnect machine: end the reconnect window (R28)."""

from wordle_tournament.entry import task
from wordle_tournament.play.machines.end_reconnect_window import end_reconnect_window

handler = task(end_reconnect_window)
