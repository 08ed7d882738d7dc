"""Influence values of a score that is known only as a function of weights: two jackknives.

Both give n contributions whose mean is the score and whose sd/√n is the standard error of the score.
"""

import math
from collections.abc import Callable

import numpy as np

from ladderboard.core.records import FloatArray, IntArray

Progress = Callable[[int, int], None]
"""Called as progress(done, total) while something long is under way."""

STEP = 1e-4
"""The weight that is added to an item, in mean weights. The curvature of a smooth score then costs about a share 1e-4/n
of an influence value, and rounding about 1e-12·n of the score (1e-8 for 10,000 items)."""

GROUPS = 200
"""Groups of the delete-a-group jackknife: its standard error is then itself good to 5 % (1/√(2·200))."""


def infinitesimal_jackknife(
    score_under: Callable[[FloatArray], float], w: FloatArray, *, progress: Progress
) -> FloatArray:
    """Contributions from the derivative of the score by the weight of each item; n + 1 evaluations.

    The influence of an item is (s(mixture) − s)/t, where the mixture gives the item an extra share t of the weight:
    t = STEP/(n + STEP). A mean of losses is linear along this path, and its contributions are exact. Contributions are
    s + influence·w/mean(w), recentred on the score against what little the finite step leaves.

    Reference: Jaeckel 1972, The infinitesimal jackknife; Efron 1982, The Jackknife, the Bootstrap and Other Resampling
    Plans, chapter 6.
    """
    score = score_under(w)
    added = STEP * float(w.mean())
    share = added / (float(w.sum()) + added)
    change = np.empty(len(w))
    for item in range(len(w)):
        heavier = w.copy()
        heavier[item] += added
        change[item] = score_under(heavier) - score
        progress(item + 1, len(w))
    influence = change / share * (w / w.mean())
    return np.asarray(score + influence - influence.mean())


def grouped_jackknife(
    score_on: Callable[[IntArray], float], items: int, *, groups: int = GROUPS, progress: Progress
) -> FloatArray:
    """Contributions from leaving out one group of items at a time; at most ``groups`` + 1 evaluations.

    The groups are a fixed random partition that depends on the number of items alone, so that two submissions to a
    holdout are compared on the same groups. With m groups and the scores s₋g without one of them, SE² = (m − 1)/m·Σ(s₋g
    − mean)². All of a group's deviation stands at one of its items, the others have the score itself: the effective
    number of items that carry a difference is then at most m, as it is known no better.

    Reference: Kott 2001, The delete-a-group jackknife, Journal of Official Statistics 17.
    """
    everything = np.arange(items)
    score = score_on(everything)
    order = np.random.default_rng(items).permutation(items)
    parts = np.array_split(order, min(groups, items))
    without = np.empty(len(parts))
    for g, part in enumerate(parts):
        without[g] = score_on(np.delete(everything, part))
        progress(g + 1, len(parts))
    deviations = np.zeros(items)
    # n values of which m differ from their mean have variance Σ(…)²/(n − 1): the factor makes sd/√n the jackknife's SE.
    factor = math.sqrt(items * (items - 1) * (len(parts) - 1) / len(parts))
    deviations[[part[0] for part in parts]] = factor * (without.mean() - without)
    return np.asarray(score + deviations)
