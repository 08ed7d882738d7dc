"""Thousands of systems: the same answers as the simulation, a little more careful, in bounded memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.inference import many_systems
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.many_systems import ManyMeans, many_means, rank_many, winner_of_many
from ladderboard.inference.rank_ranges import RankRange, rank_ranges
from ladderboard.inference.winner import winner_estimate


def finish(steps: Any) -> list[RankRange]:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


def a_board(seed: int, *, systems: int = 60, items: int = 300, binary: bool = True) -> Any:
    """Items × systems; items differ in difficulty, as real ones do."""
    rng = np.random.default_rng(seed)
    quality, difficulty = rng.uniform(0, 1.5, systems), rng.normal(size=(items, 1))
    latent = difficulty + rng.normal(size=(items, systems)) - quality
    return latent > 0 if binary else np.exp(latent)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_ranges_contain_the_simulated_ones_and_are_hardly_wider(seed: int, binary: bool) -> None:
    losses = a_board(seed, binary=binary)
    few, many = rank_ranges(losses), finish(rank_many(many_means(losses.T)))
    assert [one.rank for one in many] == [one.rank for one in few]
    assert all(m.best <= f.best and f.worst <= m.worst for f, m in zip(few, many, strict=True))
    width = [sum(one.worst - one.best for one in ranges) for ranges in (few, many)]
    assert width[0] < width[1] <= 1.15 * width[0]


@pytest.mark.parametrize("binary", [True, False])
def test_every_pair_is_tested_by_the_statistic_of_the_paired_means(
    binary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One critical value, blocks of seven: the counts of all pairs, as from the whole matrix."""
    monkeypatch.setattr(many_systems, "_SYSTEMS_AT_ONCE", 7)
    losses = a_board(4, systems=40, binary=binary)
    losses[:, 11] = losses[:, 10]  # identical systems are ties
    critical = many_systems._normal_quantile(0.05 / 40 / 39)
    worse = paired_means(losses).statistics() > critical
    ranges = finish(rank_many(many_means(np.ascontiguousarray(losses.T))))
    assert [one.best for one in ranges] == (1 + worse.sum(axis=1)).tolist()
    assert [one.worst for one in ranges] == (40 - worse.sum(axis=0)).tolist()


@pytest.mark.parametrize("kind", ["binary", "skewed"])
def test_all_true_ranks_are_covered_where_systems_are_equally_good(kind: str) -> None:
    """100 boards of 40 equal systems. A procedure that covers 95 of 100 fails this (fewer than 88) once in 300."""
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(100):
        shape = (40, 250)
        losses = rng.random(shape) < 0.2 if kind == "binary" else rng.lognormal(0, 1, shape)
        ranges = finish(rank_many(many_means(losses)))
        covered += all((one.best, one.worst) == (1, 40) for one in ranges)
    assert covered >= 88


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_winner_is_corrected_as_by_the_simulation(seed: int, binary: bool) -> None:
    losses = a_board(seed, binary=binary)
    few, many = winner_estimate(losses), winner_of_many(many_means(losses.T))
    assert many.column == few.column
    assert many.naive == pytest.approx(few.naive)
    assert many.naive_interval == pytest.approx(few.naive_interval)
    # Draws of their own: a few hundredths of a standard error.
    error = (few.naive_interval[1] - few.naive_interval[0]) / 4
    assert many.value == pytest.approx(few.value, abs=0.1 * error)
    assert many.interval[0] <= few.interval[0] + 1e-5 * error
    assert many.interval[1] >= few.interval[1] - 1e-5 * error
    assert many.interval == pytest.approx(few.interval, abs=0.25 * error)


def test_a_sketch_of_the_losses_gives_about_the_same_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = a_board(0, items=2000, binary=False)
    whole = winner_of_many(many_means(losses.T))
    monkeypatch.setattr(many_systems, "_CELLS", 60 * 500)
    sketched = winner_of_many(many_means(losses.T))
    assert sketched.value != whole.value
    assert sketched.luck == pytest.approx(whole.luck, rel=0.15)


def test_two_thousand_systems_need_no_matrix_of_all_pairs() -> None:
    losses = np.random.default_rng(1).random((2000, 64)) < 0.3
    tracemalloc.start()
    many = many_means(losses)
    ranges, winner = finish(rank_many(many)), winner_of_many(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(ranges) == 2000
    assert winner.naive < winner.value
    # A matrix of all pairs would have 32 megabytes, and the simulation keeps four of them.
    assert peak < 32e6


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="2 systems on 1 items"):
        many_means(np.zeros((2, 1), dtype=bool))
    with pytest.raises(InputError, match="not finite"):
        many_means(np.array([[1.0, np.inf], [0.0, 1.0]]))


def test_some_systems_alone_keep_their_numbers() -> None:
    many = many_means(a_board(2).T)
    chosen: ManyMeans = many.of([3, 1])
    assert chosen.means.tolist() == many.means[[3, 1]].tolist()
    assert chosen.systems == (many.systems[3], many.systems[1])
