"""The replay of a competition: the boards that other mechanisms would have shown for the same submissions.

The real-data experiment of Blum & Hardt (section 6) for any competition whose submissions and solution are at hand.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.analysis.probing import ProbingRun, find_probing
from ladderboard.core.errors import HoldoutSpentError, InputError, LabelsError, PredictionsError, UndefinedMetricError
from ladderboard.core.records import Evaluation, FloatArray, IntArray, PairedTest, Subset
from ladderboard.guard.leaderboard import Leaderboard
from ladderboard.inference.holm import holm
from ladderboard.inference.pairwise import p_value_of_differences
from ladderboard.mechanisms import (
    REFERENCE_MECHANISM,
    list_compared,
    make_mechanism,
    refuse_certifying,
    require_scores,
)
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.positive import choose_positive

TOP = 10
ADAPTED = (
    "The submissions were made for the board that their teams saw, and would have been others under another one: a "
    "replay shows what a mechanism does to them, not what people would have done. The laboratory plays that live: "
    "ladderboard lab attack, ladderboard lab arena."
)


@dataclass(frozen=True, eq=False)
class Submission:
    """One submission of a competition; submissions are replayed in the order of ``time``."""

    team: str
    time: Any
    predictions: Any = field(repr=False)


@dataclass(frozen=True)
class ReplayedTeam:
    """A team on one replayed board: what it shows, and what the final submission is worth on the private part."""

    team: str
    public_value: float
    public_rank: int
    private_value: float
    private_rank: int
    submissions: int
    accepted: int


@dataclass(frozen=True)
class ReplayedBoard:
    """The board of one mechanism, best public value first, and how well its ranks foretold the private ones."""

    mechanism: str
    teams: tuple[ReplayedTeam, ...]
    rank_correlation: float
    """Spearman's ρ between public and private values, over teams."""


@dataclass(frozen=True)
class TopComparison:
    """The private leader against one of the teams that follow: the two-sided paired p-value, and Holm's."""

    team: str
    private_rank: int
    p_value: float
    adjusted_p_value: float


@dataclass(frozen=True)
class Replay:
    """All boards, and the significance of the private top."""

    metric: str
    public_items: int
    private_items: int
    boards: Mapping[str, ReplayedBoard]
    leader: str
    """The best team of the private part, by the finals of the first board."""
    top: tuple[TopComparison, ...]
    """The teams behind the leader, best first."""
    probing: tuple[ProbingRun, ...] = ()
    """Runs of submissions that differ in a handful of rows."""

    def rank_changes(self, mechanism: str, other: str = REFERENCE_MECHANISM.name) -> dict[str, int]:
        """For each team its public rank under ``mechanism`` minus that under ``other`` (positive: further down)."""
        ranks = {row.team: row.public_rank for row in self.boards[other].teams}
        return {
            row.team: row.public_rank - ranks[row.team] for row in self.boards[mechanism].teams if row.team in ranks
        }

    def cautions(self) -> list[str]:
        """What a replay cannot say, and what is odd about the recorded files, a sentence each."""
        return [ADAPTED, *(run.sentence() for run in self.probing)]

    def sentence(self) -> str:
        """The finding in plain words."""
        foretold = ", ".join(f"{name} {_format(board.rank_correlation)}" for name, board in self.boards.items())
        same = sum(one.adjusted_p_value > 0.05 for one in self.top)
        return (
            f"Rank correlation of public and private board: {foretold}. "
            f"Of the {len(self.top)} teams behind the private leader, {same} cannot be told from it (Holm, α = 0.05)."
        )


def replay(
    submissions: Sequence[Submission],
    labels: npt.ArrayLike,
    metric: str | Metric,
    *,
    public: npt.ArrayLike,
    mechanisms: Sequence[str | Mechanism] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Feed all submissions to each mechanism in the order of time, one instance per team.

    ``mechanisms`` are by default full disclosure and those whose trait ``is_compared`` says so.
    ``public`` is a boolean for each item: True where the public board scores it; the others are the private part. A
    team's final submission is the last one its board accepted, or its latest where none was. ``progress`` is told how
    many submissions are done, and of how many, over all mechanisms.
    """
    if not submissions:
        raise InputError("there are no submissions to replay")
    in_order = sorted(submissions, key=lambda one: one.time)
    split = _Split.of(labels, find_metric(metric), public)
    canonical = [_read(one, split.all) for one in in_order]
    asked = [make_mechanism(one) for one in (mechanisms or list_replayed())]
    for one in asked:
        require_scores(one, "there is no board to replay")
        refuse_certifying(one, "there is no board to replay")
    told = _Count(len(in_order) * len(asked), progress)
    boards = {}
    for mechanism in asked:
        boards[mechanism.name] = _replay_one(in_order, canonical, split, mechanism, seed=seed, told=told)
    leading, finals = boards[next(iter(boards))]
    best_first = _best_first(leading)
    return Replay(
        metric=split.metric.name,
        public_items=len(split.public),
        private_items=len(split.private.units),
        boards={name: board for name, (board, _) in boards.items()},
        leader=best_first[0].team,
        top=_compare_top(best_first, [canonical[finals[row.team]] for row in best_first], split),
        probing=find_probing((one.team, one.predictions) for one in in_order),
    )


def list_replayed() -> tuple[str, ...]:
    """The mechanisms replayed by default: what platforms do, and what it is compared with."""
    return REFERENCE_MECHANISM.name, *list_compared()


@dataclass
class _Count:
    """How far the work is."""

    total: int
    progress: Callable[[int, int], None] | None
    done: int = 0

    def add_one(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _read(submission: Submission, key: AnswerKey) -> Any:
    """Read predictions in canonical form; an error names the submission."""
    try:
        return key.read(submission.predictions)
    except (InputError, UndefinedMetricError) as problem:
        raise PredictionsError(f"submission of {submission.team} at {submission.time}: {problem}") from None


@dataclass(frozen=True, eq=False)
class _Split:
    """The solution and its two parts."""

    metric: Metric
    labels: npt.NDArray[Any]
    all: AnswerKey
    public: IntArray
    private: Subset

    @classmethod
    def of(cls, labels: npt.ArrayLike, metric: Metric, public: npt.ArrayLike) -> "_Split":
        values, mask = np.asarray(labels), np.asarray(public)
        if mask.dtype != np.bool_ or mask.shape != (len(values),):
            raise LabelsError("public must hold True or False for each item of the solution")
        if not 2 <= mask.sum() <= len(mask) - 2:
            raise LabelsError("the public and the private part need two items each, at least")
        metric = choose_positive(metric, values, how="metric.with_positive(…) (on the command line --positive)")
        key = AnswerKey(values, metric)
        _refuse_unseen_classes(key, values[mask])
        return cls(metric, values, key, np.flatnonzero(mask), Subset(np.flatnonzero(~mask)))

    def evaluate_private(self, canonical: Any) -> Evaluation:
        """A submission on the private items alone; the classes are those of the whole solution."""
        return self.all.evaluate(canonical).on(self.private)


def _refuse_unseen_classes(key: AnswerKey, public_labels: npt.NDArray[Any]) -> None:
    """A board that has never seen a class would refuse submissions that predict it."""
    unseen = sorted(set(key.classes) - set(np.unique(public_labels).tolist()))
    if unseen:
        raise LabelsError(f"no public item is of class {unseen[0]!r}; every class needs one, so choose another split")


def _replay_one(
    submissions: Sequence[Submission],
    canonical: list[Any],
    split: _Split,
    mechanism: Mechanism,
    *,
    seed: int,
    told: _Count,
) -> tuple[ReplayedBoard, dict[str, int]]:
    """The board of one mechanism, and which submission is each team's final one."""
    board = Leaderboard(split.labels[split.public], split.metric, mechanism, seed=seed)
    finals: dict[str, int] = {}
    accepted: dict[str, int] = {}
    for number, one in enumerate(submissions):
        try:
            was_accepted = board.submit(one.team, np.asarray(one.predictions)[split.public]).accepted
        except HoldoutSpentError:
            was_accepted = False  # the team's board tells no more numbers: what it showed last stays
        accepted[one.team] = accepted.get(one.team, 0) + was_accepted
        if was_accepted or accepted[one.team] == 0:
            finals[one.team] = number
        told.add_one()
    shown = [(row, row.rank, row.value) for row in board.standings() if row.rank is not None and row.value is not None]
    private = {row.team: _private_score(canonical[finals[row.team]], split) for row, _, _ in shown}
    ranks = _ranks(list(private.values()), split.metric.lower_is_better)
    private_ranks = dict(zip(private, ranks, strict=True))
    rows = tuple(
        ReplayedTeam(
            team=row.team,
            public_value=value,
            public_rank=rank,
            private_value=private[row.team],
            private_rank=private_ranks[row.team],
            submissions=row.attempts,
            accepted=accepted[row.team],
        )
        for row, rank, value in shown
    )
    foretold = _spearman([row.public_value for row in rows], [row.private_value for row in rows])
    return ReplayedBoard(mechanism.name, rows, foretold), finals


def _private_score(canonical: Any, split: _Split) -> float:
    try:
        return split.evaluate_private(canonical).score
    except UndefinedMetricError:
        return float("nan")


def _best_first(board: ReplayedBoard) -> list[ReplayedTeam]:
    """The first ten of the private part, as far as they have a score there."""
    scored = [row for row in board.teams if not np.isnan(row.private_value)]
    if not scored:
        raise UndefinedMetricError("no final submission has a score on the private part")
    return sorted(scored, key=lambda row: (row.private_rank, row.team))[:TOP]


def _compare_top(best_first: Sequence[ReplayedTeam], finals: Sequence[Any], split: _Split) -> tuple[TopComparison, ...]:
    """The private leader against the next nine, on the private items."""
    losses = [split.evaluate_private(final).losses for final in finals]
    test = split.all.yardstick.paired_test
    both = [_two_sided(other - losses[0], test) for other in losses[1:]]
    adjusted = holm(both).tolist() if both else []
    return tuple(
        TopComparison(row.team, row.private_rank, p, corrected)
        for row, p, corrected in zip(best_first[1:], both, adjusted, strict=True)
    )


def _two_sided(d: FloatArray, test: PairedTest) -> float:
    return min(1.0, 2 * min(p_value_of_differences(d, test), p_value_of_differences(-d, test)))


def _ranks(values: list[float], lower_is_better: bool) -> list[int]:
    """Competition ranks (1, 2, 2, 4); NaN is last."""
    losses = np.array(values) if lower_is_better else -np.array(values)
    return [1 + int(np.sum(losses < loss)) if loss == loss else len(values) for loss in losses]  # noqa: PLR0124 (NaN)


def _format(correlation: float) -> str:
    return "undefined (all equal)" if np.isnan(correlation) else f"{correlation:.3f}"


def _spearman(first: list[float], second: list[float]) -> float:
    from scipy.stats import rankdata

    if len(first) < 2:
        return float("nan")
    x, y = rankdata(first), rankdata(second)
    if x.std() == 0 or y.std() == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
