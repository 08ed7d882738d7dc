"""Every metric declares every trait, each trait is true, and nothing else knows a metric by its name."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from ladderboard.core.records import FloatArray, PairedTest
from ladderboard.metrics import METRICS, metric_from_function
from ladderboard.metrics.base import MeanMetric, Metric
from ladderboard.metrics.inputs import Array, Numbers
from ladderboard.metrics.mean_loss import MeanLoss
from ladderboard.metrics.pinball import Pinball
from tests.contracts.metric_cases import case_for
from tests.contracts.names_in_code import list_sources, names_in

TRAITS = tuple(name for name in Metric.__annotations__ if not hasattr(Metric, name))
"""What the base class announces without a default."""
UNLISTED = (
    MeanLoss(np.zeros((2, 2)), None),
    Pinball(quantile=0.9),
    metric_from_function(lambda y, p: float(np.mean(y != p)), lower_is_better=True, bounds=(0, 1), name="own"),
)

every_metric = pytest.mark.parametrize("metric", [*METRICS.values(), *UNLISTED], ids=lambda metric: metric.name)
listed_metrics = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())


def missing_traits(metric: Metric) -> list[str]:
    """The traits that neither the metric, its class nor a base of several metrics declares."""
    bases = [one for one in type(metric).__mro__ if issubclass(one, Metric) and one is not Metric]
    declared = set(vars(metric)).union(*(vars(one) for one in bases))
    return [trait for trait in TRAITS if trait not in declared]


class Offset(MeanMetric):
    """A throw-away metric with all its traits."""

    name = "offset"
    title = "offset"
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = METRICS["mae"].scale
    paired_test = "t"
    takes_real_weights = True
    degree = 1
    relative_cost = 1

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(np.abs(y - p))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.zeros_like(y)


def test_there_are_traits_and_the_base_has_no_default_for_them() -> None:
    assert {"name", "title", "kind", "lower_is_better", "bounds", "scale", "paired_test", "degree"} <= set(TRAITS)


@every_metric
def test_every_trait_is_declared(metric: Metric) -> None:
    assert missing_traits(metric) == []


INHERITED = ("paired_test", "takes_real_weights", "relative_cost")
"""A mean of losses has them from its base."""


@pytest.mark.parametrize("trait", TRAITS)
def test_a_metric_that_lacks_a_trait_is_refused_with_its_name(trait: str) -> None:
    bases: tuple[type, ...] = (Metric,) if trait in INHERITED else (MeanMetric,)
    kept: dict[str, Any] = {name: value for name, value in vars(Offset).items() if name != trait}
    lacking = type("Lacking", bases, kept)
    lacking.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]  # it is never asked for a score
    assert missing_traits(lacking()) == [trait]
    assert missing_traits(Offset()) == []


@listed_metrics
def test_the_title_is_nobody_elses(metric: Metric) -> None:
    assert metric.title
    assert [other.name for other in METRICS.values() if other.title == metric.title] == [metric.name]


@listed_metrics
def test_mcnemar_is_said_of_items_that_are_right_or_wrong_and_of_no_others(metric: Metric) -> None:
    assert metric.paired_test in get_args(PairedTest)
    case = case_for(metric)
    found = set(metric.contributions(case.labels, case.predictions).tolist())
    assert (found <= {0.0, 1.0}) == (metric.paired_test == "mcnemar")


@pytest.mark.parametrize(
    "metric", [one for one in METRICS.values() if isinstance(one.kind, Numbers)], ids=lambda one: one.name
)
def test_a_score_grows_with_the_unit_of_the_labels_to_the_power_of_its_degree(metric: Metric) -> None:
    case = case_for(metric)
    before, after = metric.score(case.labels, case.predictions), metric.score(3 * case.labels, 3 * case.predictions)
    assert [power for power in (1, 2, 3) if after == pytest.approx(before * 3**power)] == (
        [metric.degree] if metric.degree else []
    )


# -- nothing else knows a metric by its name ---------------------------------------------------------------------------

ALLOWED = {
    "ladderboard/cli/analyse/plan.py": "the default of an option",
    "ladderboard/cli/guard/holdout.py": "the default of an option",
    "ladderboard/guard/holdout.py": "the default of a parameter",
    "ladderboard/guard/leaderboard.py": "the default of a parameter",
    "ladderboard/planning/plan.py": "the default of a parameter",
    "ladderboard_lab/planning/submissions.py": "the default of a parameter",
    "ladderboard/competition/solution/guessing.py": "which metric is proposed for a table without one",
    "ladderboard/cli/analyse/sota.py": "the names of options: --accuracy, --auc",
    "ladderboard/cli/analyse/sota_report.py": "a key of JSON",
    "ladderboard/inference/measure.py": "what a matrix of 0 and 1 is measured in",
    "ladderboard/inference/multiplicity/independent_classifiers.py": "the name of a parameter",
    "ladderboard/figures/sota.py": "a label of an axis",
    "ladderboard/evals/direction.py": "what other tools call their scores",
    "ladderboard/evals/long_tables.py": "the same",
    "ladderboard/evals/readers/inspect_logs.py": "the same",
    "ladderboard/planning/ordering.py": "the loss of the teams it simulates",
    "ladderboard/cli/host/demo_attack.py": "the demo's own competition",
    "ladderboard_lab/drill/targets.py": "the metric that two-class attacks are made for",
    "ladderboard_lab/metric_adapters.py": "the same",
    "ladderboard_lab/planning/simulator.py": "the same",
}
MADE_FOR_A_METRIC = ("metrics", "experiments", "attacks", "problems")
"""An attack and a problem of the laboratory are made for certain metrics, as the papers state them."""


def test_nothing_else_is_keyed_by_a_metrics_name() -> None:
    found = {place for path in list_sources(but=MADE_FOR_A_METRIC) for place in names_in(path, METRICS)}
    assert found == set(ALLOWED)


def test_a_name_used_as_a_key_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "keyed.py"
    path.write_text('"""auc"""\nTITLES = {"auc": "AUC"}\n')
    assert list(names_in(path, METRICS)) == [path.as_posix()]
