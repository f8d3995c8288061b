"""The faults of a history: each has a kind and a name, and strikes by the seed alone.

A seed has a weather: how often things fail, and which kinds do. Few kinds at once reach states that all kinds together
would never let stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from infra.local.simulation.chance import Chance

CALLS = {
    "dies before": "the function ends just before the call",
    "dies after": "the function ends just after the call",
    "throttled": "AWS refuses the call for now",
    "refused": "AWS fails with an error of its own, and does nothing",
    "answer lost": "the call is carried out, and its answer never comes",
    "slow": "the call takes seconds",
}
"""The ways in which any call may fail."""
WRITES = {"conflict": "another transaction holds an item of this one"}
QUERIES = {"stale index": "an index does not show the last seconds yet"}
MESSAGES = {
    "late": "a message arrives seconds late, behind others",
    "doubled": "a message arrives twice",
    "resent": "a message arrives once more, minutes later",
    "cold start": "a message is received in time, and its function starts seconds later",
}
CONNECTIONS = {
    "drop": "a connection ends, with notice",
    "unnoticed drop": "a connection ends without `$disconnect`: the next push gets 410",
    "half-open": "a client is gone, and API Gateway takes its connection for open",
    "asleep": "a client answers nothing for a while, on an open connection",
    "storm": "all connections end at once, and all clients come back",
}
MACHINES = {
    "task twice": "a task's function is called twice",
    "late task": "a task's function is called seconds late",
    "aborted": "an execution ends in the middle",
    "late sweep": "the sweeper comes minutes late",
    "sweep twice": "two sweeps run at the same time",
}
DEPLOYMENTS = {
    "settings": "a deployment changes settings; for a while half of the calls have the old ones",
    "release": "a deployment replaces 1.0.0; for a while half of the calls are answered by it",
    "clocks apart": "the clocks of functions differ",
}
MOVES = {
    "leave": "a player leaves the lobby or the tournament",
    "watch": "a player watches another duel, or stops",
    "rename": "a player takes another name",
    "bad guess": "a guess that is no word, of a wrong length, or out of turn",
    "idle": "a player lets a turn run out",
    "last moment": "a guess is sent around its deadline",
    "ask": "a player asks for a record, results or a board",
    "regroup": "a group changes: somebody leaves, is removed, leads or gets a new invite",
    "delete": "a player is deleted",
    "second device": "a player signs in on another device",
}
"""Moves of players that a tournament does not need. A shortened history has few of them."""
KINDS: Mapping[str, str] = {
    **CALLS,
    **WRITES,
    **QUERIES,
    **MESSAGES,
    **CONNECTIONS,
    **MACHINES,
    **DEPLOYMENTS,
    **MOVES,
}

RATES: Mapping[str, float] = {
    "dies before": 0.0015,
    "dies after": 0.003,
    "throttled": 0.004,
    "refused": 0.002,
    "answer lost": 0.003,
    "slow": 0.002,
    "conflict": 0.02,
    "stale index": 0.3,
    "late": 0.03,
    "doubled": 0.03,
    "resent": 0.02,
    "cold start": 0.02,
    "drop": 0.004,
    "unnoticed drop": 0.003,
    "half-open": 0.002,
    "asleep": 0.002,
    "storm": 0.03,
    "task twice": 0.02,
    "late task": 0.01,
    "aborted": 0.004,
    "late sweep": 0.1,
    "sweep twice": 0.1,
    "settings": 0.1,
    "release": 1.0,
    "clocks apart": 0.3,
    "leave": 0.002,
    "watch": 0.03,
    "rename": 0.003,
    "bad guess": 0.1,
    "idle": 0.05,
    "last moment": 0.05,
    "ask": 0.01,
    "regroup": 0.01,
    "delete": 0.0003,
    "second device": 0.001,
}
"""How often each kind strikes where it may, in a weather that has it: per call, message, tick or minute."""
CALM = 0.1
"""The share of seeds in which only players' moves disturb."""


class Faults:
    """The faults of one history. `only` keeps those that a shortened history has left, by their ids."""

    def __init__(
        self, chance: Chance, only: Collection[str] | None = None, kinds: Collection[str] = tuple(KINDS)
    ) -> None:
        self.struck: dict[str, None] = {}
        """The ids of the faults that have struck, in their order."""
        self.counts: Counter[str] = Counter()
        self.coverage: Counter[tuple[str, str, str]] = Counter()
        """How often each kind struck at each place: kind, call, route."""
        self.over = False
        """Nothing fails any more."""
        self._chance, self._only = chance, None if only is None else frozenset(only)
        share = chance.one_of((0.2, 0.5, 1.0), "weather")
        strength = chance.one_of((0.3, 1.0, 1.0, 3.0), "strength")
        calm = chance.number("calm") < CALM
        self.rates = {
            kind: min(1.0, RATES[kind] * (1.0 if kind in MOVES or kind in DEPLOYMENTS else strength))
            for kind in KINDS
            if kind in kinds and (kind in MOVES or (not calm and chance.number("has", kind) < share))
        }

    def strikes(self, kind: str, *name: Any) -> bool:
        """Return True if this fault strikes here. It has struck then."""
        rate = self.rates.get(kind, 0.0)
        if self.over or not rate or self._chance.number("fault", kind, *name) >= rate:
            return False
        return self._strike(kind, name)

    def at_call(self, kinds: Collection[str], *name: Any) -> str | None:
        """Return the kind of fault that strikes a call, if one does."""
        if self.over:
            return None
        drawn = self._chance.number("call", *name)
        for kind in kinds:
            rate = self.rates.get(kind, 0.0)
            if drawn < rate:
                return kind if self._strike(kind, name) else None
            drawn -= rate
        return None

    def _strike(self, kind: str, name: tuple[Any, ...]) -> bool:
        fault = f"{kind} @ {' '.join(map(str, name))}"
        if self._only is not None and fault not in self._only:
            return False
        self.struck[fault] = None
        self.counts[kind] += 1
        return True
