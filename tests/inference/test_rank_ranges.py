import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from ladderboard.core.errors import ParameterError
from ladderboard.inference.contrasts import draw_contrasts, tail_count
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.rank_ranges import RankRange, certainly_worse, rank_ranges
from ladderboard.metrics.inputs import Array
from tests.inference.real_boards import imagenet, semeval


def spans(ranges: list[RankRange]) -> list[tuple[int, int]]:
    return [(one.best, one.worst) for one in ranges]


def board(rates: list[float], *, items: int = 500, seed: int = 1) -> Array:
    return np.random.default_rng(seed).random((items, len(rates))) < rates


def test_systems_far_apart_have_one_rank_each() -> None:
    ranges = rank_ranges(board([0.9, 0.1, 0.5]))
    assert spans(ranges) == [(3, 3), (1, 1), (2, 2)]
    assert [one.group for one in ranges] == [3, 1, 2]
    assert [one.rank for one in ranges] == [3, 1, 2]


def test_identical_systems_share_every_rank() -> None:
    losses = np.repeat(board([0.3]), 4, axis=1)
    assert {(one.rank, one.best, one.worst, one.group) for one in rank_ranges(losses)} == {(1, 1, 4, 1)}


def test_a_copy_of_a_system_has_its_range() -> None:
    losses = board([0.1, 0.5, 0.9])
    assert spans(rank_ranges(losses[:, [0, 1, 1, 2]])) == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_a_system_alone_is_first() -> None:
    assert spans(rank_ranges(board([0.3]))) == [(1, 1)]


def test_systems_that_differ_by_a_constant_are_told_apart_only_with_enough_items() -> None:
    assert spans(rank_ranges([[0, 1]] * 40)) == [(1, 1), (2, 2)]
    assert spans(rank_ranges([[0, 1]] * 3)) == [(1, 2), (1, 2)]


@pytest.mark.parametrize("z", [1.8, 2.1])
def test_two_systems_are_told_apart_as_by_a_two_sided_test(z: float) -> None:
    d = np.random.default_rng(1).normal(size=1000)
    d = (d - d.mean()) / d.std(ddof=1) + z / np.sqrt(1000)  # exactly z standard errors
    told_apart = spans(rank_ranges(np.stack([d, np.zeros(1000)], axis=1))) == [(2, 2), (1, 1)]
    assert told_apart == (z > norm.ppf(0.975))


@pytest.mark.parametrize("seed", range(5))
def test_the_steps_are_those_of_romano_and_wolf_done_naively(seed: int) -> None:
    paired = paired_means(board([0.2, 0.22, 0.3, 0.32, 0.4, 0.45], items=300, seed=seed))
    contrasts = draw_contrasts(paired, replicates=999, rng=np.random.default_rng(seed))
    scaled = (contrasts.draws[:, None, :] - contrasts.draws[None, :, :]) * contrasts.reciprocals[:, :, None]
    statistics = paired.statistics()
    rejected = np.zeros((6, 6), dtype=bool)
    while True:
        maxima = np.sort(scaled[~rejected].max(axis=0))
        now = statistics > maxima[-tail_count(999, 0.95)]
        if (now == rejected).all():
            break
        rejected = now
    assert rejected.sum() > 0
    assert (certainly_worse(paired, contrasts, confidence=0.95) == rejected).all()


def test_stepping_down_only_narrows_the_ranges() -> None:
    losses = board([0.1 + 0.03 * j for j in range(20)])
    one_step, stepwise = rank_ranges(losses, stepwise=False), rank_ranges(losses)
    assert all(a.best <= b.best and a.worst >= b.worst for a, b in zip(one_step, stepwise, strict=True))
    assert spans(one_step) != spans(stepwise)


def test_more_confidence_widens_the_ranges() -> None:
    losses = board(list(np.linspace(0.1, 0.6, 15)))
    loose, strict = rank_ranges(losses, 0.5), rank_ranges(losses, 0.999)
    assert all(a.best >= b.best and a.worst <= b.worst for a, b in zip(loose, strict, strict=True))
    assert spans(loose) != spans(strict)


@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 9), st.floats(0.1, 3), st.sampled_from([bool, float]))
@settings(max_examples=40, deadline=None)
def test_an_observed_rank_lies_in_its_range_and_units_do_not_matter(
    seed: int, items: int, systems: int, unit: float, kind: type
) -> None:
    rng = np.random.default_rng(seed)
    losses: Array = (rng.random((items, systems)) < rng.random(systems)).astype(kind)
    ranges = rank_ranges(losses, replicates=99, seed=seed)
    for one in ranges:
        assert 1 <= one.best <= one.rank <= one.worst <= systems
    assert sorted({one.group for one in ranges}) == list(range(1, 1 + max(one.group for one in ranges)))
    assert spans(rank_ranges(7 + unit * losses.astype(float), replicates=99, seed=seed)) == spans(ranges)


def test_ranges_of_different_groups_do_not_overlap() -> None:
    ranges = rank_ranges(board([rate + step for rate in (0.1, 0.4, 0.7) for step in (0, 0.01, 0.02)]))
    assert [one.group for one in ranges] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    for one in ranges:
        for other in ranges:
            if one.group < other.group:
                assert one.worst < other.best


def test_the_same_seed_gives_the_same_ranges() -> None:
    losses = board(list(np.linspace(0.2, 0.4, 20)))
    assert rank_ranges(losses, seed=5) == rank_ranges(losses, seed=5)
    assert rank_ranges(losses, seed=np.random.default_rng(5)) == rank_ranges(losses, seed=5)


@pytest.mark.parametrize(("confidence", "replicates"), [(0.0, 100), (1.0, 100), (95, 100), (0.95, 18), (0.95, 0)])
def test_options_out_of_range_are_refused(confidence: float, replicates: int) -> None:
    with pytest.raises(ParameterError):
        rank_ranges([[0, 1], [1, 0], [1, 1]], confidence, replicates=replicates)


def test_memory_stays_bounded_for_many_systems() -> None:
    losses = board(list(np.linspace(0.1, 0.5, 250)), items=400)
    tracemalloc.start()
    rank_ranges(losses, replicates=2000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6  # all pairs of all replicates at once would be 500 MB


def test_at_semeval_2018_the_winner_stands_alone_and_most_others_tie() -> None:
    board = semeval()
    ranked = board.select([name for name in board.systems if name != "s436419"])  # this entry was withdrawn
    ranges = {one.system: one for one in rank_ranges(ranked)}
    winner = ranges["s437952"]  # GIST, accuracy .712; the next one has .606
    assert (winner.rank, winner.best, winner.worst, winner.group) == (1, 1, 1, 1)
    others = [one for one in ranges.values() if one is not winner]
    assert {one.group for one in others} == {2}
    assert sum(one.best == 2 for one in others) >= 17
    assert all(one.best > 2 for one in others if one.score > 0.5)


def test_on_imagenet_the_first_four_stay_ahead_on_the_fresh_sets() -> None:
    old, names = imagenet("val")
    leaders = {names[j] for j, one in enumerate(rank_ranges(old)) if one.best == 1}
    assert leaders == {"pnasnet_large_tf", "pnasnet5large", "nasnet_large_tf", "nasnetalarge"}
    for fresh in ("v2_matched", "v2_threshold07", "v2_top"):
        wrong, names = imagenet(fresh)
        assert {names[j] for j, one in enumerate(rank_ranges(wrong)) if one.best == 1} >= leaders
