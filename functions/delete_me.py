"""Route `deleteMe`: delete a player for good."""

from wordle_tournament.entry import route
from wordle_tournament.play.account.delete_me import delete_me
from wordle_tournament.protocol.requests import DeleteMe

handler = route(DeleteMe, delete_me)
