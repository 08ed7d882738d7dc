"""The records of the core: Yardstick, Subset, Evaluation, Release, State, Budget, Leakage, Standing.

    predictions → metric → Evaluation → mechanism → (State, Release) → Standing

All are frozen. A `Release` is everything that may ever leave the holdout; an `Evaluation` never leaves it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.gains import warn_of_detectable_gain
from ladderboard.core.notebook import show_release
from ladderboard.core.precision import Z, make_interval
from ladderboard.core.scales import Grid, Scale

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

PairedTest = Literal["mcnemar", "z", "t"]
"""How two submissions are compared: exact binomial for 0/1 losses, normal (DeLong) for AUC, Student's t otherwise."""

LEVELS_UNTIL_FAILURE = 2
"""From these rules on "improved" is tested as in `ladderboard.mechanisms.proof`; before, at level α/(i(i + 1)), i the
accepts since the last proof."""
LINEAR_ARMS = 3
"""From these rules on an interval on a log scale ends z errors above the score; before, at as many on the scale."""
RULES = LINEAR_ARMS
"""The number of the rules by which a state is judged; a ledger says from which entry on it is another one."""

BESIDE = ("is_repeat", "shown_gain", "proven_gain", "outcome_name", "is_own_value")
"""What is told beside a release: it follows from other releases and public facts, and is not stored."""
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
    baseline_is_label_free: bool = False
    """Whether the baseline's score depends on no label (AUC .5, correlation 0): it is then shown exactly."""
    hoeffding_units: float | None = None
    """n in Hoeffding's inequality for the score: units that count alike; None where nothing is proven."""
    grid_centre: float | None = None
    """The score whose standard error the null one is; None: the baseline's."""
    jackknife_groups: int | None = None
    """How many groups of units contributions are estimated from; None: they are exact."""
    spread_is_open: bool = False
    """Whether a better file's losses may vary many times as much as those of a score without skill (log loss)."""

    @property
    def smallest_standard_error(self) -> float:
        """SE_min, a tenth of the null standard error: no step shrinks below a multiple of it."""
        return self.null_standard_error / 10

    def grid(self, fraction: float) -> Grid:
        """The numbers that may be released, ``fraction`` null standard errors apart on the metric's scale."""
        return Grid.around(
            self.baseline_score if self.grid_centre is None else self.grid_centre,
            scale=self.scale,
            standard_error=self.null_standard_error,
            fraction=fraction,
            bounds=self.bounds,
        )

    def published_baseline(self, fraction: float) -> float:
        """The baseline's score as it is shown: exactly where it depends on no label, else on the grid."""
        return self.baseline_score if self.baseline_is_label_free else self.grid(fraction).nearest(self.baseline_score)

    def loss(self, score: float) -> float:
        """The score as a loss: lower is better."""
        return score if self.lower_is_better else -score

    def score(self, loss: float) -> float:
        """The inverse of `loss`."""
        return loss if self.lower_is_better else -loss

    def is_better(self, score: float, than: float) -> bool:
        return self.loss(score) < self.loss(than)

    def interval(
        self, value: float, standard_error: float | None = None, *, share: float = 1.0, z: float = Z
    ) -> tuple[float, float] | None:
        """The interval of a released value with its released standard error, at 95 %; see `precision.make_interval`."""
        return make_interval(value, standard_error, self, share=share, z=z)


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
    compute_possible_losses: Callable[[], Iterator[FloatArray] | None] = field(repr=False, default=lambda: None)
    list_plausible_labels: Callable[[], Iterator[Array] | None] = field(repr=False, default=lambda: None)
    compute_losses_at: Callable[[Array], FloatArray] | None = field(repr=False, default=None)
    compute_deciding: Callable[[], "Evaluation | None"] = field(repr=False, default=lambda: None)
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

    @cached_property
    def deciding(self) -> "Evaluation":
        """The same submission under the metric that decides: the mean squared error for its root; else itself."""
        return self.compute_deciding() or self

    @property
    def worst_loss(self) -> float | None:
        """The largest loss of one item that the predictions allow, whatever its label; None for bounded losses."""
        possible = self.compute_possible_losses()
        return None if possible is None else max(float(losses.max()) for losses in possible)

    def worst_difference(self, other: "Evaluation") -> float | None:
        """The most that one item can lose more here than there; None for bounded losses.

        Whatever its label, or for labels on a continuous scale whatever lies within the largest error seen here.
        """
        here, there, labels = self.compute_losses_at, other.compute_losses_at, self.list_plausible_labels()
        if here is None or there is None or labels is None:
            return None
        return max(float((here(label) - there(label)).max()) for label in labels)

    def worst_difference_of_any_label(self, other: "Evaluation") -> float | None:
        """The same without a limit by the errors seen, as the rule of states before 2 had it."""
        here, there = self.compute_possible_losses(), other.compute_possible_losses()
        if here is None or there is None:
            return None
        return max(float((more - less).max()) for more, less in zip(here, there, strict=True))

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
    ``accepted``: the gate passed. ``improved``: proven better than the last proven entry. ``standard_error`` and the
    95 % ``interval`` belong to the entry on the board and are told with its accept; ``None`` where there is no number
    yet, or where too few items carry the score for any interval to be right. ``is_repeat``: these predictions were
    scored before, as ``attempt``, and cost nothing now. ``shown_gain`` and ``proven_gain``: the true
    gains over the score shown that the next attempt would show (accepted) and prove (improved) with 80 % power, told
    with a guard's answer; None where that cannot be said. ``outcome_name`` is one of the four words "improved",
    "new_best", "updated" and "no_change"; ``is_own_value``: ``value`` is this attempt's own number, also where it was
    rejected, because every score is shown. Guards and boards tell both. A release is neither true nor false: ask
    ``improved`` or ``accepted``.
    """

    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool
    attempt: int
    interval: tuple[float, float] | None
    standard_error: float | None = None
    is_repeat: bool = field(default=False, repr=False)
    shown_gain: float | None = field(default=None, repr=False, compare=False)
    proven_gain: float | None = field(default=None, repr=False, compare=False)
    outcome_name: str | None = field(default=None, repr=False, compare=False)
    is_own_value: bool = field(default=False, repr=False, compare=False)

    def __bool__(self) -> bool:
        raise TypeError("a release is neither true nor false; ask release.improved or release.accepted")

    @property
    def own_value(self) -> float | None:
        """The number that belongs to this attempt; None for a rejected one, which repeats another attempt's."""
        return self.value if self.accepted or self.is_own_value else None

    @property
    def detectable_gain(self) -> float | None:
        """The former name of ``shown_gain``."""
        warn_of_detectable_gain()
        return self.shown_gain

    def to_dict(self) -> dict[str, Any]:
        """Convert what was released; whether it is a repetition, and what could be seen next, is no part of it."""
        # Several times for each attempt: asdict would copy every value, all of which are plain.
        return {name: value for name, value in vars(self).items() if name not in BESIDE}

    def to_answer(self) -> dict[str, Any]:
        """Convert all that is told: what was released, and what stands beside it."""
        return dict(vars(self))

    def to_metrics(self) -> dict[str, float]:
        """All that was shown as a flat dict of floats, for experiment trackers; what is None is left out.

        ``value`` is there only where it is the attempt's own: a rejected attempt has none.

        >>> Release(0.2, 0.2, accepted=True, improved=False, attempt=3, interval=(0.1, 0.3)).to_metrics()
        {'value': 0.2, 'board_value': 0.2, 'accepted': 1.0, 'improved': 0.0, 'attempt': 3.0, 'interval_low': 0.1, \
'interval_high': 0.3}
        """
        low, high = self.interval or (None, None)
        shown = {
            **self.to_dict(),
            "value": self.own_value,
            "interval_low": low,
            "interval_high": high,
            "shown_gain": self.shown_gain,
            "proven_gain": self.proven_gain,
        }
        return {name: float(value) for name, value in shown.items() if name != "interval" and value is not None}

    def _repr_html_(self) -> str:
        return show_release(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Release":
        # A release of the first version has an interval from the baseline's standard error, which does not cover.
        interval = record["interval"] if "standard_error" in record else None
        return cls(**{**record, "interval": None if interval is None else (interval[0], interval[1])})


@dataclass(frozen=True)
class Proof:
    """The last entry for which "improved" was said: its id, its number on the board, and the accepts until then.

    Before the first such word it is the public baseline, as it is for a state of the first version, which knew none.
    """

    submission: str = BASELINE
    value: float | None = None
    accepts: int = 0


@dataclass(frozen=True)
class State:
    """A mechanism's memory between attempts; small, and unchanged by a round trip through JSON.

    ``released`` is the number on the board and ``standard_error`` its released standard error, ``incumbent`` the id of
    the accepted submission, ``proof`` the last proven one, ``failed`` how many tests of the word "improved" have failed
    so far (None: the word is tested by the rule before `LEVELS_UNTIL_FAILURE`, as in the replay of an old ledger);
    ``memory`` holds what only one mechanism needs (the seed of a secret split, a noisy threshold), named in that
    mechanism's docstring.
    """

    attempts: int = 0
    accepts: int = 0
    released: float | None = None
    incumbent: str = BASELINE
    memory: Mapping[str, float] = field(default_factory=dict)
    standard_error: float | None = None
    proof: Proof = Proof()
    failed: int | None = 0

    def with_memory(self, **changes: float) -> "State":
        return replace(self, memory={**self.memory, **changes})

    def to_json(self) -> str:
        # Once per attempt: asdict would copy every value, which takes as long as scoring a thousand items.
        return json.dumps({**vars(self), "memory": dict(self.memory), "proof": vars(self.proof)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "State":
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "State":
        """The state of a record; one written under earlier rules goes on under those of today."""
        proof = Proof(**record.get("proof", {}))
        return cls(**{**record, "proof": proof, "failed": record.get("failed")}).under(RULES)

    def under(self, rules: int) -> "State":
        """The state as it goes on under the rules of that number.

        Earlier rules spent level on every accept since the last proof: as many tests count as failed.
        """
        if rules < LEVELS_UNTIL_FAILURE:
            return replace(self, failed=None)
        return replace(self, failed=self.accepts - self.proof.accepts) if self.failed is None else self


def repeat_release(release: Release, submission: str, state: State, interval: tuple[float, float] | None) -> Release:
    """The answer to predictions that were scored before: the board of today, and "improved" only if still the proof.

    ``submission`` is the id under which they were scored, ``state`` what is remembered now.
    """
    return replace(
        release,
        board_value=state.released,
        improved=submission == state.proof.submission,
        interval=interval,
        standard_error=state.standard_error,
        is_repeat=True,
    )


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

    ``bits`` bounds the information in the transcript (``None``: it was last written before noisy answers were counted).
    ``overfit_bound``: with probability 1 − ``delta`` no submission's score on the holdout is further than this from its
    true score; ``None`` where no such bound is proven for the metric (it is for means of
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
