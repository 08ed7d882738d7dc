"""The power of a planned comparison, against simulations of the comparison itself."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import ladderboard as lb
from ladderboard.inference.paired_difference import paired_difference

RUNS = 400
SLACK = 4 * np.sqrt(0.25 / RUNS)
"""Four standard deviations: a right program fails one comparison in 16,000."""


def prove(d: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    return paired_difference(np.maximum(-d, 0), np.maximum(d, 0)).interval[0] > 0


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("gain", "differing", "items"), [(0.1, 0.3, 120), (0.03, 0.06, 400), (0.05, 0.2, 900)])
def test_the_power_of_right_and_wrong_is_that_of_the_comparison(
    gain: float, differing: float, items: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    share = [(differing + gain) / 2, (differing - gain) / 2, 1 - differing]
    proven = np.mean([prove(rng.choice([1.0, -1.0, 0.0], items, p=share)) for _ in range(RUNS)])
    assert abs(proven - lb.power_to_compare(gain, items, disagreement=differing).power) < SLACK


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("repeats", [1, 4])
def test_a_pilot_with_repeats_plans_other_numbers_of_them(repeats: int, seed: int) -> None:
    """A large pilot with three runs; then 200 items with one or four, drawn from the same systems."""
    rng = np.random.default_rng(seed)

    def draw(items: int, runs: int) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
        hard = rng.uniform(0.1, 0.9, items)
        chances = np.stack([hard - 0.08, hard], axis=1)[:, :, None]
        return (rng.random((items, 2, runs)) < chances).astype(float)

    runs = draw(4000, 3)
    pilot = lb.LossMatrix.of(runs.mean(axis=2), repeats=lb.Repeats.of(runs))
    told = lb.power_to_compare(0.08, 200, repeats=repeats, pilot=pilot).power
    proven = 0
    for _ in range(RUNS):
        means = draw(200, repeats).mean(axis=2)
        proven += paired_difference(means[:, 0], means[:, 1]).interval[0] > 0
    assert abs(proven / RUNS - told) < SLACK


def test_the_exact_power_is_the_sum_over_all_tables() -> None:
    """Enumerated with SciPy's binomial test for every number of changed items."""
    n, gain, differing = 40, 0.2, 0.4
    total = 0.0
    for changed in range(1, n + 1):
        wins = [w for w in range(changed + 1) if 2 * w > changed and binomtest(w, changed).pvalue <= 0.05]
        chance = (differing + gain) / (2 * differing)
        total += binom.pmf(changed, n, differing) * sum(binom.pmf(w, changed, chance) for w in wins)
    assert lb.power_to_compare(gain, n, disagreement=differing).power == pytest.approx(total, abs=1e-9)


def test_items_gain_and_power_are_one_relation() -> None:
    plan = lb.power_to_compare(0.02, disagreement=0.15)
    assert lb.power_to_compare(0.02, plan.items, disagreement=0.15).power == pytest.approx(0.8, abs=0.01)
    assert lb.power_to_compare(items=plan.items, disagreement=0.15).gain == pytest.approx(0.02, rel=0.02)


def test_repeats_help_only_against_the_chance_of_runs() -> None:
    noisy = lb.power_to_compare(0.03, disagreement=0.2, flips=0.18)
    steady = lb.power_to_compare(0.03, disagreement=0.2)
    assert noisy.with_repeats(16).items < noisy.items / 4
    assert steady.with_repeats(16).items == pytest.approx(steady.items, rel=0.05)


def test_a_pilot_says_how_sure_it_is() -> None:
    rng = np.random.default_rng(4)
    small, large = ((rng.random((n, 2)) < 0.3).astype(float) for n in (60, 6000))
    widths = []
    for pilot in (small, large):
        found = lb.power_to_compare(0.02, pilot=pilot).items_range
        assert found is not None
        widths.append(found[1] / found[0])
    assert widths[0] > 1.3
    assert widths[1] < 1.1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"disagreement": 0.1}, "say which gain should be proven"),
        ({"gain": 0.1}, "give either a pilot or a guess"),
        ({"gain": -0.1, "disagreement": 0.1}, "gain is -0.1; it must be above 0"),
        ({"gain": 0.3, "disagreement": 0.1}, "a gain of 0.3 is not possible where the systems differ on"),
        ({"gain": 0.02, "disagreement": 0.1, "flips": 0.2}, "two runs of one system cannot differ on more items"),
        ({"gain": 0.02, "pilot": [[0, 0], [1, 1]]}, "the systems of the pilot never differ"),
        ({"gain": 0.02, "pilot": [[0], [1]]}, "the pilot has one system"),
        ({"items": 9, "disagreement": 0.01}, "9 items prove no gain with 80 % power"),
        ({"gain": 0.02, "disagreement": 0.1, "power": 2.0}, "power is 2.0"),
    ],
)
def test_bad_requests_are_one_sentence(options: dict[str, float], words: str) -> None:
    with pytest.raises(lb.LadderboardError, match=words):
        lb.power_to_compare(**options)  # type: ignore[arg-type]
