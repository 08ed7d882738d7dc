"""The sorted orders beneath the rank correlations: running totals, groups of ties, and counting by merging."""

import numpy as np
import pytest

from ladderboard.metrics._kernels.merge_counting import Dominance
from ladderboard.metrics._kernels.running_totals import Interleaving
from ladderboard.metrics._kernels.scratch import Scratch
from ladderboard.metrics._kernels.tie_groups import TieGroups


@pytest.mark.parametrize("places", [1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 99, 100, 101, 1000])
def test_running_totals_are_numpys(places: int) -> None:
    table = np.random.default_rng(places).normal(size=(places, 3))
    stored = Interleaving(places)
    totals = table[stored.place]
    stored.run_up(totals)
    assert totals[stored.row] == pytest.approx(np.cumsum(table, axis=0), abs=1e-10)
    mid = np.empty_like(table)
    stored.doubled_mid_totals(table[stored.place], mid)
    assert mid[stored.row] == pytest.approx(2 * np.cumsum(table, axis=0) - table, abs=1e-10)


def test_every_place_is_stored_once() -> None:
    stored = Interleaving(10_007)
    assert sorted(stored.place.tolist()) == list(range(10_007))
    assert (stored.place[stored.row] == np.arange(10_007)).all()


@pytest.mark.parametrize("values", [1, 2, 5, 10**9])
def test_groups_hold_equal_values_in_ascending_order(values: int) -> None:
    numbers = np.random.default_rng(values).integers(0, values, 50).astype(float)
    groups = TieGroups.of(numbers)
    unique, inverse = np.unique(numbers, return_inverse=True)
    assert groups.group.tolist() == inverse.tolist()
    assert len(groups) == len(unique)
    weights = np.random.default_rng(1).exponential(size=(50, 2))
    expected = np.array([weights[inverse == group].sum(axis=0) for group in range(len(unique))])
    assert groups.totals(weights) == pytest.approx(expected)
    assert groups.sums_of_powers(weights, 3) == pytest.approx((expected**3).sum(axis=0))


@pytest.mark.parametrize("items", [2, 3, 7, 8, 9, 64, 101])
@pytest.mark.parametrize("values", [2, 6, 10**6])
def test_counting_by_merging_finds_what_comparing_all_pairs_finds(items: int, values: int) -> None:
    rng = np.random.default_rng([items, values])
    y, p = (np.unique(rng.integers(0, values, items), return_inverse=True)[1] for _ in range(2))
    weights = rng.exponential(size=(items, 4))
    is_below = (y[:, None] < y[None, :]) & (p[:, None] < p[None, :])
    expected = is_below.T.astype(float) @ weights
    both = Dominance(y, p)
    assert both.below(weights) == pytest.approx(expected, abs=1e-12)
    assert both.pairs(weights, Scratch()) == pytest.approx((weights * expected).sum(axis=0), abs=1e-12)
