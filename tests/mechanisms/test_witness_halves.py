from typing import Any

import pytest

from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.guard.leaderboard import Leaderboard


@pytest.mark.parametrize(
    ("metric", "labels"),
    [("auc", [1] + [0] * 99), ("c_index", [(1, 1)] + [(2, 0)] * 99)],
    ids=["one positive", "one event"],
)
def test_a_holdout_whose_halves_cannot_both_carry_the_metric_is_refused(metric: str, labels: list[Any]) -> None:
    # Every submission would be answered as a rejection, a perfect one too.
    with pytest.raises(LabelsError, match="the metric has no value on one part of the holdout"):
        Leaderboard(labels, metric=metric, seed=1)
    assert Leaderboard([*labels, labels[0]], metric=metric, seed=1).standings() == []


def test_a_plain_function_is_told_how_it_becomes_a_metric() -> None:
    with pytest.raises(ParameterError, match=r"metric_from_function\(f, lower_is_better=…\)"):
        Leaderboard([0, 1] * 50, metric=max)  # type: ignore[arg-type]  # what users try
