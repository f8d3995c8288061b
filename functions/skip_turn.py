"""Task of the tournament's machine: skip a turn whose time is over (R15)."""

from wordle_tournament.entry import task
from wordle_tournament.play.machines.skip_turn import skip_turn

handler = task(skip_turn)
