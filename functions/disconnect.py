"""Route `$disconnect`: the connection has ended (R28). API Gateway delivers this at best."""

from wordle_tournament.entry import connection_end
from wordle_tournament.lifecycle.connections import lose_connection

handler = connection_end(lose_connection)
