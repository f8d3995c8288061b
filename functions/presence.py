"""Routes by which players come and go: `hello` (R28, R34), `sync`, `here` and `$disconnect` (R28)."""

from wordle_tournament.entry import connection_end, dispatch, make_clients, route
from wordle_tournament.play.presence.disconnect import disconnect
from wordle_tournament.play.presence.hello import hello
from wordle_tournament.play.presence.here import here
from wordle_tournament.play.presence.sync import sync
from wordle_tournament.protocol.requests import Hello, Here, Sync

handler = dispatch(
    {
        "$disconnect": connection_end(disconnect),
        "hello": route(Hello, hello),
        "sync": route(Sync, sync),
        "here": route(Here, here),
    }
)
make_clients()
