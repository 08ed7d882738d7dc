"""The records of the core: Yardstick, Subset, Evaluation, Release, State, Budget, Leakage, Standing.

    predictions → metric → Evaluation → mechanism → (State, Release) → Standing

All are frozen. A `Release` is everything that may ever leave the holdout; an `Evaluation` never leaves it.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.scales import Grid, Scale

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

PairedTest = Literal["mcnemar", "z", "t"]
"""How two submissions are compared: exact binomial for 0/1 losses, normal (DeLong) for AUC, Student's t otherwise."""

BASELINE = "baseline"
"""The submission id under which the public baseline is the first incumbent."""


@dataclass(frozen=True)
class Yardstick:
    """The scale of a holdout: its independent units and the standard error of a score.

    ``units`` is n: the number of items, or of groups where items come in groups. ``null_standard_error`` is the
    standard error of a score without skill; ``baseline_score`` the score of the public baseline.
    """

    metric: str
    units: int
    lower_is_better: bool
    bounds: tuple[float, float]
    scale: Scale
    paired_test: PairedTest
    baseline_score: float
    null_standard_error: float
    hoeffding_units: float | None = None
    """n in Hoeffding's inequality for the score: units that count alike; None where nothing is proven."""

    @property
    def smallest_standard_error(self) -> float:
        """SE_min, a tenth of the null standard error: no step shrinks below a multiple of it."""
        return self.null_standard_error / 10

    def grid(self, fraction: float) -> Grid:
        """The numbers that may be released, ``fraction`` null standard errors apart on the metric's scale."""
        return Grid.around(
            self.baseline_score,
            scale=self.scale,
            standard_error=self.null_standard_error,
            fraction=fraction,
            bounds=self.bounds,
        )

    def loss(self, score: float) -> float:
        """The score as a loss: lower is better."""
        return score if self.lower_is_better else -score

    def score(self, loss: float) -> float:
        """The inverse of `loss`."""
        return loss if self.lower_is_better else -loss

    def is_better(self, score: float, than: float) -> bool:
        return self.loss(score) < self.loss(than)

    def interval(self, value: float) -> tuple[float, float]:
        """A 95 % interval from released numbers alone. It ignores selection among submissions.

        Wilson's interval of (value, n) for a mean of 0/1 losses, else ± 1.96 null standard errors on the scale.
        """
        if self.paired_test == "mcnemar":
            return _wilson(value, self.units)
        grid = self.grid(1.0)
        return grid.shift(value, -1.96), grid.shift(value, 1.96)


def _wilson(proportion: float, n: int, z: float = 1.959964) -> tuple[float, float]:
    centre = (proportion + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    decimals = math.ceil(math.log10(n)) + 1
    return round(max(0.0, centre - half), decimals), round(min(1.0, centre + half), decimals)


@dataclass(frozen=True, eq=False)
class Subset:
    """A subset of a holdout's units, by ascending index. Compared by identity, so that work can be cached."""

    units: IntArray


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a mechanism sees of a submission: scores computed from the labels, never the labels.

    Everything is computed when first asked for and then remembered. ``score`` and ``contributions`` are in the
    metric's natural direction, ``loss`` and ``losses`` are lower-is-better.
    """

    submission: str
    yardstick: Yardstick
    compute_score: Callable[[], float] = field(repr=False)
    compute_contributions: Callable[[], FloatArray] = field(repr=False)
    compute_replicates: Callable[[FloatArray], FloatArray] = field(repr=False)
    restrict: Callable[[Subset], "Evaluation"] = field(repr=False)
    split_units: Callable[[int, float], tuple[Subset, Subset]] = field(repr=False)
    takes_real_weights: bool = True
    """False where `replicates` can only count items (resampling), not weigh them."""
    training_score: float | None = None

    @cached_property
    def score(self) -> float:
        return self.compute_score()

    @cached_property
    def contributions(self) -> FloatArray:
        """n values whose mean is the score and whose sd/√n is its standard error."""
        return self.compute_contributions()

    @property
    def loss(self) -> float:
        return self.yardstick.loss(self.score)

    @cached_property
    def losses(self) -> FloatArray:
        """The vector l of the papers: the contributions, lower is better."""
        return self.contributions if self.yardstick.lower_is_better else -self.contributions

    @cached_property
    def spread(self) -> float:
        """sd(l), with ddof = 1."""
        return float(np.std(self.contributions, ddof=1))

    def replicates(self, weights: FloatArray) -> FloatArray:
        """The scores under ``weights`` (replicates × units)."""
        return self.compute_replicates(weights)

    def on(self, subset: Subset) -> "Evaluation":
        """The metric evaluated on those units alone, as if there were no others."""
        if subset not in self._parts:
            self._parts[subset] = self.restrict(subset)
        return self._parts[subset]

    def split(self, seed: int, fraction: float) -> tuple[Subset, Subset]:
        """The secret split that ``seed`` stands for: the same for every submission to this holdout."""
        return self.split_units(seed, fraction)

    @cached_property
    def _parts(self) -> dict[Subset, "Evaluation"]:
        return {}


@dataclass(frozen=True)
class Release:
    """Everything shown of one attempt; numbers are in the metric's natural direction.

    ``value`` is what this attempt was told and ``board_value`` what the board shows now (``None``: no number yet).
    ``accepted``: the gate passed. ``improved``: the word to trust. ``interval``: 95 %, from released numbers only; it
    ignores selection.
    """

    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool
    attempt: int
    interval: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        # Several times for each attempt: asdict would copy every value, all of which are plain.
        return dict(vars(self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Release":
        interval = record["interval"]
        return cls(**{**record, "interval": None if interval is None else (interval[0], interval[1])})


@dataclass(frozen=True)
class State:
    """A mechanism's memory between attempts; small, and unchanged by a round trip through JSON.

    ``released`` is the number on the board, ``incumbent`` the id of the accepted submission; ``memory`` holds what only
    one mechanism needs (the seed of a secret split, a noisy threshold), named in that mechanism's docstring.
    """

    attempts: int = 0
    accepts: int = 0
    released: float | None = None
    incumbent: str = BASELINE
    memory: Mapping[str, float] = field(default_factory=dict)

    def with_memory(self, **changes: float) -> "State":
        return replace(self, memory={**self.memory, **changes})

    def to_json(self) -> str:
        # Once per attempt: asdict would copy every value, which takes as long as scoring a thousand items.
        return json.dumps({**vars(self), "memory": dict(self.memory)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "State":
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Budget:
    """A mechanism's budget: how many answers it gives in total, and how many it has given.

    ``used`` is None while the releases do not tell it: a count that says more than they do would be one more answer.
    """

    total: int
    used: int | None
    is_spent: bool

    @property
    def left(self) -> int | None:
        return None if self.used is None else max(0, self.total - self.used)

    def to_dict(self) -> dict[str, Any]:
        return {"total": self.total, "used": self.used, "left": self.left, "is_spent": self.is_spent}


@dataclass(frozen=True)
class Leakage:
    """The information a holdout has released so far.

    ``bits`` bounds the information in the transcript (``None``: not counted, for mechanisms that answer with noise).
    ``overfit_bound``: with probability 1 − ``delta`` no submission's score on the holdout is further than this from its
    true score; ``None`` where the bits are not counted, or no such bound is proven for the metric (it is for means of
    bounded losses, for AUC and for balanced accuracy).
    """

    attempts: int
    accepts: int
    bits: float | None
    overfit_bound: float | None
    delta: float = 0.05


@dataclass(frozen=True)
class Standing:
    """A row of a board, from scores shown only. Equal values share a rank (1, 2, 2, 4).

    ``rank`` and ``value`` are None on a board that shows no scores.
    """

    rank: int | None
    team: str
    value: float | None
    attempts: int
    last_improvement: int
    """The board-wide number of the attempt that last changed the value; orders the display of ties."""
