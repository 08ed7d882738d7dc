"""Metrics of ranked lists: for each query, where in the list the relevant ids are."""

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.item_scores import ItemScoreMetric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_inputs import RankedLists

USUAL_K = 10
AT_ONCE = 1_000_000
"""Entries of lists that are compared together, so that memory stays small."""


@dataclass(frozen=True, eq=False)
class Hits:
    """What some lists found, query by query."""

    gains: FloatArray
    """Queries × k: the grade of the id at each rank, 0 where it is not relevant."""
    ideal: FloatArray
    """The same of the best possible list."""
    relevant: FloatArray
    """How many ids are relevant."""

    @property
    def is_hit(self) -> FloatArray:
        return np.asarray(self.gains > 0, dtype=np.float64)


class RankingMetric(ItemScoreMetric):
    """The mean over queries of a score of the first k entries of a list, of which those count that are relevant.

    To write one: `score_lists`. Baseline: the k ids that are relevant to most queries, for every query.
    """

    family: str

    def __init__(self, *, k: int = USUAL_K) -> None:
        self.k = k
        self.kind = RankedLists(k)
        self.name = self.family if k == USUAL_K else f"{self.family}@{k}"

    @abstractmethod
    def score_lists(self, hits: Hits) -> FloatArray:
        """A score from 0 to 1 for each query."""

    def compare(self, y: Array, p: Array) -> FloatArray:
        rows = max(1, AT_ONCE // self.k)
        parts = [find_hits(y[at : at + rows], p[at : at + rows], self.k) for at in range(0, len(y), rows)]
        return np.asarray(np.clip(np.concatenate([self.score_lists(part) for part in parts]), 0.0, 1.0))

    def labels_as_predictions(self, y: Array) -> Array:
        best = [" ".join(sorted(grades, key=lambda one: -grades[one])[: self.k]) for grades in map(_read_grades, y)]
        return np.array(best, dtype=object)

    def compute_baseline(self, y: Array) -> Array | float:
        counts = Counter(one for label in y for one in label[0].split())
        popular = sorted(counts, key=lambda one: (-counts[one], one))[: self.k]
        return np.full(len(y), " ".join(popular), dtype=object)


def find_hits(y: Array, p: Array, k: int) -> Hits:
    """Look up every entry of every list among the relevant ids of its query."""
    gains, ideal, relevant = np.zeros((len(y), k)), np.zeros((len(y), k)), np.empty(len(y))
    for row, (label, cell) in enumerate(zip(y, p, strict=True)):
        grades = _read_grades(label)
        found = [grades.get(entry, 0.0) for entry in cell.split()]
        gains[row, : len(found)] = found
        best = sorted(grades.values(), reverse=True)[:k]
        ideal[row, : len(best)] = best
        relevant[row] = len(grades)
    return Hits(gains, ideal, relevant)


def _read_grades(label: Array) -> dict[str, float]:
    """Relevant id → grade, 1 where none are given."""
    ids = label[0].split()
    return dict(zip(ids, map(float, label[1].split()), strict=True)) if len(label) > 1 else dict.fromkeys(ids, 1.0)


class NormalisedGain(RankingMetric):
    """nDCG@k: the mean over queries of Σ grade/log₂(1 + rank) of a list, as a share of that of the best list.

    Parameters
    ----------
    k
        How many entries a list may have. "ndcg" is that of 10, any other is named after it: "ndcg@5".

    The gain is the grade itself, as in ``sklearn.metrics.ndcg_score(k=k)``, not 2 to its power. Baseline: the k ids
    that are relevant to most queries.

    Reference
    ---------
    Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20.

    >>> NormalisedGain(k=3).score([["a b", "2 1"], ["c", "1"]], ["a x b", "x y c"])
    0.7251...
    """

    family = "ndcg"
    title = "nDCG"

    def score_lists(self, hits: Hits) -> FloatArray:
        discount = 1 / np.log2(2 + np.arange(self.k))
        return np.asarray((hits.gains @ discount) / (hits.ideal @ discount))


class MeanAveragePrecision(RankingMetric):
    """MAP@k: the mean over queries of Σ (precision at the rank of a hit)/min(relevant ids, k).

    Parameters
    ----------
    k
        How many entries a list may have. "map" is that of 10, any other is named after it: "map@5".

    As on Kaggle. Grades do not count. Baseline: the k ids that are relevant to most queries.

    >>> MeanAveragePrecision(k=3).score(["a b", "c"], ["a x b", "x y c"])  # (1 + 2/3)/2 and 1/3
    0.5833...
    """

    family = "map"
    title = "MAP"

    def score_lists(self, hits: Hits) -> FloatArray:
        is_hit = hits.is_hit
        precision = np.cumsum(is_hit, axis=1) / np.arange(1, self.k + 1)
        return np.asarray((precision * is_hit).sum(axis=1) / np.minimum(hits.relevant, self.k))


class MeanReciprocalRank(RankingMetric):
    """MRR@k: the mean over queries of 1/rank of the first hit; 0 where the list has none.

    Parameters
    ----------
    k
        How many entries a list may have. "mrr" is that of 10, any other is named after it: "mrr@5".

    Baseline: the k ids that are relevant to most queries.

    >>> MeanReciprocalRank(k=3).score(["a b", "c"], ["a x b", "x c"])
    0.75
    """

    family = "mrr"
    title = "MRR"

    def score_lists(self, hits: Hits) -> FloatArray:
        is_hit = hits.is_hit
        return np.asarray(is_hit.max(axis=1) / (1 + is_hit.argmax(axis=1)))


class RecallAtK(RankingMetric):
    """The mean over queries of the share of the relevant ids that are in the list.

    Parameters
    ----------
    k
        How many entries a list may have. "recall_at_k" is that of 10, any other is named after it: "recall_at_k@5".

    A query with more than k relevant ids cannot reach 1. Baseline: the k ids that are relevant to most queries.

    >>> RecallAtK(k=3).score(["a b", "c"], ["a x", "x c"])
    0.75
    """

    family = "recall_at_k"
    title = "recall@k"

    def score_lists(self, hits: Hits) -> FloatArray:
        return np.asarray(hits.is_hit.sum(axis=1) / hits.relevant)


class HitRate(RankingMetric):
    """The share of the queries of which the list has at least one relevant id.

    Parameters
    ----------
    k
        How many entries a list may have. "hit_rate" is that of 10, any other is named after it: "hit_rate@5".

    Baseline: the k ids that are relevant to most queries.

    >>> HitRate(k=3).score(["a b", "c"], ["a x", "x y"])
    0.5
    """

    family = "hit_rate"
    title = "hit rate"
    paired_test = "mcnemar"
    least_spread = 0.5

    def score_lists(self, hits: Hits) -> FloatArray:
        return np.asarray(hits.is_hit.max(axis=1))
