"""Every experiment at its quick size: the verdict holds, and every check of it fails under a negative control.

A verdict is wrong with a probability of at most 1e-4 (`ladderboard_lab.experiments.deciding`), on any seed.
"""

import math

import pytest
from matplotlib.figure import Figure
from scipy.stats import betabinom, binom

from ladderboard_lab.experiments import EXPERIMENTS, ExperimentResult, experiment_named
from ladderboard_lab.experiments.deciding import PART_LEVEL
from tests.lab.experiments.quick_runs import CHEAP, glance, quick

SAME_GRID = ("neto-s1", "neto-s3", "neto-s4", "neto-s5", "neto-s6", "neto-s7", "neto-s10")
"""Made by the functions that make neto-fig2, neto-fig6 and neto-s9, with hundreds of boxes each."""

ONE_RUN = ("ladder-fig2", "slides-top10")
EXACT = tuple(f"multiplicity-{name}" for name in ("text", "fig1", "fig2", "fig4", "fig6", "fig7", "fig8"))
"""Experiments that repeat nothing: their table is everything."""

NEEDS_FULL_SIZE = ("neto-s10",)
"""Nothing of these is decided at quick size, and the page says so."""

BY_COST = [pytest.param(name, marks=[pytest.mark.slow] * (name not in CHEAP)) for name in EXPERIMENTS]


@pytest.mark.parametrize("identifier", BY_COST)
def test_the_verdict_holds_without_any_data_from_outside(identifier: str) -> None:
    outcome = quick(identifier)
    expected = "not decided" if identifier in NEEDS_FULL_SIZE else "holds"
    assert outcome.verdict.decision == expected, (_failed(outcome), outcome.verdict.sentence)


@pytest.mark.parametrize("identifier", BY_COST)
def test_another_seed_would_decide_the_same(identifier: str) -> None:
    """With as many repetitions; the share of successes having Jeffreys' posterior given those of this seed."""
    for check in quick(identifier).verdict.checks:
        for one in check.evidence if check.counts else ():
            needed = binom.isf(PART_LEVEL, one.trials, one.share) + 1
            left = one.successes + 0.5, one.trials - one.successes + 0.5
            assert betabinom.sf(needed - 1, one.trials, *left) > 0.9, (check.statement, str(one), needed)


@pytest.mark.parametrize("identifier", EXPERIMENTS)
def test_every_experiment_fills_its_table_with_finite_numbers(identifier: str) -> None:
    outcome = glance(identifier)
    assert outcome.table.rows
    assert all(math.isfinite(number) for number in outcome.verdict.numbers.values())


@pytest.mark.parametrize("identifier", [name for name in EXPERIMENTS if name not in ONE_RUN + EXACT])
def test_every_repetition_is_listed(identifier: str) -> None:
    raw = glance(identifier).raw
    assert raw is not None
    numbers = set(raw.column("repetition"))
    assert numbers == set(range(len(numbers)))
    assert len(numbers) > 1


@pytest.mark.parametrize("identifier", BY_COST)
def test_every_check_fails_under_a_negative_control(identifier: str) -> None:
    controls = experiment_named(identifier).controls
    failed = {control: _failed(quick(identifier, control)) for control in controls}
    assert all(failed.values()), "a control under which everything holds controls nothing"
    statements = {check.statement for check in quick(identifier).verdict.checks}
    assert statements <= set().union(*failed.values())


@pytest.mark.parametrize("identifier", [name for name in EXPERIMENTS if name not in SAME_GRID])
def test_its_figure_can_be_drawn(identifier: str) -> None:
    figure = Figure()
    glance(identifier).draw(figure)
    assert figure.axes


def test_an_id_that_carries_a_figures_number_says_so_and_ours_name_no_source() -> None:
    for identifier in EXPERIMENTS:
        experiment = experiment_named(identifier)
        assert (experiment.paper is None) == identifier.startswith("own-")
        assert experiment.controls, identifier


def _failed(outcome: ExperimentResult) -> set[str]:
    return {check.statement for check in outcome.verdict.checks if not check.holds}
