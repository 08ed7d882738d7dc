"""Rank ranges of systems that meet in pairwise battles."""

from dataclasses import dataclass, field

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.battles.bradley_terry import ItemSums, Strengths, fit_strengths, sum_scores
from ladderboard.inference.battles.fit_check import FitCheck, check_fit
from ladderboard.inference.battles.pairs import BattleRecords
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.clusters import read_groups, relative_shares
from ladderboard.inference.contrasts import MANY_GROUPS, REPLICATES, compute_root, draw_contrasts, make_generator
from ladderboard.inference.covariance import PairedMeans
from ladderboard.inference.rank_ranges import RankRange, certainly_worse, find_ranges


@dataclass(frozen=True)
class CovariateEffect:
    """How much a covariate decides: log-odds for one unit of it, with the standard error."""

    name: str
    effect: float
    standard_error: float

    def describe(self) -> str:
        """The effect in words."""
        return f"{self.name} {self.effect:+.3f} ± {self.standard_error:.3f}"


@dataclass(frozen=True, eq=False)
class BattleRanking:
    """The systems of a set of battles, with their strengths and the ranks they may truly have."""

    ranges: tuple[RankRange, ...]
    """One for each system, in the order of the battles; ``score`` is minus the strength, so that lower is better."""
    strengths: FloatArray = field(repr=False)
    """On the scale of log-odds, with mean 0: a system beats another with probability 1/(1 + exp(−difference))."""
    standard_errors: FloatArray = field(repr=False)
    fit: FitCheck
    units: int
    """Independent items, or battles where the items are not known."""
    effects: tuple["CovariateEffect", ...] = ()
    """Of what was controlled for."""

    def win_probability(self, first: str, second: str) -> float:
        """The probability that one system beats another, ties counted as half."""
        from scipy.special import expit

        places = {one.system: place for place, one in enumerate(self.ranges)}
        return float(expit(self.strengths[places[first]] - self.strengths[places[second]]))


def rank_battles(
    battles: BattleRecords,
    confidence: float = 0.95,
    *,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
) -> BattleRanking:
    """Rank systems by Bradley–Terry strengths, with simultaneous rank ranges and a check of the model's fit.

    Battles on one item depend on each other; where ``battles.items`` is known, errors come from items. A tie counts as
    half a win for each side. Notation and guarantee: see `ladderboard.inference.battles.bradley_terry`.

    >>> rng = np.random.default_rng(1)
    >>> from ladderboard.evals import Battles
    >>> names = np.array(["good", "fair", "poor"])
    >>> pairs = np.array([rng.choice(3, 2, replace=False) for _ in range(600)])
    >>> won = rng.random(600) < 1 / (1 + np.exp(0.9 * (pairs[:, 0] - pairs[:, 1])))
    >>> ranking = rank_battles(Battles.of(names[pairs[:, 0]].tolist(), names[pairs[:, 1]].tolist(), won.tolist()))
    >>> [(one.system, one.best, one.worst) for one in sorted(ranking.ranges, key=lambda one: one.rank)]
    [('good', 1, 1), ('fair', 2, 2), ('poor', 3, 3)]
    >>> round(ranking.win_probability("good", "poor"), 1), ranking.fit.is_doubtful
    (0.8, False)
    """
    check_confidence(confidence)
    strengths = fit_strengths(battles)
    scores = sum_scores(battles, strengths, _number_units(battles))
    paired = _find_errors(battles, strengths, scores)
    contrasts = draw_contrasts(paired, replicates=replicates, rng=make_generator(seed))
    ranges = find_ranges(paired, certainly_worse(paired, contrasts, confidence=confidence))
    return BattleRanking(
        ranges=tuple(ranges),
        strengths=strengths.values,
        standard_errors=np.sqrt(paired.variances),
        fit=check_fit(battles, strengths, scores, confidence=confidence),
        units=paired.items,
        effects=_list_effects(battles, strengths, scores),
    )


def _list_effects(battles: BattleRecords, strengths: Strengths, scores: ItemSums) -> tuple[CovariateEffect, ...]:
    systems, units = len(strengths.values), scores.items
    errors = np.sqrt(np.diag(scores.products)[systems:] * units / (units - 1))
    names = battles.covariate_names
    return tuple(CovariateEffect(*one) for one in zip(names, strengths.effects.tolist(), errors.tolist(), strict=True))


def _number_units(battles: BattleRecords) -> IntArray:
    codes = read_groups(battles.items, len(battles.outcomes))
    return np.arange(len(battles.outcomes)) if codes is None else codes


def _find_errors(battles: BattleRecords, strengths: Strengths, scores: ItemSums) -> PairedMeans:
    """Minus the strengths as if they were mean losses: what each item adds to them is its influence."""
    units, systems = scores.items, len(strengths.values)
    if units < 2:
        raise InputError("all battles are on one item; at least two items are needed to tell luck from skill")
    sizes = np.bincount(scores.codes)
    return PairedMeans(
        systems=tuple(battles.systems),
        items=units,
        means=-strengths.values,
        covariance=units / (units - 1) * scores.products[:systems, :systems],
        spacing=0.0,
        is_binary=False,
        skewness=np.zeros(len(strengths.values)),
        shares=_find_shares(strengths, scores),
        effective_units=float(sizes.sum() ** 2 / np.square(sizes, dtype=np.float64).sum()),
    )


def _find_shares(strengths: Strengths, scores: ItemSums) -> FloatArray:
    """What each item adds to minus the strengths; of many items only rows with the same products, one for a system."""
    units, losses = scores.items, -strengths.values
    inverse = strengths.inverse[: len(losses)]
    if units < MANY_GROUPS:
        return relative_shares(losses / units - scores.sums @ inverse.T)
    drift = np.outer(inverse @ scores.sums.sum(axis=0), losses)
    moments = scores.products[: len(losses), : len(losses)] + (np.outer(losses, losses) - drift - drift.T) / units
    return compute_root(relative_shares(relative_shares(moments).T))
