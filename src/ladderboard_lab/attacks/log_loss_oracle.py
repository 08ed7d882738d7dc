"""Log-loss oracle: a dozen labels from one score, whose binary digits spell them."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_metric
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant

LARGEST_DIFFERENCE = 34.5
"""ln 10¹⁵ is 34.54: what a label can change in one item's loss before the metric cuts it off."""


@dataclass(frozen=True)
class LogLossOracle(Attack):
    """Give m items the probabilities 1/(1 + e^δ_j) with δ_j = ε·2^j and all others ½: the loss spells m labels.

    With y_j = 1 item j loses δ_j more than with y_j = 0, so n times the released number is a known constant plus
    ε·(the labels as a binary number). A number with ``decimals`` decimals tells sums that are n·10^(−decimals) apart,
    hence ε just above that, and m = 1 + ⌊log2(34.5/ε)⌋ labels in one submission.

    Metric: log loss, two classes, all items public. Breaks: mechanisms that tell every score with a few decimals.
    Expected: all labels in ⌈n/m⌉ submissions; 198 labels in 14 submissions at 5 decimals (m = 15), 4000 labels in 400
    (m = 10). The final probabilities then lose nothing where the truth is ln 2 and more.

    Reference: Whitehill 2017, Climbing the Kaggle leaderboard by exploiting the log-loss oracle (arXiv 1707.01825).
    """

    name: ClassVar[str] = "log_loss_oracle"
    heading: ClassVar[str] = "log-loss oracle"
    yields: ClassVar[Yield] = "labels"
    decimals: int = 5

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "log_loss") or (None if briefing.classes == 2 else "needs two classes")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items = participant.briefing.items
        found = np.full(items, 0.5)
        batch = self.labels_per_submission(items)
        batches = [np.arange(start, min(start + batch, items)) for start in range(0, items, batch)]
        for chosen in batches[:budget]:
            differences = np.ldexp(self.smallest_difference(items), np.arange(len(chosen)))
            trial = np.full(items, 0.5)
            trial[chosen] = 1 / (1 + np.exp(differences))
            value = participant.submit(trial).value
            if value is not None:
                found[chosen] = spell_labels(value * items, differences, others=items - len(chosen))
        return found

    def smallest_difference(self, items: int) -> float:
        """ε: a hundredth more than what rounding can hide."""
        return 1.01 * items * 10.0**-self.decimals

    def labels_per_submission(self, items: int) -> int:
        """m; at least one, though a number may then be too coarse to tell it.

        >>> LogLossOracle(decimals=5).labels_per_submission(198)
        15
        """
        return max(1, 1 + math.floor(math.log2(LARGEST_DIFFERENCE / self.smallest_difference(items))))


def spell_labels(total: float, differences: FloatArray, *, others: int) -> FloatArray:
    """The labels whose losses sum up to ``total``; ½ for all where no labels do, as in a stored number told again.

    >>> spell_labels(1.0 + np.log1p(np.exp(-1.0)), np.array([1.0]), others=0)
    array([1.])
    """
    certain = others * math.log(2) + float(np.log1p(np.exp(-differences)).sum())
    number = round((total - certain) / differences[0])
    if not 0 <= number < 2 ** len(differences):
        return np.full(len(differences), 0.5)
    return np.array([float(number >> place & 1) for place in range(len(differences))])
