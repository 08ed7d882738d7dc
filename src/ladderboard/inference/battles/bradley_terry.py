"""Bradley–Terry strengths of systems that meet in pairs, and what each battle adds to them.

Notation
--------
y_b → the outcome of battle b for its first system (1, ½ or 0); β → the strengths; p_b → the expected outcome,
1/(1 + exp(β_second − β_first)). β solves Σ_b (y_b − p_b)·x_b = 0 with Σβ = 0, x_b = e_first − e_second: the likelihood
equations, in which a tie is half a win for each. H → the derivative, Σ_b p_b(1 − p_b)·x_b x_bᵀ.

With covariates x_b of the battles (a difference in length, the place of the first system) and their effects γ,
p_b = 1/(1 + exp(β_second − β_first − γ·x_b)), and the equations have Σ_b (y_b − p_b)·x_b = 0 beside them: β then
compares systems whose answers are of equal length, at the same place.

Guarantee
---------
A tie is no outcome of the model, and battles on one item are not independent: the equations then are estimating
equations, and the errors of β come from what each item adds, H⁺ Σ_b (y_b − p_b)·x_b over its battles, whatever the law
of ties and the dependence within items (the sandwich).

Reference
---------
Bradley & Terry 1952, Rank Analysis of Incomplete Block Designs, Biometrika 39; Hunter 2004, MM Algorithms for
Generalized Bradley–Terry Models, Annals of Statistics 32, for when strengths exist; Chiang et al. 2024, Chatbot Arena
(arXiv 2403.04132), and FastChat's style control for covariates.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.battles.pairs import BattleRecords, Pairs, number_pairs

STEPS = 100
CONVERGED = 1e-10
UNBOUNDED = (
    "with these covariates some outcomes are certain, so no finite strengths and effects fit; leave a covariate out, "
    "or collect more battles"
)
DEPENDENT = 1e-9
"""The smallest eigenvalue of the covariates' and systems' correlations; below it they are told apart by rounding."""


@dataclass(frozen=True, eq=False)
class Strengths:
    """The strengths β, the effects γ of covariates, and the pseudo-inverse of H over both."""

    values: FloatArray
    effects: FloatArray
    inverse: FloatArray = field(repr=False)
    pairs: Pairs = field(repr=False)
    weights: FloatArray = field(repr=False)
    """Σ_b p_b(1 − p_b) over the battles of each pair."""
    residuals: FloatArray = field(repr=False)
    """y_b − p_b of each battle."""
    slopes: FloatArray = field(repr=False)
    """Pairs × covariates: Σ_b p_b(1 − p_b)·x_b, each battle seen from the lower place of its pair."""


def fit_strengths(battles: BattleRecords) -> Strengths:
    """Solve the likelihood equations by Newton's steps, halved where they overshoot.

    They need the number of battles of each pair and its points alone. H takes only the vector of ones to zero, since
    all systems are connected; with 1/m added to every entry it is regular and the same for all other vectors.

    Raises `InputError` where no finite strengths exist: some systems never lost to any other, or never met them.
    """
    systems = len(battles.systems)
    if systems < 2:
        raise InputError("at least two systems are needed to rank battles")
    pairs = number_pairs(battles)
    _refuse_separated(battles.systems, pairs)
    if battles.covariates is not None:
        return fit_with_covariates(battles, battles.covariates, pairs)
    values = np.zeros(systems)
    for _ in range(STEPS):
        expected = _win_probabilities(values, pairs.low, pairs.high)
        score = pairs.sum_by_system(pairs.points - pairs.counts * expected, systems)
        hessian = pairs.make_laplacian(pairs.counts * expected * (1 - expected), systems)
        step = np.linalg.solve(hessian + 1 / systems, score)
        # A log-odds step of more than two is beyond where the quadratic can be trusted.
        values = values + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        values -= values.mean()
        if np.abs(step).max() < CONVERGED:
            break
    expected = _win_probabilities(values, pairs.low, pairs.high)
    weights = pairs.counts * expected * (1 - expected)
    inverse = np.linalg.inv(pairs.make_laplacian(weights, systems) + 1 / systems) - 1 / systems
    residuals = battles.outcomes - _win_probabilities(values, battles.first, battles.second)
    none = np.zeros((len(pairs.low), 0))
    return Strengths(values, np.zeros(0), np.asarray(inverse, dtype=np.float64), pairs, weights, residuals, none)


def fit_with_covariates(battles: BattleRecords, covariates: FloatArray, pairs: Pairs) -> Strengths:
    """The same with effects of covariates: battles of a pair then differ, and each is summed on its own."""
    systems, number = len(battles.systems), covariates.shape[1]
    _refuse_dependent(battles, covariates, pairs)
    values, effects = np.zeros(systems), np.zeros(number)
    for _ in range(STEPS):
        expected = _expect(battles, covariates, values, effects)
        residuals = battles.outcomes - expected
        score = np.r_[_sum_by_side(battles, residuals), covariates.T @ residuals]
        hessian, _, _ = _derive(battles, covariates, pairs, expected * (1 - expected))
        hessian[:systems, :systems] += 1 / systems
        try:
            step = np.linalg.solve(hessian, score)
        except np.linalg.LinAlgError:
            raise InputError(UNBOUNDED) from None
        step *= min(1.0, 2.0 / max(float(np.abs(step[:systems]).max()), 1e-300))
        values, effects = values + step[:systems], effects + step[systems:]
        values -= values.mean()
        if np.abs(step).max() < CONVERGED:
            break
    else:
        raise InputError(UNBOUNDED)
    expected = _expect(battles, covariates, values, effects)
    hessian, weights, slopes = _derive(battles, covariates, pairs, expected * (1 - expected))
    hessian[:systems, :systems] += 1 / systems
    inverse = np.linalg.inv(hessian)
    inverse[:systems, :systems] -= 1 / systems
    return Strengths(
        values, effects, np.asarray(inverse, dtype=np.float64), pairs, weights, battles.outcomes - expected, slopes
    )


def _expect(battles: BattleRecords, covariates: FloatArray, values: FloatArray, effects: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(values[battles.first] - values[battles.second] + covariates @ effects))


def _sum_by_side(battles: BattleRecords, numbers: FloatArray) -> FloatArray:
    """Σ number·(e_first − e_second) over the battles."""
    systems = len(battles.systems)
    return np.asarray(
        np.bincount(battles.first, numbers, systems) - np.bincount(battles.second, numbers, systems), dtype=np.float64
    )


def _derive(
    battles: BattleRecords, covariates: FloatArray, pairs: Pairs, curvature: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """H over strengths and effects, the weights of the pairs, and their slopes."""
    systems, number = len(battles.systems), covariates.shape[1]
    weights = pairs.sum_over_battles(curvature)
    slopes = np.column_stack([pairs.sum_over_battles(curvature * pairs.signs * one) for one in covariates.T])
    hessian = np.zeros((systems + number, systems + number))
    hessian[:systems, :systems] = pairs.make_laplacian(weights, systems)
    for place in range(number):
        hessian[:systems, systems + place] = pairs.sum_by_system(slopes[:, place], systems)
    hessian[systems:, :systems] = hessian[:systems, systems:].T
    hessian[systems:, systems:] = (covariates * curvature[:, None]).T @ covariates
    return hessian, weights, slopes


def _refuse_dependent(battles: BattleRecords, covariates: FloatArray, pairs: Pairs) -> None:
    """Refuse covariates that say nothing beside the systems: their effect is no number."""
    if not np.isfinite(covariates).all():
        raise InputError("a covariate is missing in a battle; leave the battle out, or the covariate")
    systems = len(battles.systems)
    scales = np.sqrt((covariates**2).mean(axis=0))
    if not scales.all():
        raise InputError("a covariate is 0 in every battle, so its effect cannot be known; leave it out")
    hessian, _, _ = _derive(battles, covariates / scales, pairs, np.ones(len(covariates)))
    hessian[:systems, :systems] += 1 / systems
    ones = np.r_[np.sqrt(np.diag(hessian))]
    if np.linalg.eigvalsh(hessian / np.outer(ones, ones))[0] < DEPENDENT:
        raise InputError(
            "the covariates are (almost) determined by the systems or by each other, so their effects cannot be told "
            "apart; leave one out"
        )


@dataclass(frozen=True, eq=False)
class ItemSums:
    """What each item adds to the strengths."""

    sums: Any = field(repr=False)
    """Items × systems: Σ_b (y_b − p_b)(e_first − e_second) over an item's battles; sparse, as most meet few. A column
    for each covariate follows, with Σ_b (y_b − p_b)x_b."""
    products: FloatArray = field(repr=False)
    """Systems × systems, with the covariates after them: products of what the items add to β, H⁺(Σ_g s_g s_gᵀ)H⁺."""
    codes: IntArray = field(repr=False)
    """The item of each battle, numbered from 0."""

    @property
    def items(self) -> int:
        return int(self.sums.shape[0])


def sum_scores(battles: BattleRecords, strengths: Strengths, codes: IntArray) -> ItemSums:
    """Sum what the battles on each item, numbered by ``codes``, add to the strengths."""
    from scipy.sparse import coo_array

    systems, units = len(battles.systems), int(codes.max()) + 1
    rows: list[IntArray] = [codes, codes]
    columns: list[IntArray] = [battles.first, battles.second]
    parts: list[FloatArray] = [strengths.residuals, -strengths.residuals]
    for place in range(len(strengths.effects)):
        assert battles.covariates is not None
        rows.append(np.arange(units))
        columns.append(np.full(units, systems + place))
        drawn = np.bincount(codes, strengths.residuals * battles.covariates[:, place], units)
        parts.append(np.asarray(drawn, dtype=np.float64))
    places = np.concatenate(rows), np.concatenate(columns)
    sums = coo_array((np.concatenate(parts), places), shape=(units, systems + len(strengths.effects))).tocsr()
    products = strengths.inverse @ (sums.T @ sums).toarray() @ strengths.inverse
    return ItemSums(sums, products, codes)


def _refuse_separated(names_of_all: tuple[str, ...], pairs: Pairs) -> None:
    """Refuse battles in which some systems never lost to (or never met) the others: their strength is without bound."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    systems = len(names_of_all)
    won, lost = pairs.points > 0, pairs.points < pairs.counts
    winners = np.r_[pairs.low[won], pairs.high[lost]]
    losers = np.r_[pairs.high[won], pairs.low[lost]]
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(systems, systems))
    count, labels = connected_components(graph, directed=True, connection="strong")
    if count == 1:
        return
    smallest = int(np.argmin(np.bincount(labels)))
    names = [names_of_all[place] for place in np.flatnonzero(labels == smallest)]
    shown = ", ".join(map(repr, names[:3])) + (", …" if len(names) > 3 else "")
    raise InputError(
        f"{shown} won or lost every battle against the other systems, or never met them: no finite strength fits; "
        f"leave {'it' if len(names) == 1 else 'them'} out, or collect more battles"
    )


def _win_probabilities(values: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """p: the expected outcomes for the first systems."""
    from scipy.special import expit

    return np.asarray(expit(values[first] - values[second]))
