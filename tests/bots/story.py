"""Whole tournaments as eight players would see them, made from the rules alone."""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from bots.referee import Recorded
from wordle_tournament import words
from wordle_tournament.delivery import views
from wordle_tournament.protocol import messages
from wordle_tournament.protocol.messages import Message
from wordle_tournament.rules import duel as duel_rules
from wordle_tournament.rules import tournament as rules
from wordle_tournament.rules.player import Player
from wordle_tournament.rules.tournament import Entrant, Timing, Tournament
from wordle_tournament.store import LiveDuel, Versioned

NOW_MS = 1_700_000_000_000
LANGUAGE = "en"
NAMES = "abcdefgh"
CONNECTED = {name: Versioned(Player(name, "0" * 64, name.upper(), NOW_MS, connection_id=name), 1) for name in NAMES}


@dataclass
class Story:
    """A tournament by chance, with every frame sent to everybody."""

    rng: random.Random
    leaving: float = 0.0
    frames: list[Recorded] = field(default_factory=list)
    now_ms: int = NOW_MS
    version: int = 0
    duel_versions: dict[str, int] = field(default_factory=dict)

    def play(self) -> list[Recorded]:
        entrants = [Entrant(name, name.upper(), self.rng.randrange(900, 1100)) for name in NAMES]
        for listener, entrant in enumerate(entrants):
            self._send(listener, self._welcome(entrant))
        tournament, duels = rules.start("t", LANGUAGE, entrants, Timing(), self._draw, self.rng, self.now_ms)
        while not tournament.over:
            self._send_tournament(tournament)
            for duel in duels:
                self._send_duel(duel)
            tournament, duels = self._round(tournament, duels)
            before = rules.standings(tournament)
            tournament, duels = rules.settle(tournament, duels, Timing(), self._draw, self.rng, self.now_ms)
            fixed = {one.player_id for one in rules.standings(tournament) if one.place is not None}
            self._send_results(tournament, fixed - {one.player_id for one in before if one.place is not None})
        self._send_tournament(tournament)
        return self.frames

    def _round(
        self, tournament: Tournament, opened: tuple[duel_rules.Duel, ...]
    ) -> tuple[Tournament, tuple[duel_rules.Duel, ...]]:
        duels = {duel.duel_id: duel for duel in opened}
        self.now_ms = tournament.round.starts_at_ms
        while running := [duel for duel in duels.values() if not duel.over]:
            duel = self.rng.choice(running)
            if self.rng.random() < self.leaving:
                leaver = self.rng.choice(rules.players_in(tournament))
                tournament, changed = rules.leave(tournament, tuple(duels.values()), leaver, self.now_ms)
                duels |= {duel.duel_id: duel for duel in changed}
                told = [duel for duel in changed if duel.over]
                self._send_tournament(tournament)
            else:
                told = [self._turn(duel)]
            for duel in told:
                duels[duel.duel_id] = duel
                self._send_duel(duel)
        return tournament, tuple(duels.values())

    def _turn(self, duel: duel_rules.Duel) -> duel_rules.Duel:
        draw = self.rng.random()
        if draw < 0.2:
            self.now_ms = max(self.now_ms, duel.deadline_ms)
            return duel_rules.skip(duel, duel.turn, self.now_ms, 0)
        word = duel.word if draw < 0.4 else self.rng.choice(words.guesses(LANGUAGE, len(duel.word)))
        received_ms = duel.deadline_ms - 1
        self.now_ms = max(self.now_ms, received_ms)
        return duel_rules.guess(duel, str(duel.to_move), duel.turn, word, received_ms, self.now_ms)

    def _draw(self, length: int, used: Collection[str]) -> str:
        return words.draw_answer(LANGUAGE, length, used, self.rng)

    def _send_tournament(self, tournament: Tournament) -> None:
        self.version += 1
        view = views.tournament(Versioned(tournament, self.version), CONNECTED)
        self._send_all(messages.TournamentChanged(now_ms=self.now_ms, tournament=view))

    def _send_duel(self, duel: duel_rules.Duel) -> None:
        version = self.duel_versions[duel.duel_id] = self.duel_versions.get(duel.duel_id, 0) + 1
        view = views.duel(LiveDuel(duel, version, None, {}, frozenset()))
        self._send_all(messages.DuelChanged(now_ms=self.now_ms, duel=view))

    def _send_results(self, tournament: Tournament, players: set[str]) -> None:
        for standing in rules.standings(tournament):
            if standing.player_id in players and standing.place is not None and standing.rating_change is not None:
                entrant = tournament.entrant(standing.player_id)
                result = messages.Result(
                    now_ms=self.now_ms,
                    tournament_id=tournament.tournament_id,
                    place=standing.place,
                    rating_change=standing.rating_change,
                    rating=entrant.rating + standing.rating_change,
                )
                self._send(NAMES.index(standing.player_id), result)

    def _welcome(self, entrant: Entrant) -> messages.Welcome:
        you = messages.You(player_id=entrant.player_id, nickname=entrant.nickname, rating=entrant.rating, games=0)
        timing = messages.Timing(intro_seconds=6, turn_seconds=30, reconnect_seconds=60)
        return messages.Welcome(now_ms=self.now_ms, you=you, timing=timing, languages=[LANGUAGE])

    def _send_all(self, message: Message) -> None:
        for listener in range(len(NAMES)):
            self._send(listener, message)

    def _send(self, listener: int, message: Message) -> None:
        self.frames.append(Recorded(listener, message.model_dump_json(exclude_none=True)))


def story(seed: int, leaving: float = 0.0) -> list[Recorded]:
    """The frames of one tournament."""
    return Story(random.Random(seed), leaving).play()


def stories() -> Iterator[list[Recorded]]:
    """Tournaments with and without leavers."""
    for seed in range(12):
        yield story(seed, leaving=0.02 * (seed % 3))
