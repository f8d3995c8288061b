"""Route `sync`: ask for everything again (R28)."""

from wordle_tournament.entry import route
from wordle_tournament.play.presence.sync import sync
from wordle_tournament.protocol.requests import Sync

handler = route(Sync, sync)
