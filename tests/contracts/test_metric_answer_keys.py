"""What holds for every registered metric behind an answer key: subsets, groups and weights."""

import math

import numpy as np
import pytest

from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.weights import weight_blocks
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from tests.contracts.metric_cases import ITEMS, Case, case_for

all_metrics = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
GROUPS = 130
REPLICATES = 1500


def group_names() -> Array:
    """130 groups of one to a dozen items."""
    return np.append(np.arange(GROUPS), np.random.default_rng(6).integers(0, GROUPS, ITEMS - GROUPS))


def item_weights() -> FloatArray:
    return np.random.default_rng(7).uniform(0.2, 3.0, ITEMS)


def evaluate(metric: Metric, case: Case, **options: Array) -> Evaluation:
    key = AnswerKey(case.labels, metric, **options)
    return key.evaluate(key.read(case.predictions))


def bootstrap_error(evaluation: Evaluation, units: int) -> float:
    rng = np.random.default_rng(8)
    blocks = weight_blocks(rng, replicates=REPLICATES, units=units, bayesian=evaluation.takes_real_weights)
    return float(evaluation.replicates(np.concatenate(list(blocks))).std(ddof=1))


@all_metrics
@pytest.mark.parametrize("is_weighted", [False, True], ids=["plain", "weighted"])
def test_an_evaluation_on_a_subset_is_that_of_a_holdout_with_no_other_items(metric: Metric, is_weighted: bool) -> None:
    case, weight = case_for(metric), item_weights()
    whole = evaluate(metric, case, **({"weight": weight} if is_weighted else {}))
    for subset in whole.split(11, 0.3):
        items = subset.units
        alone = evaluate(metric, case.take(items), **({"weight": weight[items]} if is_weighted else {}))
        part, rows = whole.on(subset), np.random.default_rng(1).uniform(1, 2, (3, len(items)))
        assert part.score == pytest.approx(alone.score, abs=1e-12)
        np.testing.assert_allclose(part.contributions, alone.contributions, atol=1e-12)
        np.testing.assert_allclose(part.replicates(rows), alone.replicates(rows), atol=1e-12)


@all_metrics
@pytest.mark.parametrize("is_weighted", [False, True], ids=["plain", "weighted"])
def test_with_groups_the_spread_is_that_of_a_bootstrap_of_groups(metric: Metric, is_weighted: bool) -> None:
    """Within 15 %: 1.8 % of the bootstrap's own, the rest is of the next order in 1/√130."""
    options = {"group": group_names()} | ({"weight": item_weights()} if is_weighted else {})
    evaluation = evaluate(metric, case_for(metric), **options)
    assert len(evaluation.contributions) == GROUPS
    assert evaluation.contributions.mean() == pytest.approx(evaluation.score, abs=1e-9)
    standard_error = evaluation.spread / math.sqrt(GROUPS)
    assert standard_error == pytest.approx(bootstrap_error(evaluation, GROUPS), rel=0.15)


@all_metrics
def test_groups_that_were_split_whole_are_evaluated_like_a_holdout_of_their_own(metric: Metric) -> None:
    case, names = case_for(metric), group_names()
    whole = evaluate(metric, case, group=names)
    chosen, rest = whole.split(12, 0.5)
    items = np.flatnonzero(np.isin(names, chosen.units))
    assert not set(names[items]) & set(names[np.isin(names, rest.units)])
    alone, part = evaluate(metric, case.take(items), group=names[items]), whole.on(chosen)
    assert part.score == pytest.approx(alone.score, abs=1e-12)
    np.testing.assert_allclose(part.contributions, alone.contributions, atol=1e-12)


@all_metrics
def test_the_order_of_items_and_the_names_of_groups_do_not_matter(metric: Metric) -> None:
    case, names = case_for(metric), group_names()
    order = np.random.default_rng(3).permutation(ITEMS)
    renamed = np.array([f"patient {name:04d}" for name in names])[order]
    contributions = evaluate(metric, case, group=names).contributions
    np.testing.assert_allclose(
        evaluate(metric, case.take(order), group=renamed).contributions, contributions, atol=1e-9
    )


@all_metrics
def test_the_baseline_of_a_key_is_an_evaluation_like_any_other(metric: Metric) -> None:
    key = AnswerKey(case_for(metric).labels, metric, weight=item_weights(), group=group_names())
    baseline = key.baseline
    assert baseline.score == pytest.approx(key.yardstick.baseline_score, abs=1e-12)
    assert baseline.contributions.mean() == pytest.approx(baseline.score, abs=1e-9)
    assert len(baseline.contributions) == key.units
    half, _ = baseline.split(13, 0.5)
    assert len(baseline.on(half).contributions) == len(half.units)
    assert len(baseline.replicates(np.ones((2, GROUPS)))) == 2
