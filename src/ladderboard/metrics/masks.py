"""Metrics of masks that are given as runs of pixels: how far the predicted pixels are the true ones."""

from abc import abstractmethod

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._families.item_scores import ItemScoreMetric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_inputs import Masks, read_runs


class MaskMetric(ItemScoreMetric):
    """The mean over pictures of a score of three counts: the pixels predicted, the true ones, and those that are both.

    To write one: `score_counts`. Whether pixels are numbered by column, as on Kaggle, or by row does not matter, as
    long as both masks are. Where neither mask has a pixel the score is 1. Baseline: no pixel, for every picture.
    """

    kind = Masks()

    @abstractmethod
    def score_counts(self, predicted: FloatArray, true: FloatArray, both: FloatArray) -> FloatArray:
        """A score from 0 to 1 for each picture; masks are not both empty."""

    def compare(self, y: Array, p: Array) -> FloatArray:
        counts = np.array([_count(read_runs(cell), read_runs(mask)) for cell, mask in zip(p, y[:, 0], strict=True)])
        predicted, true, both = counts.T.astype(np.float64)
        is_empty = predicted + true == 0
        return np.where(is_empty, 1.0, self.score_counts(predicted + is_empty, true + is_empty, both))

    def labels_as_predictions(self, y: Array) -> Array:
        return np.array(y[:, 0])

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full(len(y), "", dtype=object)


def _count(predicted: IntArray, true: IntArray) -> tuple[int, int, int]:
    """The pixels of two masks, and of both."""
    starts, lengths = predicted[0::2], predicted[1::2]
    both = _count_below(true, starts + lengths) - _count_below(true, starts)
    return int(lengths.sum()), int(true[1::2].sum()), int(both.sum())


def _count_below(runs: IntArray, pixels: IntArray) -> IntArray:
    """How many pixels of a mask come before each of some pixels; no picture is drawn for it."""
    starts, lengths = runs[0::2], runs[1::2]
    before = np.concatenate([[0], np.cumsum(lengths)])
    at = np.searchsorted(starts, pixels, side="right")  # the runs that start at the pixel or before
    last = np.maximum(at - 1, 0)
    if not len(starts):
        return np.zeros(len(pixels), dtype=np.int64)
    inside = np.minimum(pixels - starts[last], lengths[last])
    return np.asarray(np.where(at > 0, before[last] + inside, 0))


class Dice(MaskMetric):
    """The mean over pictures of the Dice coefficient: 2·(pixels of both masks)/(pixels of one + pixels of the other).

    Of each picture that is the F1 of its pixels. Baseline: no pixel, for every picture.

    >>> Dice().score([["1 4", "3", "3"], ["", "3", "3"]], ["3 4", ""])  # 2·2/(4 + 4), and both empty
    0.75
    """

    name = "dice"
    title = "Dice"

    def score_counts(self, predicted: FloatArray, true: FloatArray, both: FloatArray) -> FloatArray:
        return 2 * both / (predicted + true)


class IntersectionOverUnion(MaskMetric):
    """The mean over pictures of the Jaccard index: (pixels of both masks)/(pixels of either).

    Baseline: no pixel, for every picture.

    >>> IntersectionOverUnion().score([["1 4", "3", "3"], ["", "3", "3"]], ["3 4", ""])  # 2/6, and both empty
    0.666...
    """

    name = "iou"
    title = "IoU"

    def score_counts(self, predicted: FloatArray, true: FloatArray, both: FloatArray) -> FloatArray:
        return both / (predicted + true - both)
