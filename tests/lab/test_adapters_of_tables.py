"""Attacks on metrics of several labels or targets: bits become whole rows, and the planner simulates them."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.metric_adapters import make_adapter
from ladderboard_lab.planning.simulator import Effort, PlanningSimulator, plan_tasks
from ladderboard_lab.problems.permuted import permute_labels

TABLES = [name for name, metric in lb.METRICS.items() if metric.kind.has_columns]


def make_labels(metric: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.normal(size=(120, 3)) if lb.METRICS[metric].kind.takes == "numbers" else rng.integers(0, 2, (120, 3))


@pytest.mark.parametrize("name", TABLES)
def test_a_bit_becomes_a_row_of_valid_predictions(name: str) -> None:
    metric, rng = lb.METRICS[name], np.random.default_rng(4)
    problem = permute_labels(rng, make_labels(name), metric, known_share=0.3)
    adapter = make_adapter(problem)
    table = adapter.predictions(rng.integers(0, 2, 120))
    assert table.shape == (120, 3)
    assert np.isfinite(metric.score(problem.labels, table))


@pytest.mark.parametrize("name", TABLES)
def test_the_planner_simulates_attacks_on_tables(name: str) -> None:
    tasks = plan_tasks(make_labels(name), lb.METRICS[name], lb.WitnessLadder(), teams=1, effort=Effort(0.1, 1))
    assert tasks
    found = [task.run(np.random.SeedSequence(5)) for task in sorted(tasks, key=lambda task: task.submissions)[:3]]
    assert np.isfinite(found).all()


def test_of_texts_it_says_that_it_cannot_and_what_to_do() -> None:
    with pytest.raises(lb.ParameterError, match=r"attacks on wer cannot be simulated, .* --n 40 --metric accuracy"):
        lb.plan_submissions(["some words", "other ones"] * 20, "wer", 0.1, simulate=PlanningSimulator())
