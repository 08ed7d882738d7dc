"""Honest streams through mechanisms: how far a board is from the truth when nobody attacks it."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.attack_runs import Status
from ladderboard_lab.participant import Array
from ladderboard_lab.problems.streams import Stream

NOTHING_YET = 0.5
"""The true loss of the baseline on fair labels, which stands on the board until something is accepted."""


@dataclass(frozen=True)
class HonestResult:
    """How one mechanism showed one stream.

    ``mean_error`` and ``leaderboard_error`` are the mean and the largest distance between a team's number and its best
    true loss so far, over all submissions. ``lag`` is the mean number of a team's submissions that are truly better
    than the one the board stands by. ``kendall_tau`` compares the final order of several teams with the true one.
    """

    status: Status
    reason: str = ""
    mean_error: float | None = None
    leaderboard_error: float | None = None
    lag: float | None = None
    accepts: int = 0
    kendall_tau: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def show_stream(stream: Stream, mechanisms: Mapping[str, "lb.Mechanism"], *, seed: int) -> dict[str, HonestResult]:
    """The same stream through every mechanism, so that they can be compared pair by pair."""
    boards = {name: _WatchedBoard(stream, mechanism, seed) for name, mechanism in mechanisms.items()}
    for index, predictions in enumerate(stream.submissions()):
        for board in boards.values():
            board.submit(index, predictions)
    return {name: board.result() for name, board in boards.items()}


@dataclass
class _Team:
    """A team as the truth sees it: its losses so far, which of them the board stands by, and the number shown."""

    losses: list[float] = field(default_factory=list)
    standing: float = NOTHING_YET
    shown: float | None = None


class _WatchedBoard:
    def __init__(self, stream: Stream, mechanism: "lb.Mechanism", seed: int) -> None:
        self._stream = stream
        self._teams = [_Team() for _ in range(int(stream.teams.max()) + 1)]
        self._errors: list[float] = []
        self._lags: list[int] = []
        self._accepts = 0
        self._status: Status = "ok"
        self._reason = ""
        try:
            self._board = lb.Leaderboard(stream.labels, mechanism=mechanism, seed=seed)
        except lb.InputError as refusal:
            self._refuse(refusal)

    def submit(self, index: int, predictions: Array) -> None:
        if self._status == "refused":
            return
        number = int(self._stream.teams[index])
        team, loss = self._teams[number], float(self._stream.true_losses[index])
        team.losses.append(loss)
        try:
            release = self._board.submit(str(number), predictions)
            team.shown = release.board_value
            team.standing = loss if release.accepted else team.standing
            self._accepts += release.accepted
        except lb.HoldoutSpentError:
            self._status = "spent"  # what the board showed last stays on it
        except lb.InputError as refusal:
            self._refuse(refusal)
        self._compare(team)

    def result(self) -> HonestResult:
        if self._status == "refused" or not self._errors:
            return HonestResult("refused", self._reason or "no number was told")
        return HonestResult(
            self._status,
            mean_error=float(np.mean(self._errors)),
            leaderboard_error=float(np.max(self._errors)),
            lag=float(np.mean(self._lags)),
            accepts=self._accepts,
            kendall_tau=self._agreement() if len(self._teams) > 1 else None,
        )

    def _compare(self, team: _Team) -> None:
        if team.shown is not None:
            self._errors.append(abs(team.shown - min(team.losses)))
            self._lags.append(sum(loss < team.standing for loss in team.losses))

    def _agreement(self) -> float | None:
        """Kendall's τ_b of the teams with a number; None where they have no order: equally good, or shown so."""
        from scipy.stats import kendalltau

        pairs = [(team.shown, min(team.losses)) for team in self._teams if team.shown is not None]
        if len(pairs) < 2:
            return None
        tau = float(kendalltau(*zip(*pairs, strict=True)).statistic)
        return tau if math.isfinite(tau) else None

    def _refuse(self, refusal: "lb.InputError") -> None:
        self._status, self._reason = "refused", str(refusal)
