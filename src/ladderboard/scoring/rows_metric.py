"""The metric of a foreign scorer that knows no value of an item, but the score of any rows of the solution.

"Labels" are places in the solution; "predictions" are rows of a submission's table, whatever their columns hold.
"""

import copy
import hashlib
import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import (
    LabelsError,
    MetricUnavailableError,
    ParameterError,
    PredictionsError,
    UndefinedMetricError,
)
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._kernels.jackknives import draw_groups
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.metrics.custom.metric import GROUPS, NO_SPREAD
from ladderboard.metrics.inputs import Array, InputKind, Target

PERMUTATIONS = 50
"""Fewer than of a function of arrays, as each one takes far longer: the sd is known to a tenth."""


class RowsJudge(Protocol):
    """What scores rows."""

    def score(
        self, rows: IntArray, submission: Array, keep: IntArray | None = None, *, given: IntArray | None = None
    ) -> float:
        """The score of a submission's rows, which belong to these places of the solution; ``keep`` chooses some.

        ``given``: which row of the submission stands for each, where they are shuffled. Raises an error where there is
        no score; `MetricUnavailableError` where that is the platform's fault.
        """
        ...

    def close(self) -> None:
        """End what was started; the next call starts it again."""
        ...


class SubmittedRows(InputKind):
    """Places in a solution that only its scorer reads, and rows of submissions."""

    takes = "rows"
    description = "the rows of a file that only the scorer understands"

    def __init__(self, places: IntArray | None = None) -> None:
        self._places = places

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        """The places of all items, of which only the number is given."""
        count = len(np.asarray(labels))
        if count < 2:
            raise LabelsError(f"{count} items; at least 2 are needed")
        return Target(np.arange(count) if self._places is None or len(self._places) != count else self._places)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        rows = np.asarray(predictions)
        if len(rows) != len(target):
            raise PredictionsError(f"{len(rows)} rows for {len(target)} items; give one for each item")
        return rows

    def strata(self, target: Target) -> IntArray:
        return np.zeros(len(target), dtype=np.intp)


class RowsMetric(FunctionMetric):
    """The score by a `RowsJudge`, with the standard error of a jackknife over groups of rows.

    It is bound to a solution by `bound_to`. Its standard error without skill is the sd of scores over seeded
    permutations of ``perfect`` rows, else the standard error of the sample's score. Rows are only counted, never
    weighed: a scorer that weighs them does so itself.
    """

    def __init__(
        self,
        *,
        name: str,
        lower_is_better: bool,
        bounds: tuple[float, float],
        scale: Any,
        baseline: float | None,
        groups: int = GROUPS,
    ) -> None:
        super().__init__(
            _never_called,
            name=name,
            lower_is_better=lower_is_better,
            bounds=bounds,
            scale=scale,
            takes="numbers",
            baseline=0.0 if baseline is None else baseline,
            groups=groups,
        )
        self._baseline, self.kind = baseline, SubmittedRows()
        self._judge: RowsJudge | None = None
        self._sample: Array | None = None
        self._perfect: Array | None = None
        self._secret = b""
        self._known: list[bool] = []

    def bound_to(
        self, judge: RowsJudge, places: IntArray, *, sample: Array, perfect: Array | None, secret: bytes
    ) -> "RowsMetric":
        """The metric of one solution: the places of its items, the sample's rows and, if known, perfect ones.

        ``secret``: a hash of the solution, which nobody can spread differences evenly over the groups without.
        """
        bound = copy.copy(self)
        bound.kind, bound._judge, bound._secret = SubmittedRows(places), judge, secret
        bound._known = []
        bound._sample, bound._perfect = np.empty_like(sample), None if perfect is None else np.empty_like(perfect)
        bound._sample[places] = sample
        if perfect is not None and bound._perfect is not None:
            bound._perfect[places] = perfect
        return bound

    @property
    def judge(self) -> RowsJudge:
        assert self._judge is not None, "it was bound to a solution"
        return self._judge

    def with_positive(self, positive: Any) -> "RowsMetric":
        raise ParameterError("a scorer of its own kind knows itself what is positive; leave positive out")

    def trusting_classes(self) -> "RowsMetric":
        return self

    def for_classes(self, classes: tuple[Any, ...]) -> "RowsMetric":
        return self

    def rehearse(self, labels: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
        target = self.kind.read_labels(labels)
        try:
            found = self.judge.score(target.values, np.asarray(predictions))
        except MetricUnavailableError:
            raise
        except Exception as problem:
            raise ParameterError(str(problem)) from problem
        score = self._check_score(found)
        if score is None:
            raise ParameterError(f"it gave {found!r}; a finite number within {self.bounds} is needed")
        return score

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        if w is None:
            return self._ask(y, p)
        return self._ask(y, p, np.repeat(np.arange(len(y)), self._counts(w)))

    def compute_baseline(self, y: Array) -> Array | float:
        return self._baseline if self._baseline is not None else self._get_sample(y)

    def labels_as_predictions(self, y: Array) -> Array:
        """Perfect rows where they are known and can be scored; else the sample's."""
        if self._perfect is None or not self._can_score_perfect(y):
            return self._get_sample(y)
        return self._perfect[y]

    def _can_score_perfect(self, y: Array) -> bool:
        """Whether the solution's own rows are a submission: a label is not always written as its prediction."""
        if not self._known:
            try:
                assert self._perfect is not None, "asked where there are some"
                self._ask(y, self._perfect[y])
                self._known.append(True)
            except UndefinedMetricError:
                self._known.append(False)
        return self._known[0]

    def compute_null_standard_error(self, y: Array) -> float:
        found = self._shuffle(y) or self._jackknife_sample(y)
        if not found:
            raise ParameterError(
                "neither shuffled labels nor the sample tell how much scores without skill vary; give a sample whose "
                "rows differ, or the bounds of the score"
            )
        return found

    def _shuffle(self, y: Array) -> float:
        """The sd of the scores of shuffled perfect rows; 0 where there are none or all score the same."""
        if self._perfect is None or not self._can_score_perfect(y):
            return self._worst_case(y)
        rng, perfect = np.random.default_rng(PERMUTATIONS), self._perfect[y]
        try:
            scores = [self._ask(y, perfect, given=rng.permutation(len(y))) for _ in range(PERMUTATIONS)]
        except UndefinedMetricError:
            return 0.0
        found = float(np.std(scores, ddof=1))
        return found if found > NO_SPREAD * max(1e-300, abs(float(np.mean(scores)))) else 0.0

    def _worst_case(self, y: Array) -> float:
        """Of items at either bound half of the time."""
        width = self.bounds[1] - self.bounds[0]
        return width / (2 * math.sqrt(len(y))) if math.isfinite(width) else 0.0

    def _jackknife_sample(self, y: Array) -> float:
        values = self.compute_contributions(y, self._get_sample(y))
        return float(np.std(values, ddof=1) / math.sqrt(len(values)))

    def _get_sample(self, y: Array) -> Array:
        assert self._sample is not None, "it was bound to a solution"
        return np.asarray(self._sample[y])

    def _draw_groups(self, units: int, y: Array) -> list[IntArray]:
        seed = hashlib.blake2b(np.ascontiguousarray(y).tobytes(), digest_size=16, key=self._secret[:64])
        return draw_groups(units, self._groups, np.frombuffer(seed.digest(), dtype=np.uint8))

    def _change(
        self, y: Array, p: Array, w: FloatArray | None, *, is_inside: npt.NDArray[np.bool_], score: float
    ) -> float:
        if w is not None:
            return super()._change(y, p, w, is_inside=is_inside, score=score)
        # The whole table is sent once, and then only which rows are left.
        return (score - self._ask(y, p, np.flatnonzero(~is_inside))) * (1 - float(is_inside.mean()))

    def _ask(self, y: Array, p: Array, keep: IntArray | None = None, *, given: IntArray | None = None) -> float:
        return self._check(lambda: self.judge.score(y, p, keep, given=given))


def read_options(given: Any) -> Mapping[str, Any]:
    """The options of a scorer, [metric.options]; raises `ParameterError`."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ParameterError("options must be a table: write [metric.options] on a line of its own, its keys below")
    return given


def _never_called(labels: Any, predictions: Any) -> float:  # noqa: ARG001 (as functions of arrays are called)
    raise AssertionError("the judge is asked")
