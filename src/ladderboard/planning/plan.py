"""The plan for a test set before a competition opens: mechanism, number of submissions, public part."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.core.records import Evaluation
from ladderboard.guard.warnings import estimate_entry_power
from ladderboard.inference.power import ENOUGH_POWER
from ladderboard.mechanisms import DEFAULT_MECHANISM, make_mechanism, refuse_certifying, require_scores
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array, Numbers, Survival
from ladderboard.metrics.positive import choose_positive
from ladderboard.planning.detectable import DetectableGain, list_detectable_gains
from ladderboard.planning.natural_analysts import NaturalAnalysts, count_natural_analysts
from ladderboard.planning.notebook import show_plan
from ladderboard.planning.ordering import describe_fair_size
from ladderboard.planning.public_split import PublicPart, choose_public_part
from ladderboard.planning.submission_limits import (
    THEOREM,
    Attacker,
    Limit,
    OverfitCurve,
    find_simulated_limit,
    meter_limit,
    theorem_limit,
)

ASSUMED_ACCEPTS = 5
"""How often a team is taken to improve, for the leakage meter."""

Progress = Callable[[int, int], None]


class Simulate(Protocol):
    """Attacks on permuted versions of the labels. The laboratory has one: `ladderboard_lab.planning.simulator`."""

    def __call__(
        self, labels: Array, metric: Metric, mechanism: Mechanism, *, teams: int, progress: Progress | None
    ) -> Sequence[OverfitCurve]: ...


@dataclass(frozen=True)
class SubmissionPlan:
    """The answer: a mechanism, how many submissions, how large a public part, and what the board will see.

    ``per_team`` is the recommendation (``is_at_least``: nothing larger was tried; None: no rule says anything), and
    ``basis`` the rule it rests on. ``entry_power`` is the probability that a first submission a fifth better than the
    baseline is seen (None: the mechanism tests no entry).
    """

    metric: str
    items: int
    tolerance: float
    teams: int
    mechanism: Mechanism
    reason: str
    per_team: int | None
    is_at_least: bool
    basis: str
    limits: tuple[Limit, ...]
    curves: tuple[OverfitCurve, ...]
    baseline_score: float
    standard_error: float
    entry_power: float | None
    detectable_gains: tuple[DetectableGain, ...]
    has_open_spread: bool
    """Whether a file's losses may vary many times as much as those the gains are computed from (log loss)."""
    ordering: str | None
    """From how many items on the board orders honest teams as well as plain scores would; None: that is not known."""
    public_part: PublicPart
    natural_analysts: NaturalAnalysts | None
    """How many models can be compared by people who do not use the scores; None: losses are not 0 or 1."""

    @property
    def in_total(self) -> int | None:
        """All teams together."""
        return None if self.per_team is None else self.per_team * self.teams

    def sentence(self) -> str:
        """The plan in plain words."""
        if self.per_team is None:
            return f"No rule says how many submissions {self.items} items bear with {self.mechanism.name}; simulate it."
        if self.per_team == 0:
            return (
                f"With {self.items} items and {self.mechanism.name} not even one submission is sure to stay within "
                f"{self.tolerance:g} of {self.metric}, {self._grounds()}{'' if self.curves else '; simulate attacks'}."
            )
        whole = f" ({self.in_total:,} from {self.teams} teams)" if self.teams > 1 else ""
        if self.is_at_least:  # how long a trial was says nothing about the test set
            tried = f"the trials had {count_submissions(self.per_team)} per team{whole}"
            return (
                f"With {self.items} items and {self.mechanism.name} no attack without knowledge of labels that was "
                f"tried overstates by more than {self.tolerance:g} of {self.metric}; {tried}.{self._warn_of_insiders()}"
            )
        return (
            f"With {self.items} items and {self.mechanism.name} the overfit stays within {self.tolerance:g} of "
            f"{self.metric} for {count_submissions(self.per_team)} per team{whole}, {self._grounds()}."
        )

    def _warn_of_insiders(self) -> str:
        """A sentence where somebody who holds labels gets further than the headline says."""
        found = next((limit for limit in self.limits if limit.rule == INSIDER), None)
        if found is None or found.per_team is None or found.is_at_least:
            return ""
        return f" Somebody who holds half of the labels stays within it for {count_submissions(found.per_team)} only."

    def _repr_html_(self) -> str:
        return show_plan(self)

    def _grounds(self) -> str:
        return f"{'under' if self.basis in (PERMUTED, OUTSIDER) else 'by'} {self.basis}"


def plan_submissions(
    labels: npt.ArrayLike | None = None,
    metric: str | Metric = "error_rate",
    tolerance: float = 0.02,
    *,
    n: int | None = None,
    base_rate: float | None = None,
    mechanism: str | Mechanism | None = None,
    teams: int = 1,
    accepts: int = ASSUMED_ACCEPTS,
    simulate: Simulate | None = None,
    progress: Progress | None = None,
    positive: Any = None,
) -> SubmissionPlan:
    """How many submissions a test set bears before its board overstates by more than ``tolerance``.

    Parameters
    ----------
    labels
        The labels that the board scores. Without them ``n`` labels are made up: a share ``base_rate`` (default one
        half) of positives, or numbers as a normal sample has them.
    metric, mechanism, positive
        As for `Holdout`. Without a mechanism: the default, or its alternative for small holdouts where the default is
        too unlikely to see a first submission a fifth better than the baseline.
    tolerance
        How much better than the truth a number on the board may look, in units of the metric.
    teams
        How many teams there are; what is proven holds for all of them at once.
    accepts
        How often a team is taken to be accepted, for the leakage meter.
    simulate
        Attacks to try on permuted labels; without it the plan rests on what is proven.

    >>> plan = plan_submissions(n=20_000, tolerance=0.05)
    >>> plan.mechanism.name, plan.per_team, plan.basis
    ('witness_ladder', 21805, 'the leakage meter with 5 accepts')
    """
    scored = find_metric(metric)
    _check(tolerance=tolerance, teams=teams, accepts=accepts)
    values = _labels(labels, scored, n, base_rate)
    scored = choose_positive(scored, values, positive)
    key = AnswerKey(values, scored)
    chosen, reason = _choose(mechanism, key.baseline)
    curves = tuple(simulate(values, scored, chosen, teams=teams, progress=progress)) if simulate is not None else ()
    limits = _limits(key, chosen, curves, tolerance=tolerance, teams=teams, accepts=accepts)
    decisive, yardstick = _decisive(limits, chosen), key.yardstick
    return SubmissionPlan(
        metric=scored.name,
        items=yardstick.units,
        tolerance=tolerance,
        teams=teams,
        mechanism=chosen,
        reason=reason,
        per_team=None if decisive is None else decisive.per_team,
        is_at_least=decisive is not None and decisive.is_at_least,
        basis="" if decisive is None else decisive.rule,
        limits=limits,
        curves=curves,
        baseline_score=yardstick.baseline_score,
        standard_error=yardstick.null_standard_error,
        entry_power=estimate_entry_power(chosen, key.baseline),
        detectable_gains=list_detectable_gains(chosen, key.baseline),
        has_open_spread=yardstick.spread_is_open,
        ordering=describe_fair_size(chosen, yardstick),
        public_part=choose_public_part(yardstick, chosen, tolerance),
        natural_analysts=count_natural_analysts(yardstick, tolerance),
    )


def count_submissions(submissions: int) -> str:
    """A number of submissions in words.

    >>> count_submissions(1), count_submissions(1785)
    ('1 submission', '1,785 submissions')
    """
    return f"{submissions:,} submission{'' if submissions == 1 else 's'}"


PERMUTED = "the step-forward attack on permuted responses"
OUTSIDER = "the strongest attack without knowledge"
INSIDER = "the strongest attack by one who holds half of the labels"
ACCOUNTS = "accounts in one hand"


def _limits(
    key: AnswerKey, mechanism: Mechanism, curves: Sequence[OverfitCurve], *, tolerance: float, teams: int, accepts: int
) -> tuple[Limit, ...]:
    """Every rule in turn: the simulated ones first, where there are any."""
    by = {one: [curve for curve in curves if curve.attacker == one] for one in SIMULATED}
    simulated = [
        find_simulated_limit(rule, by[attacker], tolerance, absent=absent)
        for attacker, (rule, absent) in SIMULATED.items()
        if curves and (attacker != "accounts" or teams > 1)
    ]
    return (
        *simulated,
        theorem_limit(key.yardstick, key.metric, tolerance, teams=teams),
        meter_limit(mechanism, key.yardstick, tolerance, accepts=accepts, teams=teams),
    )


SIMULATED: dict[Attacker, tuple[str, str]] = {
    "permuted responses": (PERMUTED, "its regressions predict numbers, which this metric does not take"),
    "outsider": (OUTSIDER, "the laboratory has none for this metric"),
    "insider": (INSIDER, "the laboratory has none for this metric"),
    "accounts": (ACCOUNTS, "the laboratory has none for this metric"),
}
"""Attacker → (rule, what is said where no attack fits)."""


def _decisive(limits: Sequence[Limit], mechanism: Mechanism) -> Limit | None:
    """The rule to go by: what is proven for this mechanism, or what all simulated attacks leave where that is more.

    An insider and many accounts are threats of another kind, shown beside. A trial that ended before it broke the
    tolerance says nothing about what comes after it, so its own length never decides while another attack has a limit.
    """
    told = {limit.rule: limit for limit in limits if limit.per_team is not None}
    simulated = [told[rule] for rule in (PERMUTED, OUTSIDER) if rule in told]
    proven = [
        limit
        for rule, limit in told.items()
        if limit.items_needed is not None and (mechanism.satisfies_theorem_3_1 or rule != THEOREM)
    ]
    broken = [limit for limit in simulated if not limit.is_at_least]
    strongest = [min(broken, key=_read_allowance)] if broken else simulated
    candidates = [*strongest, *proven]
    return max(candidates, key=_read_allowance, default=None)


def _read_allowance(limit: Limit) -> int:
    assert limit.per_team is not None
    return limit.per_team


def _choose(mechanism: str | Mechanism | None, baseline: Evaluation) -> tuple[Mechanism, str]:
    """The mechanism to plan for, and why."""
    if mechanism is not None:
        given = make_mechanism(mechanism)
        require_scores(given, "nothing is released, so any number of submissions is safe and there is nothing to plan")
        refuse_certifying(given, "it is asked now and then by one person, and there are no submissions to plan")
        given.start(baseline, np.random.default_rng(0))  # refuses labels that it cannot serve
        return given, "as given"
    usual, alternative = DEFAULT_MECHANISM(), DEFAULT_MECHANISM.alternative
    reason = f"the default: {usual.promise}"
    if alternative is None:
        return usual, reason
    other = alternative()
    try:
        usual.start(baseline, np.random.default_rng(0))
    except LabelsError:
        return other, f"the items are too few for {usual.name}"
    power, others = estimate_entry_power(usual, baseline), estimate_entry_power(other, baseline)
    if power is not None and others is not None and power < min(ENOUGH_POWER, others):
        reason = f"recognises a first entry with probability {others:.0%}, {usual.name} with {power:.0%}"
        return other, reason
    return usual, reason


def _labels(labels: npt.ArrayLike | None, metric: Metric, n: int | None, base_rate: float | None) -> Array:
    """The labels given, or ``n`` of the kind that the metric takes."""
    if (labels is None) == (n is None):
        raise ParameterError("give the labels, or n, the number of items")
    if labels is not None:
        if base_rate is not None:
            raise ParameterError("the labels have a base rate; leave base_rate out")
        return np.asarray(labels)
    assert n is not None
    if n < SMALLEST_N:
        raise ParameterError(f"n is {n}; a plan needs at least {SMALLEST_N} items")
    if isinstance(metric.kind, Survival):
        raise ParameterError(f"{metric.name} takes times and events, which cannot be made up; give the labels")
    if metric.kind.has_texts:
        raise ParameterError(f"{metric.name} takes texts, which cannot be made up; give the labels")
    if metric.kind.has_columns:
        raise ParameterError(f"{metric.name} takes several columns, which cannot be made up; give the labels")
    if isinstance(metric.kind, Numbers):
        return _normal_scores(n, base_rate, metric.kind)
    rate = 0.5 if base_rate is None else base_rate
    positives = round(n * rate)
    if not 1 <= positives <= n - 1:
        raise ParameterError(f"base_rate is {rate}; of {n} items at least one of each class is needed")
    return (np.arange(n) >= n - positives).astype(np.int64)


def _normal_scores(n: int, base_rate: float | None, kind: Numbers) -> Array:
    """Numbers with mean 0 and sd 1 as a normal sample of n has them; their exponentials where none may be negative."""
    from scipy.special import ndtri

    if base_rate is not None:
        raise ParameterError("a base rate is for two classes; this metric takes numbers")
    z = ndtri((np.arange(n) + 0.5) / n)
    z = z / z.std()
    if kind.labels_are_positive:
        return np.asarray(np.exp(z))
    return np.asarray(z if kind.smallest == -np.inf else kind.smallest + np.exp(z))


SMALLEST_N = 10


def _check(*, tolerance: float, teams: int, accepts: int) -> None:
    if not 0 < tolerance < np.inf:
        raise ParameterError(f"tolerance is {tolerance}; it must be a positive number, in units of the metric")
    if teams < 1 or accepts < 0:
        raise ParameterError("teams must be at least 1, and accepts must not be negative")
