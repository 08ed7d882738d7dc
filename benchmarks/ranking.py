"""AUC and average precision of a million items against one bare sort of the predictions."""

import time

import numpy as np

from benchmarks.row import Row, compare
from ladderboard.metrics import METRICS

ITEMS = 1_000_000
ROUNDS = 12


def run() -> list[Row]:
    """All rows; the floor of each is one ``np.argsort`` of the same numbers."""
    rng = np.random.default_rng(0)
    labels = (rng.random(ITEMS) < 0.3).astype(np.int8)
    scores = labels + rng.normal(size=ITEMS)
    auc, precision = METRICS["auc"], METRICS["average_precision"]
    jobs = {
        "auc, score": (lambda _: auc.compute_score(labels, scores), 1.4),
        "auc, contributions (DeLong)": (lambda _: auc.compute_contributions(labels, scores), 1.6),
        "average_precision, score": (lambda _: precision.compute_score(labels, scores), 2.5),
        "average_precision, contributions": (lambda _: precision.compute_contributions(labels, scores), 3.5),
    }
    return [
        compare(
            f"{what}, n = 1,000,000, against one sort",
            work,
            lambda _: np.argsort(scores),
            target=target,
            rounds=ROUNDS,
            clock=time.process_time,
        )
        for what, (work, target) in jobs.items()
    ]
