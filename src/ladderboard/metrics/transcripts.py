"""Metrics of transcripts: errors of all items as a share of the words or letters of all references."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics._families.count_scores import CountMetric
from ladderboard.metrics._kernels.sequences import edit_distance
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_answers import list_references
from ladderboard.metrics.text_inputs import Texts


class ErrorShare(CountMetric):
    """The fewest insertions, deletions and substitutions of all items, divided by the length of all references.

    To write one: `split`. Of several references that one counts with the smallest share. Baseline: an empty text, which
    scores 1.
    """

    kind = Texts(needs_words=True)
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG
    grid_centre = 0.5
    least_spread = 0.25

    @abstractmethod
    def split(self, text: str) -> Sequence[str]:
        """The words, or the letters."""

    def count(self, y: Array, p: Array) -> FloatArray:
        """Errors, and the length of the reference."""
        return np.array([self._count(text, label.tolist()) for text, label in zip(p, y, strict=True)], dtype=float)

    def _count(self, text: str, label: list[str]) -> tuple[int, int]:
        given = self.split(text)
        references = map(self.split, list_references(label))
        found = [(edit_distance(one, given), len(one)) for one in references]
        return min(found, key=lambda one: one[0] / one[1])

    def score_means(self, means: FloatArray) -> FloatArray:
        return np.asarray(means[:, 0] / means[:, 1])

    def differentiate(self, means: FloatArray) -> FloatArray:
        errors, length = means
        return np.array([1 / length, -errors / length**2])

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full(len(y), "", dtype=object)


class WordErrorRate(ErrorShare):
    """WER: wrong, missing and added words of all items, divided by the words of all references.

    Words are what stands between blanks, upper and lower case apart. Equals ``jiwer.wer`` of lists. Baseline: an empty
    text, which scores 1.

    >>> WordErrorRate().score(["the cat sat", "good dog"], ["the hat sat", "a good dog"])  # (1 + 1)/5
    0.4
    """

    name = "wer"
    title = "WER"

    def split(self, text: str) -> Sequence[str]:
        return text.split()


class CharacterErrorRate(ErrorShare):
    """CER: wrong, missing and added characters of all items, divided by the characters of all references.

    Blanks count, several of them as one. Equals ``jiwer.cer`` of lists. Baseline: an empty text, which scores 1.

    >>> CharacterErrorRate().score(["the cat", "dog"], ["the hat", "dogs"])  # (1 + 1)/10
    0.2
    """

    name = "cer"
    title = "CER"

    def split(self, text: str) -> Sequence[str]:
        return " ".join(text.split())
