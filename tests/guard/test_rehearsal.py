"""A rehearsal: copies of one model on throw-away guards."""

import numpy as np
import pytest
from scipy.stats import binom

import ladderboard as lb
from tests.guard.guards import labels_of

SERIES = 60
MOST_FALSE = int(binom.isf(0.001, SERIES, 0.05))
"""Beyond this one in a thousand runs would be at a true rate of 5 %; the runs are seeded."""


def test_copies_of_one_model_are_almost_never_called_improved() -> None:
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1)
    found = holdout.rehearse(copies=40, series=SERIES)
    assert found.recognised == SERIES
    assert found.false <= MOST_FALSE
    assert found.interval[0] <= found.false_rate <= found.interval[1]


def test_a_guard_that_shows_every_score_calls_some_copy_improved_in_nearly_every_series() -> None:
    """The negative control."""
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1)
    found = holdout.rehearse(copies=40, series=20, mechanism="full_disclosure")
    assert found.false >= 18


def test_the_real_guard_is_only_read() -> None:
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1)
    before = holdout._guard.progress()
    holdout.rehearse(copies=5, series=3)
    assert holdout._guard.progress() == before


def test_the_same_seed_gives_the_same_rehearsal() -> None:
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1)
    assert holdout.rehearse(copies=10, series=5) == holdout.rehearse(copies=10, series=5)


@pytest.mark.parametrize("metric", ["log_loss", "auc", "macro_f1", "mse", "spearman"])
def test_every_kind_of_prediction_is_copied(metric: str) -> None:
    labels = np.random.default_rng(0).normal(size=1200) if metric in ("mse", "spearman") else labels_of()
    found = lb.Holdout(labels, metric=metric, path=":memory:", seed=1).rehearse(copies=4, series=3)
    assert found.recognised == 3


def test_graded_items_are_rehearsed_and_compared_too() -> None:
    holdout = lb.Holdout.from_item_scores(range(400), baseline=0.3, path=":memory:", seed=1)
    assert holdout.rehearse(copies=10, series=10).recognised == 10
    assert holdout.rehearse(copies=10, series=10, mechanism="full_disclosure").false > 5
    good = {item: float(item % 5 > 0) for item in range(400)}
    holdout.pin(good)
    assert holdout.check_not_worse({**good, 0: 1.0}, margin=0.2).not_worse
    assert not holdout.check_not_worse({item: float(item % 2) for item in range(400)}, margin=0.2).not_worse


@pytest.mark.parametrize(("given", "said"), [({"copies": 1}, "at least 2"), ({"noise": 1.0}, "between 0 and 1")])
def test_senseless_numbers_are_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(lb.ParameterError, match=said):
        lb.Holdout(labels_of(), path=":memory:").rehearse(**given)  # type: ignore[arg-type]  # as a user might
