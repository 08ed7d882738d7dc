"""Mean losses of items that come in groups, and the covariance between groups.

Questions about one passage, images of one patient or cases of one site are not independent: five questions on a passage
that a system misread are one piece of bad luck, not five. The score stays the mean over items; its error comes from the
groups, whatever the dependence within them.

Notation
--------
n items in G groups; l_g → the sum of a group's losses, n_g → its size; s_g = l_g − n_g·mean.

The covariance of the means is the jackknife's that leaves out one group at a time, (G−1)/G·Σ_g r_g r_gᵀ with
r_g = s_g/(n − n_g). For groups of equal size it is the usual cluster-robust one, and for groups of one item the
ordinary one; where sizes differ the usual one is too small, because a large group pulls the mean towards itself.

Reference
---------
Cameron & Miller 2015, A Practitioner's Guide to Cluster-Robust Inference, Journal of Human Resources 50(2); Bell &
McCaffrey 2002 for the jackknife.
"""

from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.covariance import GroupLabels, PairedMeans, measure_skewness, round_to_lattice
from ladderboard.metrics.inputs import Array


def read_groups(groups: GroupLabels | None, items: int) -> IntArray | None:
    """Number the groups from 0, one number for each item; None where every item is a group of its own.

    >>> read_groups(["b", "a", "b"], 3).tolist()
    [0, 1, 0]
    """
    if groups is None:
        return None
    if len(groups) != items:
        raise InputError(f"{len(groups)} group labels for {items} items; give one for each item")
    numbers: dict[Any, int] = {}
    for row, label in enumerate(groups):
        if label is None or label != label or label == "":  # noqa: PLR0124 (NaN)
            raise InputError(f"item {row + 1} has no group; give it one of its own if it belongs to none")
        numbers.setdefault(label, len(numbers))
    if len(numbers) < 2:
        raise InputError("all items are in one group; at least two groups are needed to tell luck from skill")
    return None if len(numbers) == items else np.array([numbers[label] for label in groups])


def clustered_means(
    losses: Array, codes: IntArray, *, systems: tuple[str, ...], parts: int, is_share: bool
) -> PairedMeans:
    """The means over items, with the covariance between groups; ``codes`` number each item's group from 0.

    All losses are multiples of 1/``parts``; 0: they are real.
    """
    items, sizes = len(losses), np.bincount(codes)
    means = sum_by_group(losses, np.zeros(items, dtype=np.intp))[0] / items
    # Sums of what is left after the mean keep their digits where losses have a large offset in common.
    centred = sum_by_group(losses, codes, offset=means)
    left_out = centred / (items - sizes)[:, None]
    groups = len(sizes)
    return PairedMeans(
        systems=systems,
        items=groups,
        means=round_to_lattice(means, items * parts),
        covariance=(groups - 1) / groups * (left_out.T @ left_out),
        spacing=1 / (items * parts) if parts else 0.0,
        is_binary=is_share and parts == 1,
        skewness=measure_skewness(left_out, left_out.mean(axis=0), np.square(left_out - left_out.mean(axis=0)).sum(0)),
        shares=relative_shares(centred / items + np.outer(sizes / items, means - means.mean())),
        effective_units=float(items**2 / np.square(sizes, dtype=np.float64).sum()),
        is_share=is_share,
    )


def relative_shares(shares: FloatArray) -> FloatArray:
    """What each group adds to the mean of each system, less what it adds to the average system's."""
    return np.asarray(shares - shares.mean(axis=1, keepdims=True))


def sum_by_group(losses: Array, codes: IntArray, *, offset: FloatArray | None = None) -> FloatArray:
    """Groups × systems: the sums of (losses − offset), one system at a time."""
    groups = int(codes.max()) + 1
    sums = np.empty((groups, losses.shape[1]))
    for column in range(losses.shape[1]):
        values = losses[:, column].astype(np.float64)
        if offset is not None:
            values -= offset[column]
        sums[:, column] = np.bincount(codes, weights=values, minlength=groups)
    if not np.isfinite(sums).all():
        raise InputError("a loss is not a finite number, or so large that sums overflow; fill, drop or rescale it")
    return sums
