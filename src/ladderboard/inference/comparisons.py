"""Pairwise comparisons of a board's systems: all pairs, or all against one, corrected by Holm."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray, IntArray, PairedTest
from ladderboard.inference.covariance import GroupLabels, PairedMeans, paired_means
from ladderboard.inference.holm import holm
from ladderboard.inference.pairwise import SMALLEST_SUPPORT


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same items."""

    first: str
    second: str
    difference: float
    """Mean loss of the first minus that of the second: negative where the first is better."""
    p_value: float
    """Two-sided, of this pair alone."""
    adjusted: float
    """By Holm over all the comparisons made: at most α means that the pair differs."""


def compare_systems(
    loss_matrix: Any,
    *,
    reference: str | int | None = None,
    test: PairedTest | None = None,
    groups: GroupLabels | None = None,
) -> list[Comparison]:
    """Two-sided paired tests of all pairs of systems, or of all others against ``reference`` (a name or a column).

    ``test``: "mcnemar" (exact binomial on the items that differ; the default for 0/1 losses), "t" (Student's; the
    default otherwise), or "z" (DeLong's, where the columns are the contributions of an AUC). Items in ``groups`` (as in
    `rank_ranges`) are tested by Student's t over the groups, with fewer degrees of freedom where sizes differ.

    The overlap of two systems' own intervals is not a test of their difference: the pairing is what makes small
    differences visible.

    >>> rng = np.random.default_rng(1)
    >>> wrong = rng.random((500, 3)) < [0.10, 0.12, 0.25]
    >>> [(c.first, c.second, c.adjusted < 0.05) for c in compare_systems(wrong)]
    [('system 1', 'system 2', False), ('system 1', 'system 3', True), ('system 2', 'system 3', True)]
    """
    paired = paired_means(loss_matrix, groups=groups)
    if paired.shares is not None and test is not None:
        raise ParameterError(f"items in groups are compared by Student's t; leave test={test!r} out")
    first, second = _pairs(paired, reference)
    p_values = two_sided_p_values(paired, first, second, test or ("mcnemar" if paired.is_binomial else "t"))
    names, differences = paired.systems, paired.means[first] - paired.means[second]
    return [
        Comparison(names[i], names[j], float(d), float(p), float(adjusted))
        for i, j, d, p, adjusted in zip(first, second, differences, p_values, holm(p_values), strict=True)
    ]


def two_sided_p_values(paired: PairedMeans, first: IntArray, second: IntArray, test: PairedTest) -> FloatArray:
    """The p-value of each pair of columns, from the means and their covariance alone."""
    differences = paired.means[first] - paired.means[second]
    variances = paired.difference_variances[first, second]
    if test == "mcnemar":
        if not paired.is_binomial:
            raise ParameterError("McNemar's test needs losses of 0 and 1; use test='t'")
        return _mcnemar(differences, variances, paired.items)
    varies = variances > 0
    statistics = np.divide(differences, np.sqrt(variances), out=np.zeros_like(differences), where=varies)
    p_values = _both_tails(statistics, paired.degrees_of_freedom, test)
    # A difference that is the same on every item has no spread; it is believed where there are enough items.
    p_values[~varies & (differences != 0) & (paired.items >= SMALLEST_SUPPORT)] = 0.0
    return p_values


def _pairs(paired: PairedMeans, reference: str | int | None) -> tuple[IntArray, IntArray]:
    systems = len(paired.means)
    if reference is None:
        first, second = np.triu_indices(systems, k=1)
        return first, second
    column = _column(paired, reference)
    others = np.flatnonzero(np.arange(systems) != column)
    return others, np.full(len(others), column)


def _column(paired: PairedMeans, reference: str | int) -> int:
    if isinstance(reference, str):
        if reference not in paired.systems:
            raise ParameterError(f"no system is called {reference!r}")
        return paired.systems.index(reference)
    if not 0 <= reference < len(paired.means):
        raise ParameterError(f"reference is column {reference}; there are {len(paired.means)} columns, from 0")
    return reference


def _mcnemar(differences: FloatArray, variances: FloatArray, items: int) -> FloatArray:
    """2·P(X ≤ the rarer direction), X ~ B(items that differ, ½).

    Σd and Σd² are whole numbers, and so recovered exactly from the mean and variance of d.
    """
    from scipy.special import bdtr

    excess = np.rint(items * np.abs(differences))
    differing = np.rint(items * (items - 1) * variances + items * differences**2)
    p_values = 2 * bdtr((differing - excess) / 2, np.maximum(differing, 1).astype(int), 0.5)
    return np.where(differing > 0, np.minimum(p_values, 1.0), 1.0)


def _both_tails(statistics: FloatArray, degrees_of_freedom: float, test: PairedTest) -> FloatArray:
    from scipy.special import ndtr, stdtr

    lower = ndtr(-np.abs(statistics)) if test == "z" else stdtr(degrees_of_freedom, -np.abs(statistics))
    return np.asarray(2 * lower)
