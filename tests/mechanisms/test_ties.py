"""Exact ties: what is equal on paper is never decided by the last bit of a float."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from ladderboard.core.records import BASELINE, Evaluation, State
from ladderboard.core.ties import subtract
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.full_disclosure import FullDisclosure
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.ladder_boot import LadderBoot
from ladderboard.mechanisms.parameter_free_ladder import ParameterFreeLadder
from ladderboard.mechanisms.significance_ladder import SignificanceLadder
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from tests.mechanisms.play import Play, answer_key, key_of, wrong_on

SIZES = range(2, 61)
RNG = np.random.default_rng(0)
STEPS = ("0.01", "0.02", "0.05", "0.1", "0.25")


def evaluate(n: int, wrong: range) -> Evaluation:
    return key_of(n).evaluate(wrong_on(n, wrong))


def list_changes(n: int) -> Iterator[tuple[range, range, int, int]]:
    """(wrong before, wrong after, repaired, broken): all ties of the parameter-free Ladder, and one repair more."""
    for repaired, broken in ((1, 0), (3, 1), (6, 3), (10, 6), (15, 10), (21, 15), (28, 21)):
        for errors in range(repaired, n - broken + 1):
            for more in (0, 1):
                if repaired + more <= errors:
                    yield range(errors), range(repaired + more, errors + broken), repaired + more, broken


def passes(mechanism: Mechanism, n: int, before: range, after: range) -> bool:
    incumbent = evaluate(n, before)
    state = State(attempts=1, accepts=1, released=incumbent.score, incumbent="s1")
    return mechanism.rule(state, evaluate(n, after), incumbent, RNG).accepted


@pytest.mark.parametrize("n", SIZES)
def test_one_paired_standard_error_is_not_exceeded_by_itself(n: int) -> None:
    """n·(a − b)² = n·(a + b): then the gain (a − b)/n is sd(d)/√n, and "<" refuses it."""
    for before, after, repaired, broken in list_changes(n):
        is_more = (repaired - broken) ** 2 > repaired + broken
        assert passes(ParameterFreeLadder(), n, before, after) is is_more, (before, after)


@pytest.mark.parametrize("mechanism", [SignificanceLadder(alpha=0.5), LadderBoot(alpha=0.5)])
def test_at_one_half_every_repair_passes_and_no_tie_does(mechanism: Mechanism) -> None:
    for n in SIZES:
        for errors in range(1, n):
            for moved in (0, 1):
                after = range(1, errors + 1 - moved)
                assert passes(mechanism, n, range(errors), after) is (moved == 1)


@pytest.mark.parametrize("step", STEPS)
def test_the_ladder_decides_as_fractions_do(step: str) -> None:
    eta, mechanism = Fraction(step), Ladder(step_size=float(step))
    for n in SIZES:
        for errors in range(n + 1):
            first = mechanism.rule(State(attempts=1), evaluate(n, range(errors)), key_of(n).baseline, RNG)
            released = min(round(Fraction(errors, n) / eta) * eta, Fraction(1))
            assert first.value == pytest.approx(float(released))
            state = State(attempts=2, accepts=1, released=first.value, incumbent="s1")
            # Around the edge: the last that must not pass, and the first that must.
            edge = int((released - eta) * n)
            for fewer in range(max(0, edge - 1), min(n, edge + 2)):
                found = mechanism.rule(state, evaluate(n, range(fewer)), key_of(n).baseline, RNG).accepted
                assert found is (Fraction(fewer, n) < released - eta), (n, errors, fewer)


def test_a_spending_step_that_is_just_reached_is_reached() -> None:
    """D ≥ SE·(1 + A/8), with no growth: D² = e(n − e)/(n²(n − 1)) a tie passes (at a level that all do)."""
    found = 0
    for n in SIZES:
        for errors in range(1, n):
            for repaired in range(1, errors + 1):
                if repaired**2 * (n - 1) == errors * (n - errors):
                    found += 1
                    assert passes(SpendingLadder(alpha=0.999999, growth=0), n, range(errors), range(repaired, errors))
    assert found > 20


def make_equal_entries(n: int, denominator: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels and two files with the same losses on other items: equal on paper, seldom as floats."""
    rng = np.random.default_rng([n, denominator])
    labels = rng.integers(0, 4, n) / 3 + np.arange(n) % 2
    losses = rng.integers(0, 2 * denominator, n) / denominator
    return labels, labels + losses, labels - rng.permutation(losses)


@pytest.mark.parametrize("metric", ["mae", "mse"])
@pytest.mark.parametrize("denominator", [3, 7, 10])
@pytest.mark.parametrize(
    "mechanism",
    [
        SignificanceLadder(alpha=0.5),
        LadderBoot(alpha=0.5),
        FullDisclosure(),
        FullDisclosure(precision=0.1),
        ParameterFreeLadder(),
        Ladder(step_size=0.1),
    ],
)
def test_an_equal_file_is_no_better(mechanism: Mechanism, denominator: int, metric: str) -> None:
    for n in SIZES:
        labels, first, second = make_equal_entries(n, denominator)
        if np.ptp(labels) == 0:
            continue
        run = Play(mechanism, answer_key(labels, metric))
        told, again = run.submit(first), run.submit(second)
        is_rounding_of_the_paper = isinstance(mechanism, ParameterFreeLadder | SignificanceLadder)
        assert again.board_value == told.board_value
        assert not again.accepted or is_rounding_of_the_paper


@pytest.mark.parametrize("name", [name for name in MECHANISMS if not MECHANISMS[name].needs_training_score])
def test_the_same_file_again_is_no_better(name: str) -> None:
    for n in SIZES[10:]:
        for variant in MECHANISMS[name].make_variants(items=n, submissions=100).values():
            run = Play(variant, key_of(n))
            first = run.submit(wrong_on(n, range(n // 5)))
            again = run.submit(wrong_on(n, range(n // 5)))
            assert not again.accepted
            is_redrawn = getattr(variant, "redraw", False)
            assert is_redrawn or again.board_value == first.board_value


def test_a_rescaled_file_has_no_wins_by_rounding() -> None:
    """A correlation does not depend on the unit of the predictions, but its last bits do."""
    from ladderboard.mechanisms.bootstrap import paired_wins

    rng = np.random.default_rng(4)
    labels = rng.normal(size=60)
    key = answer_key(labels, "pearson")
    one = labels + rng.normal(size=60)
    found = [
        paired_wins(key.evaluate(one * unit), key.evaluate(one), replicates=200, rng=np.random.default_rng(1))
        for unit in (0.1, 1 / 3, 7.0)
    ]
    assert found == [0, 0, 0]


def test_a_baseline_computed_in_another_order_is_no_first_entry() -> None:
    """The mean of the labels, off by a rounding error."""
    rng = np.random.default_rng(2)
    for mechanism in (WitnessLadder(alpha=0.9), SpendingLadder(alpha=0.9)):
        for n in (40, 60):
            labels = rng.normal(size=n)
            run = Play(mechanism, answer_key(labels, "mse"))
            for off in (1e-15, -1e-15, 1e-14, -1e-14):
                assert not run.submit(np.full(n, labels.mean() + off)).accepted
            assert run.state.incumbent == BASELINE


def test_differences_are_zero_only_within_rounding() -> None:
    one, other = np.array([0.1 + 0.2, 1.0, 1e-9, 5.0]), np.array([0.3, 1.0, 0.0, 4.0])
    assert subtract(one, other).tolist() == [0.0, 0.0, 1e-9, 1.0]
