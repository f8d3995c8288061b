"""Routes by which players come and go: `hello` (R28, R34), `sync` (R28) and `$disconnect` (R28)."""

from wordle_tournament.entry import connection_end, dispatch, route
from wordle_tournament.play.presence.disconnect import disconnect
from wordle_tournament.play.presence.hello import hello
from wordle_tournament.play.presence.sync import sync
from wordle_tournament.protocol.requests import Hello, Sync

handler = dispatch(
    {
        "$disconnect": connection_end(disconnect),
        "hello": route(Hello, hello),
        "sync": route(Sync, sync),
    }
)
