"""Tasks of the state machines: `advance_round` (R3-R9), `next_turn` and `skip_turn` (R15), and
`end_reconnect_window` (R28).

A task's input names it in the field `task`; the other fields are the arguments of its use case.
"""

from wordle_tournament.entry import dispatch_tasks, make_clients
from wordle_tournament.play.machines.advance_round import advance_round
from wordle_tournament.play.machines.end_reconnect_window import end_reconnect_window
from wordle_tournament.play.machines.next_turn import next_turn
from wordle_tournament.play.machines.skip_turn import skip_turn

handler = dispatch_tasks(
    {
        "advance_round": advance_round,
        "next_turn": next_turn,
        "skip_turn": skip_turn,
        "end_reconnect_window": end_reconnect_window,
    }
)
make_clients()
