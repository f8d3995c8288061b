"""Routes that need nothing stored: `$connect`, `$default`, `ping` (R28) and `languages` (R32).

This function may push to connections, count their messages and close them, and do nothing else, so it does not record a
connection that it finds stale.
"""

from wordle_tournament.entry import accept, dispatch, make_clients, refuse_unknown, route
from wordle_tournament.play.gateway.languages import languages
from wordle_tournament.play.gateway.ping import ping
from wordle_tournament.protocol.requests import Languages, Ping

handler = dispatch(
    {
        "$connect": accept,
        "$default": refuse_unknown,
        "ping": route(Ping, ping),
        "languages": route(Languages, languages),
    },
    records_stale_connections=False,
)
make_clients(store=False, timers=False)
