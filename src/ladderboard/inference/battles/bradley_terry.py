"""Bradley–Terry strengths of systems that meet in pairs, and what each battle adds to them.

Notation
--------
y_b → the outcome of battle b for its first system (1, ½ or 0); β → the strengths; p_b → the expected outcome,
1/(1 + exp(β_second − β_first)). β solves Σ_b (y_b − p_b)·x_b = 0 with Σβ = 0, x_b = e_first − e_second: the likelihood
equations, in which a tie is half a win for each. H → the derivative, Σ_b p_b(1 − p_b)·x_b x_bᵀ.

Guarantee
---------
A tie is no outcome of the model, and battles on one item are not independent: the equations then are estimating
equations, and the errors of β come from what each item adds, H⁺ Σ_b (y_b − p_b)·x_b over its battles, whatever the law
of ties and the dependence within items (the sandwich).

Reference
---------
Bradley & Terry 1952, Rank Analysis of Incomplete Block Designs, Biometrika 39; Hunter 2004, MM Algorithms for
Generalized Bradley–Terry Models, Annals of Statistics 32, for when strengths exist.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray

STEPS = 100
CONVERGED = 1e-10


class BattleRecords(Protocol):
    """What is known of the battles: `ladderboard.Battles`, or anything with these fields."""

    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def first(self) -> IntArray: ...
    @property
    def second(self) -> IntArray: ...
    @property
    def outcomes(self) -> FloatArray: ...
    @property
    def items(self) -> tuple[str, ...] | None: ...


@dataclass(frozen=True, eq=False)
class Strengths:
    """The strengths β, and the pseudo-inverse of H."""

    values: FloatArray
    inverse: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    """y_b − p_b of each battle."""
    weights: FloatArray = field(repr=False)
    """p_b(1 − p_b) of each battle."""


def fit_strengths(battles: BattleRecords) -> Strengths:
    """Solve the likelihood equations by Newton's steps, halved where they overshoot.

    Raises `InputError` where no finite strengths exist: some systems never lost to any other, or never met them.
    """
    refuse_separated(battles)
    systems = len(battles.systems)
    values = np.zeros(systems)
    for _ in range(STEPS):
        score, hessian = _derivatives(battles, values)
        step = np.linalg.lstsq(hessian, score, rcond=None)[0]
        # A log-odds step of more than two is beyond where the quadratic can be trusted.
        values = values + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        values -= values.mean()
        if np.abs(step).max() < CONVERGED:
            break
    expected = win_probabilities(battles, values)
    weights = expected * (1 - expected)
    _, hessian = _derivatives(battles, values)
    inverse = np.asarray(np.linalg.pinv(hessian, hermitian=True), dtype=np.float64)
    return Strengths(values, inverse, battles.outcomes - expected, weights)


def win_probabilities(battles: BattleRecords, values: FloatArray) -> FloatArray:
    """p_b: the expected outcome of each battle for its first system."""
    from scipy.special import expit

    return np.asarray(expit(values[battles.first] - values[battles.second]))


def sum_scores(battles: BattleRecords, residuals: FloatArray, codes: IntArray) -> FloatArray:
    """Items × systems: Σ_b (y_b − p_b)(e_first − e_second) over the battles on each item, numbered by ``codes``."""
    scores = np.zeros((int(codes.max()) + 1, len(battles.systems)))
    np.add.at(scores, (codes, battles.first), residuals)
    np.add.at(scores, (codes, battles.second), -residuals)
    return scores


def refuse_separated(battles: BattleRecords) -> None:
    """Refuse battles in which some systems never lost to (or never met) the others: their strength is without bound."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    systems = len(battles.systems)
    if systems < 2:
        raise InputError("at least two systems are needed to rank battles")
    won = battles.outcomes > 0
    lost = battles.outcomes < 1
    winners = np.r_[battles.first[won], battles.second[lost]]
    losers = np.r_[battles.second[won], battles.first[lost]]
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(systems, systems))
    count, labels = connected_components(graph, directed=True, connection="strong")
    if count == 1:
        return
    smallest = int(np.argmin(np.bincount(labels)))
    names = [battles.systems[place] for place in np.flatnonzero(labels == smallest)]
    shown = ", ".join(map(repr, names[:3])) + (", …" if len(names) > 3 else "")
    raise InputError(
        f"{shown} won or lost every battle against the other systems, or never met them: no finite strength fits; "
        f"leave {'it' if len(names) == 1 else 'them'} out, or collect more battles"
    )


def _derivatives(battles: BattleRecords, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The score and H at these strengths."""
    systems = len(values)
    expected = win_probabilities(battles, values)
    residuals, weights = battles.outcomes - expected, expected * (1 - expected)
    score = np.bincount(battles.first, residuals, systems) - np.bincount(battles.second, residuals, systems)
    pairs = np.bincount(battles.first * systems + battles.second, weights, systems**2).reshape(systems, systems)
    pairs = pairs + pairs.T
    return np.asarray(score, dtype=np.float64), np.diag(pairs.sum(axis=1)) - pairs
