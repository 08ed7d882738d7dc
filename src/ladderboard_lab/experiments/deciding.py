"""Decisions of checks, with an error rate: exact tests over repetitions, each on data of its own.

A claim such as "noise lessens the overfitting" is read as: *in more than half of the repetitions* it does. How often it
does, c of N independent repetitions, is binomial, whatever the distribution of what is measured. With B ~ Bin(N, 1/2)

    holds           if P(B ≥ c) ≤ level: were it not so, as many would be rarer than the level
    does not hold   if P(B ≤ c) ≤ level
    not decided     else: N is too small for how often it is so

A verdict may have up to `MOST_PARTS` of these tests, each at `PART_LEVEL` = `VERDICT_LEVEL` / `MOST_PARTS`. By the
union bound a true claim is called false, and a false one true, with probability `VERDICT_LEVEL` at most. A negative
control under which the claim is true in half of the repetitions or fewer is found out (the check does not hold, or is
not decided) with a probability of 1 − `PART_LEVEL` at least: that is the power of a check against its control.

The smallest N that can decide is 17, from 2⁻¹⁷ < `PART_LEVEL`. A claim that is so in a share q of the repetitions is
decided with a probability of .999 from N ≈ ((4.27 + 6.18·√(q(1 − q)))/(2q − 1))²: 39 for q = .95, 127 for .8.

Numbers of a source are means of its own few repetitions. `agrees` compares them with ours by t at the same level.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

Decision = Literal["holds", "does not hold", "not decided"]
"""What the data say of a claim."""

VERDICT_LEVEL = 1e-4
"""The largest probability of a wrong verdict, either way."""
MOST_PARTS = 10
"""The largest number of tests in a verdict."""
PART_LEVEL = VERDICT_LEVEL / MOST_PARTS
EQUAL = 1e-12
"""Losses closer than this are equal, and differ by how they were summed."""


@dataclass(frozen=True)
class Evidence:
    """How many of ``trials`` independent repetitions a claim was true in; it should be in more than ``share``.

    >>> Evidence(20, 20).decision, Evidence(14, 20).decision, Evidence(0, 20).decision
    ('holds', 'not decided', 'does not hold')
    """

    successes: int
    trials: int
    share: float = 0.5

    @property
    def decision(self) -> Decision:
        """The exact binomial test, both ways, at `PART_LEVEL`."""
        from scipy.stats import binom

        if binom.sf(self.successes - 1, self.trials, self.share) <= PART_LEVEL:
            return "holds"
        return "does not hold" if binom.cdf(self.successes, self.trials, self.share) <= PART_LEVEL else "not decided"

    def __str__(self) -> str:
        return f"{self.successes} of {self.trials}"


def usually(is_so: ArrayLike, *, share: float = 0.5) -> Evidence:
    """Whether something is so in more than half, or another ``share``, of the repetitions.

    >>> usually([True] * 18)
    Evidence(successes=18, trials=18, share=0.5)
    """
    found = np.asarray(is_so)
    if found.ndim != 1 or (found.size and found.dtype != np.bool_):
        raise ValueError(f"one truth value for each repetition is needed, not {found.dtype} of shape {found.shape}")
    return Evidence(int(np.count_nonzero(found)), len(found), share)


def usually_positive(differences: ArrayLike) -> Evidence:
    """Whether a difference is mostly positive, of those repetitions in which there is one.

    Two boards that accepted the same say nothing for either; counted as failures, they would speak against a claim.

    >>> usually_positive([0.5, 0.0, -0.25, 1e-16])
    Evidence(successes=1, trials=2, share=0.5)
    """
    found = np.asarray(differences, dtype=float)
    return usually(found[np.abs(found) > EQUAL] > 0)


def decide_all(evidence: Iterable[Evidence]) -> Decision:
    """Decide a claim of several parts: it holds if every part does, and does not if one does not."""
    decisions = {one.decision for one in evidence}
    if "does not hold" in decisions:
        return "does not hold"
    return "holds" if decisions == {"holds"} else "not decided"


def agrees(distances: ArrayLike, *, degrees: float) -> bool:
    """Whether differences, each in standard errors of its own, are all as small as chance makes them.

    The critical value is that of t with these ``degrees`` of freedom, two-sided, at `PART_LEVEL` over all of them.

    >>> agrees([0.3, -4.0], degrees=200), agrees([0.3, -6.0], degrees=200)
    (True, False)
    """
    from scipy.stats import t

    found = np.abs(np.asarray(distances, dtype=float))
    return bool(found.max() <= t.isf(PART_LEVEL / (2 * found.size), degrees))
