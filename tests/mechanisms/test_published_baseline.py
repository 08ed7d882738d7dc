"""The baseline as it is shown: exactly where it depends on no label, else on the grid."""

import numpy as np
import pytest

import ladderboard as lb


@pytest.mark.parametrize(("metric", "value"), [("auc", 0.5), ("pearson", 0.0), ("mcc", 0.0)])
@pytest.mark.parametrize("mechanism", ["witness_ladder", "spending_ladder"])
def test_a_baseline_that_depends_on_no_label_is_shown_exactly(metric: str, value: float, mechanism: str) -> None:
    labels = [0, 1] * 5 if metric != "pearson" else list(np.linspace(0, 1, 10))
    board = lb.Leaderboard(labels, metric=metric, mechanism=mechanism, seed=1)
    release = board.submit("us", [1, 0] * 5 if metric == "mcc" else np.linspace(1, 0, 10))
    assert (release.accepted, release.board_value) == (False, value)


def test_a_baseline_that_depends_on_labels_is_shown_on_the_grid() -> None:
    board = lb.Leaderboard([0] * 7 + [1] * 13, metric="error_rate", seed=1)
    assert board.submit("us", [0, 1] * 10).board_value != 0.35
