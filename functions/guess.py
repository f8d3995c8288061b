"""Route `guess`: guess a word (R11-R18)."""

from wordle_tournament.entry import route
from wordle_tournament.play.duel.guess import guess
from wordle_tournament.protocol.requests import Guess

handler = route(Guess, guess)
