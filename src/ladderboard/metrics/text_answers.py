"""Metrics of short answers and summaries: how an answer agrees with the best of its references."""

import re
import string
from abc import abstractmethod
from collections import Counter

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.item_scores import ItemScoreMetric
from ladderboard.metrics._kernels.sequences import count_common
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_inputs import Texts

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WORD = re.compile(r"[^\W_]+")
_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))


class AnswerMetric(ItemScoreMetric):
    """The mean over items of the score of an answer against that of its references which suits it best.

    To write one: `split` and `score_pair`. Baseline: the first reference that most items have, for every item.
    """

    kind = Texts(needs_words=False)

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """The words of a text that are compared."""

    @abstractmethod
    def score_pair(self, answer: list[str], reference: list[str]) -> float:
        """A score from 0 to 1."""

    def compare(self, y: Array, p: Array) -> FloatArray:
        return np.array([self._score(answer, label.tolist()) for answer, label in zip(p, y, strict=True)], dtype=float)

    def _score(self, answer: str, references: list[str]) -> float:
        words = self.split(answer)
        return max(self.score_pair(words, self.split(one)) for one in list_references(references))

    def labels_as_predictions(self, y: Array) -> Array:
        return np.array(y[:, 0])

    def compute_baseline(self, y: Array) -> Array | float:
        texts, counts = np.unique(y[:, 0].astype(str), return_counts=True)
        return np.full(len(y), texts[counts.argmax()], dtype=object)


def list_references(label: list[str]) -> list[str]:
    """The references of an item: the first, and those after it that have a word."""
    return [label[0], *(one for one in label[1:] if one.strip())]


def normalise_answer(text: str) -> list[str]:
    """The words of an answer in lower case, without punctuation and English articles, as SQuAD compares them.

    >>> normalise_answer("The Eiffel-Tower!")
    ['eiffeltower']
    """
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _score_shared(shared: int, answer: list[str], reference: list[str]) -> float:
    """F1 of the words that two texts share; of two empty ones 1."""
    if not answer or not reference:
        return float(answer == reference)
    return 2 * shared / (len(answer) + len(reference))


class ExactMatch(AnswerMetric):
    """The share of items whose answer is one of the references, but for case, punctuation and the articles a, an, the.

    The comparison of SQuAD's evaluation; an empty reference stands for "no answer". Baseline: the most frequent
    reference.

    Reference
    ---------
    Rajpurkar et al. 2016, SQuAD: 100,000+ questions for machine comprehension of text, EMNLP.

    >>> ExactMatch().score(["the Eiffel Tower", "1889"], ["Eiffel tower.", "in 1889"])
    0.5
    """

    name = "exact_match"
    title = "exact match"
    paired_test = "mcnemar"
    least_spread = 0.5

    def split(self, text: str) -> list[str]:
        return normalise_answer(text)

    def score_pair(self, answer: list[str], reference: list[str]) -> float:
        return float(answer == reference)


class TokenF1(AnswerMetric):
    """The mean over items of the F1 of the words that an answer shares with a reference, the best one counting.

    Words as for exact match, after SQuAD's evaluation; of two empty texts it is 1. Baseline: the most frequent
    reference.

    >>> TokenF1().score(["the Eiffel Tower", "1889"], ["Eiffel tower.", "in 1889"])  # 1 and 2/3
    0.8333...
    """

    name = "token_f1"
    title = "token F1"

    def split(self, text: str) -> list[str]:
        return normalise_answer(text)

    def score_pair(self, answer: list[str], reference: list[str]) -> float:
        return _score_shared((Counter(answer) & Counter(reference)).total(), answer, reference)


class RougeL(AnswerMetric):
    """The mean over items of ROUGE-L: the F1 of the longest sequence of words common to an answer and a reference.

    Words are runs of letters and digits in lower case, not stemmed. Of English texts it equals ``rougeL`` of the
    package rouge-score, which drops letters other than a to z. Of several references the best one counts. Baseline: the
    most frequent reference.

    Reference
    ---------
    Lin 2004, ROUGE: a package for automatic evaluation of summaries, ACL workshop.

    >>> RougeL().score(["the cat sat", "a dog"], ["the cat was on the mat", "a dog"])  # 2·2/(6 + 3) and 1
    0.7222...
    """

    name = "rouge_l"
    title = "ROUGE-L"

    def split(self, text: str) -> list[str]:
        return _WORD.findall(text.lower())

    def score_pair(self, answer: list[str], reference: list[str]) -> float:
        return _score_shared(count_common(reference, answer), answer, reference)
