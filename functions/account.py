"""Routes of all that is stored about a player: `export` and `deleteMe` (R34). No game route shares their rights."""

from wordle_tournament.entry import dispatch, make_clients, route
from wordle_tournament.play.account.delete_me import delete_me
from wordle_tournament.play.account.export import export
from wordle_tournament.protocol.requests import DeleteMe, Export

handler = dispatch(
    {
        "export": route(Export, export),
        "deleteMe": route(DeleteMe, delete_me),
    }
)
make_clients()
