"""The shake-up of a board: what its public scores were worth on the private part.

Notation
--------
p_i, q_i → the public and private score of team i, higher is better; b → the slope of the least-squares line of q on p:
a lead of one point in public was worth b points in private. The interval resamples teams (percentile bootstrap); it
describes this kind of board, not one team.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

REPLICATES = 2000
TOP = 10
FEWEST_TEAMS = 3


@dataclass(frozen=True)
class TeamMove:
    """A team's two scores and ranks; ``change`` > 0: down."""

    team: str
    public: float
    private: float
    public_rank: int
    private_rank: int

    @property
    def change(self) -> int:
        return self.private_rank - self.public_rank


@dataclass(frozen=True)
class ShakeUp:
    """How the private board differs from the public one."""

    moves: tuple[TeamMove, ...] = field(repr=False)
    """In the order of the public board."""
    rank_correlation: float
    """Spearman's ρ; NaN where all scores are equal."""
    mean_change: float
    """The mean of |change| in ranks."""
    mean_drop: float
    """Public minus private score, the better one counted higher: how much scores fell."""
    slope: float
    """What a lead of one point in public was worth in private; NaN where all public scores are equal."""
    slope_interval: tuple[float, float]
    confidence: float

    @property
    def kept_top(self) -> int:
        """How many of the first ten in public are among the first ten in private."""
        return sum(move.public_rank <= TOP and move.private_rank <= TOP for move in self.moves)

    def sentence(self) -> str:
        """The finding in plain words."""
        top = min(TOP, len(self.moves))
        low, high = self.slope_interval
        return (
            f"{len(self.moves)} teams moved {self.mean_change:.1f} ranks on average (Spearman's ρ "
            f"{self.rank_correlation:.2f}); {self.kept_top} of the first {top} stayed among them. A public lead of 1 "
            f"was worth {self.slope:.2f} in private ({low:.2f} to {high:.2f}, {100 * self.confidence:g} %); scores "
            f"fell by {self.mean_drop:.4g} on average."
        )


def shake_up(
    public: npt.ArrayLike,
    private: npt.ArrayLike,
    *,
    teams: Sequence[str] | None = None,
    lower_is_better: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
) -> ShakeUp:
    """Compare the public and private scores of the same teams.

    >>> found = shake_up([0.9, 0.8, 0.7, 0.6], [0.75, 0.80, 0.65, 0.60], teams=["a", "b", "c", "d"])
    >>> [(move.team, move.change) for move in found.moves], round(found.slope, 2)
    ([('a', 1), ('b', -1), ('c', 0), ('d', 0)], 0.6)
    """
    sign = -1.0 if lower_is_better else 1.0
    first, second = sign * _read_scores(public, "public"), sign * _read_scores(private, "private")
    if first.shape != second.shape or len(first) < FEWEST_TEAMS:
        raise InputError(
            f"{len(first)} public and {len(second)} private scores; the same {FEWEST_TEAMS} teams or more are needed"
        )
    names = [str(name) for name in (teams if teams is not None else range(1, len(first) + 1))]
    if len(names) != len(first):
        raise InputError(f"{len(names)} teams for {len(first)} scores")
    ranks = [_rank(scores) for scores in (first, second)]
    moves = [
        TeamMove(name, float(sign * p), float(sign * q), int(before), int(after))
        for name, p, q, before, after in zip(names, first, second, *ranks, strict=True)
    ]
    return ShakeUp(
        moves=tuple(sorted(moves, key=lambda move: (move.public_rank, move.private_rank, move.team))),
        rank_correlation=_correlate(ranks[0], ranks[1]),
        mean_change=float(np.abs(ranks[1] - ranks[0]).mean()),
        mean_drop=float((first - second).mean()),
        slope=_fit_slope(first, second),
        slope_interval=_bootstrap_slope(first, second, confidence, seed),
        confidence=confidence,
    )


def _read_scores(scores: npt.ArrayLike, word: str) -> FloatArray:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(f"the {word} scores must be a list of finite numbers")
    return values


def _rank(scores: FloatArray) -> FloatArray:
    return np.asarray(1.0 + (scores[None, :] > scores[:, None]).sum(axis=1))


def _correlate(x: FloatArray, y: FloatArray) -> float:
    from scipy.stats import rankdata

    x, y = rankdata(x), rankdata(y)
    return float(np.corrcoef(x, y)[0, 1]) if x.std() > 0 and y.std() > 0 else float("nan")


def _fit_slope(x: FloatArray, y: FloatArray) -> float:
    centred = x - x.mean()
    spread = float(centred @ centred)
    return float(centred @ (y - y.mean()) / spread) if spread > 0 else float("nan")


def _bootstrap_slope(x: FloatArray, y: FloatArray, confidence: float, seed: int) -> tuple[float, float]:
    rows = np.random.default_rng(seed).integers(0, len(x), (REPLICATES, len(x)))
    first, second = x[rows] - x[rows].mean(axis=1, keepdims=True), y[rows]
    spread = (first**2).sum(axis=1)
    slopes = ((first * second).sum(axis=1)[spread > 0]) / spread[spread > 0]  # drawing one team only gives no line
    if not len(slopes):
        return float("nan"), float("nan")
    low, high = np.quantile(slopes, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
