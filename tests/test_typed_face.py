"""A user's script, as type checkers see it: `make check` holds it to mypy's strict rules, and it runs.

`npx pyright tests/test_typed_face.py` says the same of the other checker.
"""

from pathlib import Path
from typing import assert_type

import numpy as np

import ladderboard as lb


def test_a_holdout_has_types(tmp_path: Path) -> None:
    labels = np.arange(4000) % 2
    holdout = lb.Holdout(labels, metric="auc", path=tmp_path / "holdout.db", seed=1)
    release = holdout.score(np.linspace(0, 1, 4000))
    assert_type(release, lb.Release)
    assert_type(release.value, float | None)
    assert_type(release.improved, bool)
    assert_type(release.interval, tuple[float, float] | None)
    assert_type(holdout.leakage, lb.Leakage)
    assert_type(lb.METRICS["auc"], lb.Metric)


def test_results_have_types() -> None:
    losses = np.random.default_rng(1).random((50, 3))
    assert_type(lb.winner_estimate(losses).interval, tuple[float, float])
    assert_type(lb.rank_ranges(losses)[0].best, int)
    assert_type(lb.sota(classifiers=10, test_size=100, accuracy=0.5).mean, float)
