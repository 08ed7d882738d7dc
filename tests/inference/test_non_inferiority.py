"""The tests behind "not worse": against exact enumeration, and where few items differ."""

import numpy as np
import pytest
from scipy.stats import multinomial

from ladderboard.inference.non_inferiority import betting_bound, find_smallest_margin, tango_p_value


def exact_size(n: int, margin: float, level: float, repairing: float) -> float:
    """P(p ≤ level) by enumeration where the candidate breaks items at the rate repairing + margin."""
    rates = [repairing + margin, repairing, 1 - 2 * repairing - margin]
    size = 0.0
    for broken in range(n + 1):
        repaired = np.arange(n - broken + 1)
        rejects = [tango_p_value(n, repaired=int(r), broken=broken, margin=margin) <= level for r in repaired]
        counts = np.stack([np.full_like(repaired, broken), repaired, n - broken - repaired], axis=1)[rejects]
        size += float(multinomial.pmf(counts, n, rates).sum()) if len(counts) else 0.0
    return size


@pytest.mark.parametrize("level", [0.025, 1e-3])
@pytest.mark.parametrize("repairing", [0.0, 0.02, 0.2])
def test_a_candidate_worse_by_the_margin_passes_no_more_often_than_the_level_says(
    level: float, repairing: float
) -> None:
    """Exact, so it cannot fail by chance; a fifth is what an asymptotic test of 60 items may be off by."""
    assert exact_size(60, 0.1, level, repairing) <= 1.2 * level


def test_a_margin_on_top_of_mcnemar_would_let_near_copies_pass() -> None:
    """The negative control: the plain normal test calls predictions without a discordant item certain."""
    assert tango_p_value(500, repaired=0, broken=0, margin=0.005) > 0.05 > np.exp(-500 * 0.005) / 2
    assert exact_size_of_the_plain_test(60, 0.1) > 2 * 0.001


def exact_size_of_the_plain_test(n: int, margin: float) -> float:
    broken = np.arange(n + 1)
    spread = np.sqrt(np.maximum(broken / n - (broken / n) ** 2, 1e-12) / n)
    rejects = (margin - broken / n) / spread >= 3.09
    counts = np.stack([broken, n - broken], axis=1)[rejects]
    return float(multinomial.pmf(counts, n, [margin, 1 - margin]).sum())


def test_the_smallest_margin_is_where_a_copy_just_passes() -> None:
    smallest = find_smallest_margin(400, 0.01)
    assert tango_p_value(400, repaired=0, broken=0, margin=smallest) == pytest.approx(0.01)


def test_the_betting_bound_holds_where_rare_items_carry_the_whole_difference() -> None:
    """Items lost at the rate of the margin: P(bound ≤ level) ≤ level by Markov; 4,000 draws, seeded, 4 sd of slack."""
    rng, level, draws = np.random.default_rng(0), 0.05, 4000
    heard = [
        betting_bound(-(rng.random(120) < 0.05).astype(float), margin=0.05, worst=1.0) <= level for _ in range(draws)
    ]
    assert np.mean(heard) <= level + 4 * np.sqrt(level * (1 - level) / draws)


def test_the_betting_bound_of_a_copy_is_that_no_broken_item_was_drawn() -> None:
    found = betting_bound(np.zeros(200), margin=0.05, worst=1.0)
    assert 0.95**200 <= found <= 8 * 0.95**200
    assert betting_bound(np.full(50, -1.0), margin=0.05, worst=1.0) == 1.0
