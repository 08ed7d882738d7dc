"""Influence values of a score that is known only by calling a function: a jackknife over groups of units.

It gives a contribution for each unit, whose mean is the score and whose sd/√n is the standard error of the score.
"""

import hashlib
import math
from collections.abc import Callable

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import Array

Progress = Callable[[int, int], None]
"""Called as progress(done, total) while something long is under way."""

STEP = 1e-4
"""The share by which the weights of a group are raised. The curvature of a smooth score then costs about a share 1e-4
of the group's influence, and rounding far less."""


def draw_groups(units: int, groups: int, labels: Array) -> list[IntArray]:
    """A random partition of the units into at most that many groups, the same for all submissions to these labels.

    Its seed is a hash of the labels: whoever does not know them cannot spread differences evenly over the groups, which
    would make a standard error small.
    """
    digest = hashlib.blake2b(np.ascontiguousarray(labels).data.cast("B"), digest_size=16).digest()
    order = np.random.default_rng(int.from_bytes(digest, "big")).permutation(units)
    return np.array_split(order, min(groups, units))


def jackknife(
    change_of: Callable[[IntArray], float], score: float, parts: list[IntArray], *, progress: Progress
) -> FloatArray:
    """Contributions of the units from the change that each group makes to the score; one call for each group.

    ``change_of(part)`` is c_g, the sum of its units' influence divided by n: how much of the score is due to what the
    group differs from the rest. With m groups SE² = m/(m − 1)·Σ(c_g − mean)², the delete-a-group jackknife's. All of a
    group's deviation stands at one of its units, the others have the score itself.

    Reference: Kott 2001, The delete-a-group jackknife, Journal of Official Statistics 17; Efron 1982, The Jackknife,
    the Bootstrap and Other Resampling Plans, chapter 6.
    """
    changes = np.empty(len(parts))
    for g, part in enumerate(parts):
        changes[g] = change_of(part)
        progress(g + 1, len(parts))
    units, m = sum(map(len, parts)), len(parts)
    contributions = np.full(units, score)
    # n values of which m differ from their mean have variance Σ(…)²/(n − 1): the factor makes sd/√n the jackknife's SE.
    factor = math.sqrt(units * (units - 1) * m / (m - 1))
    contributions[[part[0] for part in parts]] += factor * (changes - changes.mean())
    return contributions
