"""Boards of which only scores are known: are they shares of right answers, as a binomial variance needs?"""

import re

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

NOT_MEANS = re.compile(
    r"(?<![a-z])(?:auc|auroc|roc|log.?loss|cross.?entropy|perplexity|r?mse|mae|kappa|f1|f.?score|gini|pearson|spearman)",
    re.IGNORECASE,
)
"""Scores that are no mean over items of numbers between 0 and 1."""
NOT_SHARES = re.compile(r"(?<![a-z])(?:dice|iou|jaccard|mrr|ndcg|map(?![a-z])|bleu|rouge|chrf)", re.IGNORECASE)
"""Means over items of numbers between 0 and 1 that are not right or wrong."""


def refuse_no_mean(file: str, column: str, *, is_accuracy: bool) -> None:
    """Refuse scores such as AUC, whose spread no number of items bounds."""
    found = NOT_MEANS.search(column)
    if found and not is_accuracy:
        raise InputError(
            f"{file}, column {column!r}: a score like {found[0]} is not a mean over items of numbers between 0 and 1, "
            "so the number of items does not give its spread; audit the predictions themselves (MATRIX, --kind "
            "predictions), or say --is-accuracy if the scores are shares of right answers"
        )


def refuse_no_shares(file: str, column: str, scores: FloatArray, test_size: int | None, *, is_accuracy: bool) -> None:
    """Refuse scores that are not shares of right answers, by their name or because no count of items gives them."""
    if is_accuracy:
        return
    found = NOT_MEANS.search(column) or NOT_SHARES.search(column)
    if found:
        raise InputError(
            f"{file}, column {column!r}: a score like {found[0]} is not a share of right answers, and its luck is not "
            "binomial; give the losses of the items (--losses), or say --is-accuracy if it is one"
        )
    off = None if test_size is None else _find_off_lattice(scores, test_size)
    if off is not None:
        raise InputError(
            f"{file}, column {column!r}: {off:g} is not a share of {test_size} items, so the scores are not accuracies "
            "on them; check --test-size, give the losses of the items (--losses), or say --is-accuracy"
        )


def _find_off_lattice(scores: FloatArray, test_size: int) -> float | None:
    """A score that no whole number of right answers gives, as far as its digits can tell."""
    digits = max(len(repr(float(score)).partition(".")[2]) for score in scores)
    slack = test_size * 0.5 * 10.0 ** -min(digits, 15) + 1e-6
    if slack > 0.25:
        return None  # rounded too much to tell
    counts = scores * test_size
    off = np.abs(counts - np.rint(counts)) > slack
    return float(scores[int(np.argmax(off))]) if off.any() else None
