"""An in-memory leaderboard of several teams."""

import os
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.notebook import make_table
from ladderboard.core.randomness import derive_generator, secret_from_seed
from ladderboard.core.records import BASELINE, Evaluation, Leakage, Release, Standing, State, repeat_release
from ladderboard.guard.alignment import Alignment
from ladderboard.mechanisms import make_mechanism
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.outcomes import tell_outcome
from ladderboard.mechanisms.rungs import RUNGS, RungBoard, find_state, rungs_leakage, start_rungs, step_rungs
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey, fingerprint
from ladderboard.metrics.base import Metric
from ladderboard.metrics.positive import choose_positive

Instances = Literal["team", "rank"]


class Standings(list[Standing]):
    """The rows of a board, best first: a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        header = ("rank", "team", "score", "attempts")
        return make_table(((row.rank, row.team, row.value, row.attempts) for row in self), header=header)


class Leaderboard:
    """A leaderboard of several teams on one holdout, with one mechanism instance per team or per rank.

    Parameters
    ----------
    labels, metric, weight, group, positive
        As for `Holdout`.
    mechanism
        The mechanism or its name; the Witness Ladder unless said otherwise.
    instances
        ``"team"``: each team has its own instance. ``"rank"``: one instance per rank (see `mechanisms.rungs`); a
        submission that beats no rung gets no number.
    ranks
        K, the number of rungs with ``instances="rank"``.
    remembers_repeats
        Whether the same predictions of a team again get the stored release and spend nothing. ``False`` scores them
        anew, as the papers' mechanisms do; the laboratory uses it to show what fresh noise gives away.
    seed
        Makes the secret split and all noise repeatable; without it they come from the system's randomness.

    >>> labels = [0, 1] * 200
    >>> board = Leaderboard(labels, metric="accuracy", seed=7)
    >>> board.submit("ours", labels[:320] + [0] * 80).improved
    True
    >>> board.submit("theirs", [1] * 400).improved
    False
    >>> [(standing.rank, standing.team, standing.value) for standing in board.standings()]
    [(1, 'ours', 0.902), (2, 'theirs', 0.503)]
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        metric: str | Metric = "error_rate",
        mechanism: str | type[Mechanism] | Mechanism | None = None,
        *,
        instances: Instances = "team",
        ranks: int = RUNGS,
        weight: npt.ArrayLike | None = None,
        group: npt.ArrayLike | None = None,
        remembers_repeats: bool = True,
        seed: int | None = None,
        positive: Any = None,
    ) -> None:
        if instances not in ("team", "rank"):
            raise ParameterError(f'instances is {instances!r}; it must be "team" or "rank"')
        self.mechanism = make_mechanism(mechanism)
        values, self._order = Alignment.read(labels)
        chosen = choose_positive(find_metric(metric), values, positive)
        self._key = AnswerKey(values, chosen, **self._order.arrange_beside(weight=weight, group=group))
        self._secret = os.urandom(32) if seed is None else secret_from_seed(seed)
        self._remembers_repeats = remembers_repeats
        self._attempts = 0
        self._entrants: dict[str, _Entrant] = {}
        self._incumbents: dict[str, Evaluation] = {BASELINE: self._key.baseline}
        # The same generator for every instance, so that all share one secret split.
        self._start = self.mechanism.start(self._key.baseline, self._setup_rng())
        self._rungs = self._start_rungs(ranks) if instances == "rank" else None

    def submit(self, team: str, predictions: npt.ArrayLike, *, training_score: float | None = None) -> Release:
        """Score one submission. The same predictions again return the stored release and spend nothing."""
        p = self._key.read(
            self._order.arrange(predictions, classes=self._key.class_columns or self._order.columns).values
        )
        entrant = self._entrants.setdefault(team, _Entrant(self._start))
        same = fingerprint(p)
        if self._remembers_repeats and same in entrant.releases:
            return self._repeat(team, entrant, same)
        candidate = self._key.evaluate(p, submission=f"{self._attempts + 1}", training_score=training_score)
        rng = derive_generator(self._secret, "noise", team, entrant.state.attempts + 1)
        before = find_state(self._rungs or entrant.state, team).released
        release = self._tell_outcome(self._judge(team, entrant, candidate, rng), before)
        self._attempts += 1
        entrant.releases[same] = (candidate.submission, release)
        if release.accepted:
            entrant.last_improvement = self._attempts
        return release

    def standings(self) -> list[Standing]:
        """List the board, best first; equal values share a rank, and the earlier is listed first.

        A board that shows no scores lists its teams by name.
        """
        if not self.mechanism.shows_scores:
            silent = sorted(self._entrants.items())
            return Standings(Standing(None, team, None, one.state.attempts, 0) for team, one in silent)
        return Standings(self._team_standings() if self._rungs is None else self._rung_standings(self._rungs))

    @property
    def leakage(self) -> dict[str, Leakage]:
        """The information released by each instance: by team, or under ``"board"`` for the whole board."""
        yardstick = self._key.yardstick
        if self._rungs is not None:
            return {"board": rungs_leakage(self.mechanism, self._rungs, yardstick)}
        return {team: self.mechanism.leakage(one.state, yardstick) for team, one in self._entrants.items()}

    def _repeat(self, team: str, entrant: "_Entrant", same: bytes) -> Release:
        """The answer to predictions that were scored before: theirs, with the board of today."""
        submission, release = entrant.releases[same]
        state = find_state(self._rungs or entrant.state, team)
        interval = self.mechanism.tell_interval(state, self._key.yardstick)
        return self._tell_outcome(repeat_release(release, submission, state, interval), state.released)

    def _tell_outcome(self, release: Release, before: float | None) -> Release:
        lower_is_better = self._key.metric.lower_is_better
        return tell_outcome(release, before=before, mechanism=self.mechanism, lower_is_better=lower_is_better)

    def _judge(self, team: str, entrant: "_Entrant", candidate: Evaluation, rng: np.random.Generator) -> Release:
        if self._rungs is None:
            incumbent = self._incumbents[entrant.state.incumbent]
            entrant.state, release = self.mechanism.step(
                entrant.state, candidate, incumbent, rng, proven=self._incumbents[entrant.state.proof.submission]
            )
        else:
            held = [self._incumbents[rung.state.incumbent] for rung in self._rungs.rungs]
            proven = self._incumbents[self._rungs.find_proof(team).submission]
            self._rungs, release = step_rungs(
                self.mechanism, self._rungs, candidate, held, rng, team=team, proven=proven
            )
            entrant.state = replace(entrant.state, attempts=entrant.state.attempts + 1)
        if release.accepted or entrant.state.incumbent == candidate.submission:
            self._incumbents[candidate.submission] = candidate
            self._forget_replaced_incumbents()
        return release

    def _forget_replaced_incumbents(self) -> None:
        """Drop the arrays of replaced incumbents, so that memory grows with teams and not with submissions."""
        states = [one.state for one in self._entrants.values()]
        states += [] if self._rungs is None else [rung.state for rung in self._rungs.rungs]
        proofs = [state.proof for state in states] + ([] if self._rungs is None else [*self._rungs.proofs.values()])
        standing = {BASELINE} | {state.incumbent for state in states} | {proof.submission for proof in proofs}
        self._incumbents = {name: kept for name, kept in self._incumbents.items() if name in standing}

    def _team_standings(self) -> list[Standing]:
        loss = self._key.yardstick.loss
        numbered = [(team, one, one.state.released) for team, one in self._entrants.items()]
        rows = [
            (loss(value), one.last_improvement, team, one, value) for team, one, value in numbered if value is not None
        ]
        rows.sort(key=lambda row: row[:3])
        best_first = [row[0] for row in rows]
        return [
            Standing(best_first.index(lost) + 1, team, value, one.state.attempts, last)
            for lost, last, team, one, value in rows
        ]

    def _rung_standings(self, board: RungBoard) -> list[Standing]:
        rows: list[Standing] = []
        for index, rung in enumerate(board.rungs):
            if rung.team is None or rung.state.released is None:
                continue
            one, value = self._entrants[rung.team], rung.state.released
            rank = rows[-1].rank if rows and rows[-1].value == value else index + 1
            rows.append(Standing(rank, rung.team, value, one.state.attempts, one.last_improvement))
        return rows

    def _setup_rng(self) -> np.random.Generator:
        return derive_generator(self._secret, "split")

    def _start_rungs(self, ranks: int) -> RungBoard:
        return start_rungs(self.mechanism, self._key.baseline, self._setup_rng(), ranks=ranks)


@dataclass
class _Entrant:
    """The board's record of one team."""

    state: State
    last_improvement: int = 0
    releases: dict[bytes, tuple[str, Release]] = field(default_factory=dict)
    """What was answered to each prediction, with the id of its submission."""
