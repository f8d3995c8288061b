"""Route `rename`: choose a nickname (R34, R35)."""

from wordle_tournament.entry import route
from wordle_tournament.play.player.rename import rename
from wordle_tournament.protocol.requests import Rename

handler = route(Rename, rename)
