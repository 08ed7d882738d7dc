"""Harrell's c-index: which pairs are compared, its relatives AUC and Somers' D, and the exact null distribution."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from ladderboard.core.errors import LabelsError, UndefinedMetricError
from ladderboard.metrics.c_index import ConcordanceIndex
from tests.contracts.metric_cases import case_for, harrell

C = ConcordanceIndex()


@pytest.mark.parametrize(
    ("earlier", "later", "is_compared"),
    [
        ((3, 1), (5, 1), True),
        ((3, 1), (5, 0), True),
        ((3, 1), (3, 0), True),  # censored at the time of the event: known to outlive it
        ((3, 1), (3, 1), False),
        ((3, 0), (5, 1), False),
        ((3, 0), (5, 0), False),
        ((3, 0), (3, 0), False),
    ],
)
def test_a_pair_is_compared_iff_it_is_known_which_event_came_first(
    earlier: tuple[int, int], later: tuple[int, int], is_compared: bool
) -> None:
    labels = np.array([earlier, later], dtype=float)
    if is_compared:
        scores = [C.compute_score(labels, np.array(risks)) for risks in ([2.0, 1.0], [1.0, 1.0], [1.0, 2.0])]
        assert scores == [1.0, 0.5, 0.0]
    else:
        with pytest.raises(UndefinedMetricError, match="no pair"):
            C.compute_score(labels, np.array([2.0, 1.0]))


rows = st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 4), st.integers(1, 3))


@given(st.lists(rows, min_size=1, max_size=20))
def test_score_and_contributions_follow_the_definition_pair_by_pair(items: list[tuple[int, int, int, int]]) -> None:
    time, event, risk, weight = np.array([*items, (0, 1, 2, 1), (9, 0, 2, 1)], dtype=float).T
    labels = np.column_stack([time, event])
    expected = harrell(labels, risk, weight)
    assert C.score(labels, risk, weight=weight) == pytest.approx(expected, abs=1e-12)
    assert C.contributions(labels, risk, weight=weight).mean() == pytest.approx(expected, abs=1e-12)


def test_without_censoring_it_is_somers_d() -> None:
    rng = np.random.default_rng(1)
    time, risk = rng.integers(0, 40, 150), rng.integers(0, 30, 150)
    labels = np.column_stack([time, np.ones(150)])
    assert C.score(labels, risk) == pytest.approx((stats.somersd(-time, risk).statistic + 1) / 2, abs=1e-12)


def test_with_one_time_only_it_is_the_auc_of_the_events() -> None:
    rng = np.random.default_rng(2)
    event, risk = rng.random(150) < 0.3, rng.integers(0, 30, 150)
    labels = np.column_stack([np.full(150, 7.0), event])
    assert C.score(labels, risk) == pytest.approx(roc_auc_score(event, risk), abs=1e-12)


def test_the_null_standard_error_is_that_of_all_orders() -> None:
    labels = np.array([(1, 1), (2, 0), (2, 1), (4, 1), (4, 1), (6, 0)], dtype=float)
    scores = [C.compute_score(labels, np.array(order, dtype=float)) for order in itertools.permutations(range(6))]
    assert C.compute_null_standard_error(labels) == pytest.approx(np.std(scores), abs=1e-12)


def test_labels_without_any_comparable_pair_are_refused() -> None:
    with pytest.raises(LabelsError, match="censored"):
        C.score([(1, 0), (2, 0)], [1, 2])
    with pytest.raises(LabelsError, match="outlive"):
        C.score([(1, 0), (2, 1)], [1, 2])


def test_replicates_beyond_one_panel_agree_with_single_scores() -> None:
    case = case_for(C, items=70)
    weights = np.random.default_rng(3).exponential(size=(70, 70))
    expected = [harrell(case.labels, case.predictions, row) for row in weights]
    np.testing.assert_allclose(C.replicates(case.labels, case.predictions, weights), expected, atol=1e-12)
