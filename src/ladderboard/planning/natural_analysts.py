"""The number of models, all fixed in advance, that may be compared before the best owes too much to luck.

Mania et al. 2019, Model Similarity Mitigates Test Set Overuse (NeurIPS): models that make the same mistakes share
their luck, so a test set can compare more of them. Nothing here bounds a search that uses the scores.
"""

from dataclasses import dataclass

from ladderboard.core.records import Yardstick
from ladderboard.inference.multiplicity.similarity import correlation_from_similarity, reference_correlation
from ladderboard.inference.multiplicity.sota import sota
from ladderboard.inference.power import SENSIBLE_IMPROVEMENT, distance_to_best

IMAGENET_SIMILARITY, IMAGENET_ACCURACY = 0.85, 0.756
"""Two good ImageNet models are right or wrong together on so many images (Mania et al. 2019)."""
PAIRWISE = correlation_from_similarity(IMAGENET_SIMILARITY, IMAGENET_ACCURACY)
MOST_MODELS = 10_000
"""Larger numbers are not told apart."""


@dataclass(frozen=True)
class NaturalAnalysts:
    """The most models whose best score exceeds the best true accuracy by no more than the tolerance, on average.

    All have the same true ``accuracy``: where some are worse, the best score is lower. ``independent``: their mistakes
    have nothing in common; ``alike``: as much as those of ImageNet's models. `MOST_MODELS` means that many or more.
    """

    accuracy: float
    tolerance: float
    independent: int
    alike: int

    def sentence(self) -> str:
        """The two numbers in plain words, with what is assumed."""
        return (
            f"Natural analysts, who do not use the scores, can compare {_count(self.independent, 'unrelated models')}, "
            f"or {_count(self.alike, 'as alike as those of ImageNet')}, before the best score is expected to exceed "
            f"the truth by {self.tolerance:g} (all of accuracy {self.accuracy:.3g}). A search that uses the scores is "
            f"not covered."
        )


def count_natural_analysts(yardstick: Yardstick, tolerance: float) -> NaturalAnalysts | None:
    """Count the models a test set can compare; None where losses are not 0 or 1, or the baseline is never wrong."""
    reach = distance_to_best(yardstick)
    if yardstick.paired_test != "mcnemar" or not reach:
        return None
    accuracy = 1 - (1 - SENSIBLE_IMPROVEMENT) * reach
    counts = (_largest(yardstick.units, accuracy, tolerance, rho) for rho in (None, reference_correlation(PAIRWISE)))
    return NaturalAnalysts(accuracy, tolerance, *counts)


def _largest(items: int, accuracy: float, tolerance: float, correlation: float | None) -> int:
    """Bisect: the luck of the best grows with the number of models, and one model has none."""

    def is_within(models: int) -> bool:
        return sota(models, items, accuracy, correlation=correlation).luck <= tolerance

    if is_within(MOST_MODELS):
        return MOST_MODELS
    low, high = 1, MOST_MODELS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_within(middle) else (low, middle)
    return low


def _count(models: int, kind: str) -> str:
    return f"{models:,} {'or more ' if models == MOST_MODELS else ''}{kind}"
