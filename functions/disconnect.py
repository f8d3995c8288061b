"""Route `$disconnect`: the connection has ended (R28). API Gateway delivers this at best."""

from wordle_tournament.entry import connection_end
from wordle_tournament.play.presence.disconnect import disconnect

handler = connection_end(disconnect)
