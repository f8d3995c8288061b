"""Route `board`: the board of a duel that is over."""

from wordle_tournament.entry import route
from wordle_tournament.play.player.board import board
from wordle_tournament.protocol.requests import Board

handler = route(Board, board)
