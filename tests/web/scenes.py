"""Snapshots in which each screen of the page can be seen: what `welcome` holds besides the player."""

from typing import Any

from tests.web.fake_server import ME, NAMES, now_ms

Scene = dict[str, Any]
MARKS = {"G": "correct", "Y": "present", "-": "absent"}


def row(player: str, word: str = "", marks: str = "") -> Scene:
    """A row of the board; without a word it was skipped."""
    return {"player_id": player, **({"word": word} if word else {}), "marks": [MARKS[each] for each in marks]}


def people(**changes: Scene) -> list[Scene]:
    """Eight players of a tournament; changes by player."""
    names = ["Merry Badger", *NAMES]
    return [
        {"player_id": f"p{i}", "nickname": name, "rating": 990 + 5 * i, "lives": 3, "fate": "in"}
        | changes.get(f"p{i}", {})
        for i, name in enumerate(names)
    ]


def tournament(**more: Any) -> Scene:
    """A tournament in its second round."""
    pairs = [(ME, "p6"), ("p1", "p2"), ("p3", "p4"), ("p5", "p7")]
    return {
        "tournament_id": "t", "version": 1, "language": "en", "players": people(p3={"lives": 2}, p6={"lives": 1}),
        "round": 2, "starts_at_ms": now_ms() - 60_000, "over": False, "leavers": [],
        "matches": [{"duel_id": f"d{i}", "players": pair, "length": 5} for i, pair in enumerate(pairs)],
    } | more  # fmt: skip


def duel(index: int = 0, **more: Any) -> Scene:
    """A running duel; the one of index 0 is the person's own."""
    first, second = tournament()["matches"][index]["players"]
    return {
        "duel_id": f"d{index}", "version": 1, "tournament_id": "t", "round": 2, "language": "en", "length": 5,
        "players": [{"player_id": first, "lives": 3}, {"player_id": second, "lives": 1}], "rows": [], "turn": 1,
        "to_move": first, "starts_at_ms": now_ms() - 60_000, "deadline_ms": now_ms() + 24_000, "over": False,
    } | more  # fmt: skip


ROWS = [row(ME, "crane", "-Y--Y"), row("p6"), row(ME, "river", "G--YY"), row("p6", "refer", "GG-GG")]


def over(index: int = 0, winner: str | None = "p6", **more: Any) -> Scene:
    """A duel that is over."""
    ended = {"over": True, "to_move": None, "deadline_ms": None, "word": "rebel", "ending": "solved", "winner": winner}
    return duel(index, version=9) | ended | {"display": "rebel", "rows": [*ROWS, row(ME, "rebel", "GGGGG")]} | more


OUT = {"lives": 0, "fate": "out", "place": 7, "rating_change": -18}
FINAL = people(
    p0={"lives": 2, "fate": "won", "place": 1, "rating_change": 26},
    p1={"lives": 0, "fate": "out", "place": 2, "rating_change": 18},
    p2={"lives": 0, "fate": "out", "place": 3, "rating_change": 11},
    p3={"lives": 0, "fate": "out", "place": 4, "rating_change": 4},
    p4={"lives": 0, "fate": "out", "place": 5, "rating_change": -7},
    p5={"lives": 0, "fate": "out", "place": 5, "rating_change": -8},
    p6={"lives": 0, "fate": "out", "place": 7, "rating_change": -18},
    p7={"lives": 0, "fate": "left", "place": 8, "rating_change": -26},
)


def group(size: int = 3, leader: str = ME, **changes: Scene) -> Scene:
    """A group of so many; changes by player."""
    members = [
        {"player_id": each["player_id"], "nickname": each["nickname"], "rating": each["rating"], "where": "free"}
        | {"away": False}
        | changes.get(each["player_id"], {})
        for each in people()[:size]
    ]
    return {"group_id": "g", "version": 1, "invite": "g.Qm7sVbK2xw1dYt9uRzLc0A", "leader": leader, "members": members}


def rounds() -> list[Scene]:
    """Two settled rounds."""
    duels = [
        {"duel_id": f"d{i}", "players": match["players"], "turns": 5 + i, "word": "rebel", "display": "rebel"}
        | ({"ending": "drawn"} if i == 1 else {"ending": "solved", "winner": match["players"][0]})
        for i, match in enumerate(tournament()["matches"])
    ]
    second = {"number": 2, "duels": duels[:3], "bye": "p7", "leavers": ["p5"]}
    return [{"number": 1, "duels": duels, "leavers": []}, second]


def records() -> dict[str, Scene]:
    """A record of some tournaments, the last one's results, and a board of these."""
    ratings = [1025, 1018, 1036, 1036, 1011, 1000, 1004, 1022]
    changes = [25, -7, 18, 0, -25, -11, 4, 18]
    recent = [
        {"tournament_id": f"t{i}", "at_ms": 1_796_000_000_000 + i * 3_600_000, "rating": rating}
        | {"place": {0: 3, 25: 1, 18: 2, 11: 3, 4: 4, -7: 5, -11: 6, -18: 7, -25: 8}[change], "rating_change": change}
        | {"voided": change == 0}
        | ({"language": "en" if i % 3 else "kk", "solved": [3, 2 + i % 4, 4]} if i > 1 else {})
        for i, (rating, change) in enumerate(zip(ratings, changes, strict=True))
    ]
    outcomes = ["loss", *["win"] * 4, "draw", "win"]
    parts = [
        {"player_id": f"p{i + 1}", "outcome": outcome, "points": {"win": 3.571, "loss": -3.726, "draw": 0.052}[outcome]}
        for i, outcome in enumerate(outcomes)
    ]
    players = sorted(FINAL, key=lambda each: int(each["place"]))
    table = [{key: value for key, value in each.items() if key != "away"} | {"parts": []} for each in players]
    next(each for each in table if each["player_id"] == ME)["parts"] = parts
    return {
        "profile": {"best_place": 1, "recent": recent[::-1]},
        "results": {
            "tournament_id": "t7", "language": "en", "started_at_ms": 1_796_000_000_000, "ended_at_ms": 1_796_001_000_000,
            "players": table, "ending": "finished", "rounds": rounds(),
        },
        "duel": over(winner=ME),
        "review": {"answers": 1450, "rows": [
            {"player_id": row["player_id"], "before": before, "after": after}
            for row, before, after in zip(over()["rows"], (1450, 61, 61, 9, 2), (61, 61, 9, 2, 1), strict=True)
        ]},
    }  # fmt: skip


def scenes() -> dict[str, Scene]:
    """Each screen by a name."""
    lobby_people = [
        {key: each[key] for key in ("player_id", "nickname", "rating")} | ({"away": True} if i == 2 else {})
        for i, each in enumerate(people()[:5])
    ]
    lobby = {"lobby_id": "l", "version": 1, "language": "en", "rating": 1000, "players": lobby_people, "started": False}
    mine = [{"player_id": ME, "lives": 0}, {"player_id": "p6", "lives": 1}]
    running = [over(1, "p1"), duel(2), duel(3)]
    uz = tournament(language="uz", matches=[{"duel_id": "d0", "players": (ME, "p6"), "length": 6}])
    kk = tournament(language="kk", matches=[{"duel_id": "d0", "players": (ME, "p6"), "length": 6}])
    settled = people(p0=OUT, p6={"lives": 1}, p5={"lives": 0, "fate": "left", "place": 8, "rating_change": -25})
    return {
        "home": {},
        "group": {"group": group(4, p1={"away": True}, p2={"where": "tournament"})},
        "member": {"group": group(3, "p1")},
        "lobby": {"lobby": lobby},
        "introduction": {
            "tournament": tournament(
                starts_at_ms=now_ms() + 6000, bye="p7", matches=tournament()["matches"][:3], last_round=rounds()[0]
            ),
            "duels": [],
        },
        "duel": {"tournament": tournament(), "duels": [duel(rows=ROWS, turn=5), *running]},
        "duel-uz": {
            "tournament": uz,
            "duels": [duel(language="uz", length=6, rows=[row(ME, "şaçögi", "GY--Y-")], turn=2, to_move="p6")],
        },
        "duel-kk": {"tournament": kk, "duels": [duel(language="kk", length=6, rows=[row(ME, "қалғұн", "GY--Y-")])]},
        "won": {"tournament": tournament(), "duels": [over(winner=ME), *running]},
        "out": {
            "tournament": tournament(),
            "duels": [
                over(players=mine, out=[{"player_id": ME, "best_place": 5, "worst_place": 8}]),
                *running,
            ],
        },
        "settled": {"tournament": tournament(players=settled, round=3, bye="p4", matches=[
            {"duel_id": "e1", "players": ("p1", "p6"), "length": 4}, {"duel_id": "e2", "players": ("p2", "p3"), "length": 6},
        ])},
        "out-introduction": {"tournament": tournament(
            players=settled, round=3, starts_at_ms=now_ms() + 6000, matches=tournament()["matches"][1:3], bye="p6",
            last_round=rounds()[1]), "duels": []},
        "watching": {"tournament": tournament(), "duels": [over(winner=ME), over(1, "p1"), duel(3), duel(
                     2, rows=[row("p3", "crane", "-Y--Y")], turn=2, to_move="p4")], "watching": "d2", "watched": ["d2", "d3"]},
        "bye": {"tournament": tournament(bye=ME, matches=tournament()["matches"][1:]), "duels": running},
        "over": {"tournament": tournament(over=True, ending="finished", players=FINAL, version=8, last_round=rounds()[1]), "duels": [over(winner=ME)]},
        "stopped": {"tournament": tournament(over=True, ending="stopped", version=8), "duels": []},
        "shared": {"tournament": tournament(over=True, ending="finished", players=people(
            p0={"lives": 0, "fate": "out", "place": 1, "rating_change": 21},
            p1={"lives": 0, "fate": "out", "place": 1, "rating_change": 22}), version=8), "duels": [over(winner=None, ending="drawn")]},
    }  # fmt: skip
