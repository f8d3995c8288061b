"""Task of the tournament's machine: settle the round that is over and open the next (R3-R9)."""

from wordle_tournament.entry import task
from wordle_tournament.play.machines.advance_round import advance_round

handler = task(advance_round)
