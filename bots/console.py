"""Print a tournament as it goes: pairings, boards, the players who are out, and the final table."""

from collections.abc import Mapping
from typing import assert_never

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from wordle_tournament import words
from wordle_tournament.protocol.messages import (
    Duel,
    DuelChanged,
    Fate,
    Mark,
    Message,
    Row,
    Tournament,
    TournamentChanged,
    TournamentEnding,
)

STYLES: Mapping[Mark, str] = {
    "correct": "bold white on dark_green",
    "present": "bold black on gold3",
    "absent": "white on grey30",
}
# For consoles without colour.
BRACKETS: Mapping[Mark, str] = {"correct": "[]", "present": "()", "absent": "  "}
MEANINGS: Mapping[Mark, str] = {
    "correct": "right place",
    "present": "elsewhere in the word",
    "absent": "not in it",
}
ROW_STYLE = "dim"


class ConsoleRenderer:
    """Render a tournament from every player's frames, given to `take` in any order. Use it as a context manager.

    On a terminal the running round is drawn again with every turn; elsewhere each round is printed when it is over.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
        self._tournament: Tournament | None = None
        self._duels: dict[str, Duel] = {}

    def __enter__(self) -> "ConsoleRenderer":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def take(self, message: Message) -> None:
        """Draw the frame's news. Pass over frames that show neither a duel nor a tournament."""
        match message:
            case DuelChanged(duel=duel):
                known = self._duels.get(duel.duel_id)
                if known is None or known.version < duel.version:
                    self._duels[duel.duel_id] = duel
                    self._draw()
            case TournamentChanged(tournament=tournament):
                before = self._tournament
                if before is None or before.version < tournament.version:
                    self._tournament = tournament
                    if before is None or before.round < tournament.round or tournament.over:
                        self._turn_page(before, tournament)
                    self._draw()
            case _:
                return

    def _turn_page(self, before: Tournament | None, now: Tournament) -> None:
        if before is not None:
            self._console.print(boards(before, self._duels, self._coloured))
            self._console.print(_changes(before, now))
        if now.over:
            self._console.print(final_table(now))
        else:
            self._console.print(pairings(now))

    def _draw(self) -> None:
        if self._live is not None and self._tournament is not None:
            picture = "" if self._tournament.over else boards(self._tournament, self._duels, self._coloured)
            self._live.update(picture, refresh=True)

    @property
    def _coloured(self) -> bool:
        return coloured(self._console)


def coloured(console: Console) -> bool:
    """Return True if the console shows the colours of marks."""
    return console.color_system is not None and not console.no_color


def legend(coloured: bool) -> RenderableType:
    """Explain the marks of letters and lives."""
    text = Text()
    for mark, meaning in MEANINGS.items():
        _append_tile(text, "a", mark, coloured)
        text.append(f" {meaning}  ")
    return text + Text("●", style="red") + Text(" life  ") + Text("○", style="red") + Text(" lost life")


def pairings(tournament: Tournament) -> RenderableType:
    """Show the head of a round: the pairs with their lives, and the player with the bye."""
    players = {player.player_id: player for player in tournament.players}
    grid = Table.grid(padding=(0, 1))
    for match in tournament.matches:
        first, second = (players[player] for player in match.players)
        grid.add_row(
            "  " + first.nickname, _lives(first.lives), "against", second.nickname, _lives(second.lives),
            f"{match.length} letters",
        )  # fmt: skip
    if tournament.bye is not None:
        bye = players[tournament.bye]
        grid.add_row("  " + bye.nickname, _lives(bye.lives), "has a bye", "", "", "")
    still_in = sum(player.fate == "in" for player in tournament.players)
    return Group("", Text(f"Round {tournament.round}, {still_in} still in", style="bold"), grid)


def boards(tournament: Tournament, duels: dict[str, Duel], coloured: bool) -> RenderableType:
    """Show the boards of a round side by side; `duels` by id."""
    names = {player.player_id: player.nickname for player in tournament.players}
    return Columns(
        [board(duels[match.duel_id], names, coloured) for match in tournament.matches if match.duel_id in duels],
        padding=(0, 2),
    )


def board(duel: Duel, names: dict[str, str], coloured: bool) -> RenderableType:
    """Show one duel: its rows with their players, oldest first, and how it ended."""
    labels = {tile.letter: tile.label for tile in words.languages()[duel.language].tiles}
    lines = [Text(" against ".join(names[player.player_id] for player in duel.players), style="bold")]
    for row in duel.rows:
        line = _tiles(row, duel.length, labels, coloured)
        line.append("  " + names[row.player_id], style=ROW_STYLE)
        lines.append(line)
    if duel.over:
        lines.append(Text(_ending(duel, names), style="italic"))
    elif duel.to_move is not None:
        lines.append(Text(f"{names[duel.to_move]} is to move", style=ROW_STYLE))
    return Panel(Text("\n").join(lines), expand=False)


def final_table(tournament: Tournament) -> Table:
    """Show places, lives and rating changes."""
    table = Table(title=_title(tournament.ending), title_style="bold", title_justify="left")
    for name in ("Place", "Player", "Lives", "Rating", "Change", "New rating"):
        table.add_column(name, justify="left" if name == "Player" else "right")
    for player in sorted(tournament.players, key=lambda one: (one.place or 0, one.nickname)):
        change = player.rating_change or 0
        table.add_row(
            "-" if player.place is None else str(player.place),
            player.nickname + _label(player.fate),
            str(player.lives),
            str(player.rating),
            "-" if player.rating_change is None else f"{change:+d}",
            str(player.rating + change),
            style="bold" if player.fate == "won" else "",
        )
    return table


def _title(ending: TournamentEnding | None) -> str:
    match ending:
        case "finished" | None:
            return "Final table"
        case "stopped":
            return "Final table: stopped by an operator"
        case "voided":
            return "Final table: voided by an operator, no rating changes"
        case _:
            assert_never(ending)


def _label(fate: Fate) -> str:
    match fate:
        case "in" | "out":
            return ""
        case "left":
            return " (left)"
        case "won":
            return " (winner)"
        case _:
            assert_never(fate)


def _tiles(row: Row, length: int, labels: dict[str, str], coloured: bool) -> Text:
    width = max(map(len, labels.values()))
    text = Text()
    if row.word is None:
        return Text("skipped".center(length * (width + 2)), style=ROW_STYLE)
    for letter, mark in zip(row.word, row.marks, strict=True):
        _append_tile(text, labels[letter].center(width), mark, coloured)
    return text


def _append_tile(text: Text, label: str, mark: Mark, coloured: bool) -> None:
    if coloured:
        text.append(f" {label} ", style=STYLES[mark])
    else:
        text.append(BRACKETS[mark][0] + label + BRACKETS[mark][1])


def _ending(duel: Duel, names: dict[str, str]) -> str:
    winner = names.get(duel.winner or "", "")
    word = duel.display or duel.word
    match duel.ending:
        case "solved":
            return f"{winner} wins: {word}"
        case "drawn":
            return f"Drawn, both lose a life: {word}"
        case "forfeited":
            return f"{winner} wins, the other has left: {word}"
        case None:
            return f"Stopped by an operator, nobody loses a life: {word}"
        case _:
            assert_never(duel.ending)


def _changes(before: Tournament, now: Tournament) -> Text:
    """List the players who have gone out or left since the round before."""
    was_in = {player.player_id for player in before.players if player.fate == "in"}
    lines = [
        f"  {player.nickname} {'has left' if player.fate == 'left' else 'is out'}: place {player.place}"
        for player in now.players
        if player.player_id in was_in and player.fate in ("out", "left")
    ]
    return Text("\n".join(lines), style="red")


def _lives(count: int) -> Text:
    return Text("●" * count + "○" * (3 - count), style="red")
