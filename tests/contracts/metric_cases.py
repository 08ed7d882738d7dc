"""Example data for every kind of metric, and for every metric a second implementation to agree with."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats
from sklearn import metrics as sk

from ladderboard.core.records import FloatArray
from ladderboard.metrics.base import Metric
from ladderboard.metrics.column_inputs import LabelDecisions, LabelScores, NumberColumns
from ladderboard.metrics.inputs import Array, Classes, InputKind, Numbers, Probabilities, Scores, Survival, TwoClasses
from ladderboard.metrics.mape import PositiveLabels
from ladderboard.metrics.ranking import USUAL_K
from ladderboard.metrics.text_inputs import Masks, RankedLists, Texts

ITEMS = 400


@dataclass(frozen=True)
class Case:
    """Labels and predictions with some skill."""

    labels: Array
    predictions: Array

    def take(self, items: Any) -> "Case":
        return Case(self.labels[items], self.predictions[items])


def case_for(metric: Metric, *, seed: int = 0, items: int = ITEMS) -> Case:
    """An example for this metric; a metric of a new kind needs a maker below."""
    makers = [make for kind, make in MAKERS.items() if isinstance(metric.kind, kind)]
    assert makers, f"no example data for labels and predictions of kind {type(metric.kind).__name__}"
    case = makers[0](np.random.default_rng([items, seed]), items)
    smallest = getattr(metric.kind, "smallest", -math.inf)
    return case if smallest == -math.inf else Case(smallest + np.exp(case.labels), smallest + np.exp(case.predictions))


def _numbers(rng: np.random.Generator, items: int) -> Case:
    """Correlated numbers; a few predictions are tied."""
    labels = rng.normal(size=items)
    return Case(labels, np.round(0.7 * labels + 0.6 * rng.normal(size=items), 2))


def _two_classes(rng: np.random.Generator, items: int) -> Case:
    labels = rng.random(items) < 0.4
    return Case(np.where(labels, "yes", "no"), np.where(labels ^ (rng.random(items) < 0.25), "yes", "no"))


def _classes(rng: np.random.Generator, items: int) -> Case:
    """Three ordered classes of different frequency, six in ten right."""
    labels = rng.choice([1, 2, 3], size=items, p=[0.5, 0.3, 0.2])
    return Case(labels, np.where(rng.random(items) < 0.6, labels, rng.integers(1, 4, items)))


def _scores(rng: np.random.Generator, items: int) -> Case:
    """A rarer positive class; scores are rounded, so that many are tied."""
    labels = (rng.random(items) < 0.3).astype(np.int64)
    return Case(labels, np.round(rng.normal(size=items) + labels, 1))


def _probabilities(rng: np.random.Generator, items: int) -> Case:
    chance = rng.beta(2, 2, items)
    return Case(
        (rng.random(items) < chance).astype(np.int64), np.clip(chance + 0.1 * rng.normal(size=items), 0.02, 0.98)
    )


def _survival(rng: np.random.Generator, items: int) -> Case:
    """Whole-number times (so that some are tied) with a third of the items censored; rounded, tied risks."""
    risk = rng.normal(size=items)
    event_time, censored_at = rng.exponential(20 * np.exp(-risk)), rng.exponential(40, items)
    observed = event_time <= censored_at
    labels = np.column_stack([np.ceil(np.minimum(event_time, censored_at)), observed])
    return Case(labels, np.round(risk + 0.8 * rng.normal(size=items), 1))


def _positive_numbers(rng: np.random.Generator, items: int) -> Case:
    labels = np.exp(0.4 * rng.normal(size=items))
    return Case(labels, np.round(labels * np.exp(0.2 * rng.normal(size=items)), 2))


def _number_columns(rng: np.random.Generator, items: int) -> Case:
    """Three correlated targets in units of their own."""
    labels = (rng.normal(size=(items, 1)) + rng.normal(size=(items, 3))) * [1.0, 2.0, 0.5]
    return Case(labels, np.round(0.7 * labels + 0.6 * rng.normal(size=(items, 3)), 2))


def _label_decisions(rng: np.random.Generator, items: int) -> Case:
    """Three labels of different frequency, of which some come together; some items have none."""
    shared = rng.normal(size=(items, 1))
    labels = shared + rng.normal(size=(items, 3)) > [0.0, 0.4, 0.8]
    return Case(labels.astype(int), (labels ^ (rng.random((items, 3)) < 0.2)).astype(int))


def _label_scores(rng: np.random.Generator, items: int) -> Case:
    labels = _label_decisions(rng, items).labels
    return Case(labels, np.round(rng.normal(size=labels.shape) + labels, 1))


def _rankings(rng: np.random.Generator, items: int) -> Case:
    """One to four relevant of 40 documents, with grades; six in ten of them in the list of ten, somewhere."""
    labels, lists = [], []
    for _ in range(items):
        order, count = rng.permutation(40), int(rng.integers(1, 5))
        relevant = [f"d{one}" for one in order[:count]]
        kept = [one for one in relevant if rng.random() < 0.6]
        others = [f"d{one}" for one in order[count : count + USUAL_K - len(kept)]]
        labels.append([" ".join(relevant), " ".join(map(str, rng.integers(1, 4, count)))])
        lists.append(" ".join(rng.permutation([*kept, *others])))
    return Case(np.array(labels), np.array(lists))


def _masks(rng: np.random.Generator, items: int) -> Case:
    """A run or two in pictures of 12 × 12, predicted with an offset; one in ten has none."""
    labels, masks = [], []
    for _ in range(items):
        start, length, shift = (int(one) for one in rng.integers([1, 5, 0], [60, 40, 12]))
        is_blank = rng.random(2) < 0.1
        labels.append(["" if is_blank[0] else f"{start} {length} {start + 60} 9", "12", "12"])
        masks.append("" if is_blank[1] else f"{start + shift} {length}")
    return Case(np.array(labels), np.array(masks))


WORDS = np.array(["a", "an", "to", "of", "in", "my", "cat", "dog", "sat", "on", "we", "the"])


def _texts(rng: np.random.Generator, items: int) -> Case:
    """Sentences of few words with a second reference for some; a third are answered as they are, others with errors."""
    labels, answers = [], []
    for _ in range(items):
        words = [str(one) for one in rng.choice(WORDS, int(rng.integers(5, 10)))]
        other = list(np.roll(words, 1)) if rng.random() < 0.3 else []
        is_wrong = (rng.random(len(words)) < 0.2) & (rng.random() < 0.7)
        labels.append([" ".join(words), " ".join(other)])
        answers.append(" ".join(np.where(is_wrong, rng.choice(WORDS, len(words)), words)))
    return Case(np.array(labels), np.array(answers))


# The first that fits is taken: a kind stands before those it is derived from.
MAKERS: dict[type[InputKind], Callable[[np.random.Generator, int], Case]] = {
    RankedLists: _rankings,
    Masks: _masks,
    Texts: _texts,
    LabelDecisions: _label_decisions,
    LabelScores: _label_scores,
    NumberColumns: _number_columns,
    PositiveLabels: _positive_numbers,
    TwoClasses: _two_classes,
    Classes: _classes,
    Scores: _scores,
    Probabilities: _probabilities,
    Survival: _survival,
    Numbers: _numbers,
}


# -- peers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Peer:
    """An independent implementation, and what weights it can be asked about."""

    score: Callable[[Array, Array, FloatArray], float]
    weights: Literal["any", "counts"] = "any"
    """Any positive weights, or only whole numbers, by which items are repeated."""


def _repeating(function: Callable[[Array, Array], Any]) -> Peer:
    return Peer(lambda y, p, w: function(np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int))).statistic, "counts")


def _f1_of_yes(y: Array, p: Array, w: FloatArray) -> float:
    return float(sk.f1_score(y, p, pos_label="yes", sample_weight=w))


def _label_f1(average: str, *, zero_division: float) -> Peer:
    return Peer(
        lambda y, p, w: sk.f1_score(y, p, average=average, sample_weight=w, zero_division=zero_division),
    )


def _rmse_of_columns(y: Array, p: Array, w: FloatArray) -> float:
    return float(np.mean(sk.root_mean_squared_error(y, p, sample_weight=w, multioutput="raw_values")))


def _log10_loss(y: Array, p: Array, w: FloatArray) -> float:
    return float(sk.log_loss(y, np.clip(p, 0.01, 0.99), sample_weight=w)) / math.log(10)


def _smape(y: Array, p: Array, w: FloatArray) -> float:
    return 200 * sum(w * abs(y - p) / (abs(y) + abs(p))) / sum(w)


def _ccc(y: Array, p: Array, w: FloatArray) -> float:
    (vy, cov), (_, vp) = np.cov(y, p, aweights=w, ddof=0)
    return float(2 * cov / (vy + vp + (np.average(y, weights=w) - np.average(p, weights=w)) ** 2))


def harrell(y: Array, p: Array, w: FloatArray) -> float:
    """The definition of the c-index, pair by pair."""
    concordant = comparable = 0.0
    for i, (time, event) in enumerate(y):
        outlives = (y[:, 0] > time) | ((y[:, 0] == time) & (y[:, 1] == 0))
        comparable += w[i] * event * w[outlives].sum()
        concordant += w[i] * event * w[outlives] @ ((p[i] > p[outlives]) + 0.5 * (p[i] == p[outlives]))
    return concordant / comparable


def noisy_concordance(y: Array, p: Array, w: FloatArray, noise_sd: float = 1.0) -> float:
    """The definition of the probabilistic c-index, pair by pair."""
    total = pairs = 0.0
    for i in range(len(y)):
        in_order = stats.norm.cdf((y[i] - y[:i]) / (math.sqrt(2) * noise_sd))
        score = np.select([p[i] > p[:i], p[i] < p[:i]], [in_order, 1 - in_order], 0.5)
        total += w[i] * float(w[:i] @ score)
        pairs += w[i] * float(w[:i].sum())
    return total / pairs


def _mean_over_queries(score: Callable[[dict[str, int], list[str]], float]) -> Peer:
    """The mean of a score of relevant document → grade and a list."""

    def compute(y: Array, p: Array, w: FloatArray) -> float:
        grades = [dict(zip(ids.split(), map(int, numbers.split()), strict=True)) for ids, numbers in y.tolist()]
        scores = [score(one, cell.split()) for one, cell in zip(grades, p.tolist(), strict=True)]
        return float(np.average(scores, weights=w))

    return Peer(compute)


def _ndcg(grades: dict[str, int], entries: list[str]) -> float:
    """By scikit-learn, which scores all documents: those of the list in their order, then the others."""
    documents = [*entries, *(one for one in grades if one not in entries)]
    truth = [grades.get(one, 0) for one in documents]
    # Documents that are not in the list come behind all k of it.
    return float(sk.ndcg_score([truth], [np.arange(len(documents))[::-1]], k=USUAL_K))


def _average_precision(grades: dict[str, int], entries: list[str]) -> float:
    hits = [rank for rank, entry in enumerate(entries, 1) if entry in grades]
    return sum(found / rank for found, rank in enumerate(hits, 1)) / min(len(grades), USUAL_K)


def _mean_over_pictures(score: Callable[[set[int], set[int]], float]) -> Peer:
    """The mean of a score of two sets of pixels."""

    def draw(mask: str) -> set[int]:
        runs = [int(one) for one in mask.split()]
        return {at + start for start, length in zip(runs[::2], runs[1::2], strict=True) for at in range(length)}

    return Peer(
        lambda y, p, w: float(np.average([score(draw(a), draw(b)) for a, b in zip(y[:, 0], p, strict=True)], weights=w))
    )


def _references(label: Array) -> list[str]:
    return [str(one) for one in label if one]


def _mean_over_answers(score: Callable[[str, str], float]) -> Peer:
    """The mean of the best score of an answer and a reference."""

    def compute(y: Array, p: Array, w: FloatArray) -> float:
        best = [max(score(str(one), each) for each in _references(label)) for label, one in zip(y, p, strict=True)]
        return float(np.average(best, weights=w))

    return Peer(compute)


def _without_articles(text: str) -> list[str]:
    return [word for word in text.split() if word not in ("a", "an", "the")]


def _squad_f1(answer: str, reference: str) -> float:
    given, wanted = _without_articles(answer), _without_articles(reference)
    shared, left = 0, list(wanted)
    for word in given:
        if word in left:
            left.remove(word)
            shared += 1
    precision, recall = shared / max(1, len(given)), shared / max(1, len(wanted))
    return 2 * precision * recall / (precision + recall) if shared else float(given == wanted)


def fill_table(a: Any, b: Any, *, are_errors: bool) -> int:
    """The table of edit distances, or of longest common subsequences, cell by cell."""
    row = [*range(len(b) + 1)] if are_errors else [0] * (len(b) + 1)
    for i, one in enumerate(a, 1):
        before, row = row, [i if are_errors else 0]
        for j, other in enumerate(b, 1):
            best = min(before[j], row[-1]) + 1 if are_errors else max(before[j], row[-1])
            same = before[j - 1] + ((one != other) if are_errors else (one == other))
            row.append(min(best, same) if are_errors else max(best, same if one == other else 0))
    return row[-1]


def _rouge_l(answer: str, reference: str) -> float:
    given, wanted = answer.split(), reference.split()
    return 2 * fill_table(given, wanted, are_errors=False) / (len(given) + len(wanted))


def _error_rate(split: Callable[[str], Any]) -> Peer:
    def compute(y: Array, p: Array, w: FloatArray) -> float:
        found = [
            min(
                (fill_table(split(one), split(str(text)), are_errors=True), len(split(one)))
                for one in _references(label)
            )
            for label, text in zip(y, p, strict=True)
        ]
        return float(w @ [errors for errors, _ in found] / (w @ [length for _, length in found]))

    return Peer(compute)


def _grams(entries: Any, order: int) -> Counter[Any]:
    return Counter(tuple(entries[at : at + order]) for at in range(len(entries) - order + 1))


def _bleu(y: Array, p: Array, w: FloatArray) -> float:
    precisions = []
    for order in (1, 2, 3, 4):
        hits = given = 0.0
        for label, text, weight in zip(y, p, w, strict=True):
            mine, theirs = _grams(text.split(), order), [_grams(one.split(), order) for one in _references(label)]
            hits += weight * sum(min(n, max(one[gram] for one in theirs)) for gram, n in mine.items())
            given += weight * mine.total()
        precisions.append(hits / given)
    # All references of an item, and its answer, have the same number of words.
    return 100 * math.prod(precisions) ** 0.25


def _chrf(y: Array, p: Array, w: FloatArray) -> float:
    totals = np.zeros((3, 6))
    for label, text, weight in zip(y, p, w, strict=True):
        tables = []
        for reference in _references(label):
            pairs = [[_grams(one.replace(" ", ""), order) for one in (str(text), reference)] for order in range(1, 7)]
            tables.append(np.array([[(a & b).total(), a.total(), b.total()] for a, b in pairs], dtype=float).T)
        totals += weight * max(tables, key=_f2)
    return _f2(totals)


def _f2(table: FloatArray) -> float:
    precision, recall = (table[0] / table[1]).mean(), (table[0] / table[2]).mean()
    return float(500 * precision * recall / (4 * precision + recall)) if precision else 0.0


PEERS: dict[str, Peer] = {
    "dice": _mean_over_pictures(lambda a, b: 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0),
    "iou": _mean_over_pictures(lambda a, b: len(a & b) / len(a | b) if a or b else 1.0),
    "exact_match": _mean_over_answers(lambda p, y: float(_without_articles(p) == _without_articles(y))),
    "token_f1": _mean_over_answers(_squad_f1),
    "rouge_l": _mean_over_answers(_rouge_l),
    "wer": _error_rate(str.split),
    "cer": _error_rate(str),
    "bleu": Peer(_bleu),
    "chrf": Peer(_chrf),
    "ndcg": _mean_over_queries(_ndcg),
    "map": _mean_over_queries(_average_precision),
    "mrr": _mean_over_queries(lambda y, p: max([0.0, *(1 / (p.index(one) + 1) for one in y if one in p)])),
    "recall_at_k": _mean_over_queries(lambda y, p: len(set(y) & set(p)) / len(y)),
    "hit_rate": _mean_over_queries(lambda y, p: float(not set(y).isdisjoint(p))),
    "error_rate": Peer(lambda y, p, w: 1 - sk.accuracy_score(y, p, sample_weight=w)),
    "accuracy": Peer(lambda y, p, w: sk.accuracy_score(y, p, sample_weight=w)),
    "balanced_accuracy": Peer(lambda y, p, w: sk.balanced_accuracy_score(y, p, sample_weight=w)),
    "f1": Peer(_f1_of_yes),
    "macro_f1": Peer(lambda y, p, w: sk.f1_score(y, p, average="macro", sample_weight=w)),
    "mcc": Peer(lambda y, p, w: sk.matthews_corrcoef(y, p, sample_weight=w)),
    "quadratic_kappa": Peer(lambda y, p, w: sk.cohen_kappa_score(y, p, weights="quadratic", sample_weight=w)),
    "log_loss": Peer(lambda y, p, w: sk.log_loss(y, p, sample_weight=w)),
    "log_loss_base10": Peer(_log10_loss),
    "brier": Peer(lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w)),
    "auc": Peer(lambda y, p, w: sk.roc_auc_score(y, p, sample_weight=w)),
    "average_precision": Peer(lambda y, p, w: sk.average_precision_score(y, p, sample_weight=w)),
    "mse": Peer(lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w)),
    "rmse": Peer(lambda y, p, w: sk.root_mean_squared_error(y, p, sample_weight=w)),
    "rmsle": Peer(lambda y, p, w: sk.root_mean_squared_log_error(y, p, sample_weight=w)),
    "mae": Peer(lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w)),
    "smape": Peer(_smape),
    "pinball": Peer(lambda y, p, w: sk.mean_pinball_loss(y, p, sample_weight=w)),
    "r2": Peer(lambda y, p, w: sk.r2_score(y, p, sample_weight=w)),
    "pearson": _repeating(stats.pearsonr),
    "spearman": _repeating(stats.spearmanr),
    "kendall": _repeating(stats.kendalltau),
    "ccc": Peer(_ccc),
    "mape": Peer(lambda y, p, w: sk.mean_absolute_percentage_error(y, p, sample_weight=w)),
    "multilabel_micro_f1": _label_f1("micro", zero_division=0),
    "multilabel_macro_f1": _label_f1("macro", zero_division=np.nan),
    "multilabel_samples_f1": _label_f1("samples", zero_division=1),
    "hamming_loss": Peer(lambda y, p, w: sk.hamming_loss(y, p, sample_weight=w)),
    "mean_columnwise_auc": Peer(lambda y, p, w: sk.roc_auc_score(y, p, average="macro", sample_weight=w)),
    "mean_columnwise_rmse": Peer(_rmse_of_columns),
    "mean_columnwise_mae": Peer(lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w)),
    "c_index": Peer(harrell),
    "probabilistic_c_index": Peer(noisy_concordance),
}
WITHOUT_PEER: dict[str, str] = {}
"""Metrics that nothing independent can be written for, and why."""
