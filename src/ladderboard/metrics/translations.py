"""Metrics of translations, of a whole corpus: BLEU of words, chrF of characters, both from 0 to 100."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import proportion_between
from ladderboard.metrics._families.count_scores import CountMetric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_answers import list_references
from ladderboard.metrics.text_inputs import Texts

WORD_ORDER, CHARACTER_ORDER = 4, 6
BETA_SQUARED = 4.0
"""How many times as much recall counts as precision in chrF, which has β = 2."""

_REPLACED = (("<skipped>", ""), ("-\n", ""), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SIGNS = re.compile(r"([!-&(-+:-@/\[-`{-~])")
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")


class TranslationMetric(CountMetric):
    """A score from 0 to 100 of n-grams that translations share with references; higher is better."""

    kind = Texts(needs_words=True)
    lower_is_better = False
    bounds = (0.0, 100.0)
    scale = proportion_between(0.0, 100.0)
    grid_centre = 50.0
    least_spread = 15.0

    def compute_baseline(self, y: Array) -> Array | float:
        texts, counts = np.unique(y[:, 0].astype(str), return_counts=True)
        return np.full(len(y), texts[counts.argmax()], dtype=object)


class Bleu(TranslationMetric):
    """BLEU: the geometric mean of the shares of 1- to 4-grams that are in a reference, less for short translations.

    Of the counts of the whole corpus, not a mean of items; words as the tokeniser 13a cuts them, upper and lower case
    apart, and of several references the nearest in length counts for the brevity penalty. Equals ``corpus_bleu`` of
    sacrebleu 2 where every order of n-grams has a hit; where one has none, this is 0 and not smoothed. Baseline: the
    most frequent reference, for every item.

    Reference
    ---------
    Papineni et al. 2002, BLEU, ACL; Post 2018, A call for clarity in reporting BLEU scores, WMT.

    >>> round(Bleu().score(["the cat sat on the mat", "a good dog ."], ["the cat sat on a mat", "a good dog ."]), 3)
    68.872
    """

    name = "bleu"
    title = "BLEU"

    def count(self, y: Array, p: Array) -> FloatArray:
        """Hits of each order, n-grams of each order, words, words of the reference."""
        return np.array([_count_words(text, label.tolist()) for text, label in zip(p, y, strict=True)], dtype=float)

    def score_means(self, means: FloatArray) -> FloatArray:
        hits, given, length, reference = _cut(means)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.exp(np.log(hits / given).mean(axis=1))
            brevity = np.exp(np.minimum(0.0, 1 - reference / length))
        return np.clip(np.where(hits.min(axis=1) > 0, 100 * precision * brevity, 0.0), *self.bounds)

    def differentiate(self, means: FloatArray) -> FloatArray:
        hits, given, length, reference = (one[0] for one in _cut(means[None, :]))
        score = self.score_means(means[None, :])[0]
        if score == 0:
            return np.zeros_like(means)
        brevity = np.array([reference / length**2, -1 / length]) * (length < reference)
        return np.asarray(score * np.concatenate([1 / (WORD_ORDER * hits), -1 / (WORD_ORDER * given), brevity]))


def _cut(means: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    hits, given, length, reference = np.split(means, (WORD_ORDER, 2 * WORD_ORDER, 2 * WORD_ORDER + 1), axis=1)
    return hits, given, length[:, 0], reference[:, 0]


def _count_words(text: str, label: list[str]) -> list[int]:
    words = split_words(text)
    references = [split_words(one) for one in list_references(label)]
    nearest = min(map(len, references), key=lambda length: (abs(length - len(words)), length))
    hits = []
    for order in range(1, WORD_ORDER + 1):
        allowed: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            allowed |= _count_grams(reference, order)
        hits.append((_count_grams(words, order) & allowed).total())
    given = [max(0, len(words) - order + 1) for order in range(1, WORD_ORDER + 1)]
    return [*hits, *given, len(words), nearest]


def split_words(text: str) -> list[str]:
    """The words of a text after the tokeniser of mteval-v13a: signs apart, but stops and commas within numbers.

    >>> split_words("It costs 1,000.5 dollars (or so), 3-4 times.")
    ['It', 'costs', '1,000.5', 'dollars', '(', 'or', 'so', ')', ',', '3', '-', '4', 'times', '.']
    """
    for written, meant in _REPLACED:
        text = text.replace(written, meant)
    text = _SIGNS.sub(r" \1 ", f" {text} ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def _count_grams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[at:] for at in range(order)), strict=False))


class ChrF(TranslationMetric):
    """chrF2: the F-score of the 1- to 6-grams of characters that are in a reference, recall counting twice.

    Of the counts of the whole corpus; blanks do not count. Of several references that one counts with the best score of
    the item. Equals ``corpus_chrf`` of sacrebleu 2. Baseline: the most frequent reference, for every item.

    Reference
    ---------
    Popović 2015, chrF: character n-gram F-score for automatic MT evaluation, WMT.

    >>> round(ChrF().score(["the cat", "a dog"], ["the hat", "a dog"]), 3)
    40.0
    """

    name = "chrf"
    title = "chrF"

    def count(self, y: Array, p: Array) -> FloatArray:
        """Hits, n-grams given and n-grams of the reference, each of every order."""
        return np.array([self._count(text, label.tolist()) for text, label in zip(p, y, strict=True)], dtype=float)

    def _count(self, text: str, label: list[str]) -> FloatArray:
        given = "".join(text.split())
        found = np.array(
            [_count_characters(given, "".join(one.split())) for one in list_references(label)], dtype=float
        )
        return np.asarray(found[self.score_means(found).argmax()])

    def score_means(self, means: FloatArray) -> FloatArray:
        precision, recall = _average_orders(means)
        weighted = BETA_SQUARED * precision + recall
        return np.clip(100 * (1 + BETA_SQUARED) * precision * recall / np.where(weighted > 0, weighted, 1.0), 0, 100)

    def differentiate(self, means: FloatArray) -> FloatArray:
        (precision,), (recall,) = _average_orders(means[None, :])
        hits, given, wanted = np.split(means, 3)
        counts = (given > 0) & (wanted > 0)
        if not precision:
            return np.zeros_like(means)
        factor = 100 * (1 + BETA_SQUARED) / (BETA_SQUARED * precision + recall) ** 2 / counts.sum()
        by_precision, by_recall = factor * recall**2, factor * BETA_SQUARED * precision**2
        given, wanted = np.where(counts, given, np.inf), np.where(counts, wanted, np.inf)
        return np.concatenate(
            [by_precision / given + by_recall / wanted, -by_precision * hits / given**2, -by_recall * hits / wanted**2]
        )


def _average_orders(means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Precision and recall, averaged over the orders of which both sides have n-grams."""
    hits, given, wanted = np.split(means, 3, axis=1)
    counts = (given > 0) & (wanted > 0)
    orders = np.maximum(counts.sum(axis=1), 1)
    shares = (
        np.where(counts, hits / np.where(counts, each, 1.0), 0.0).sum(axis=1) / orders for each in (given, wanted)
    )
    precision, recall = shares
    return precision, recall


def _count_characters(given: str, reference: str) -> list[int]:
    hits = []
    for order in range(1, CHARACTER_ORDER + 1):
        first, second = (
            Counter(one[at : at + order] for at in range(len(one) - order + 1)) for one in (given, reference)
        )
        hits.append((first & second).total())
    lengths = [max(0, len(one) - order) for one in (given, reference) for order in range(CHARACTER_ORDER)]
    return [*hits, *lengths]
