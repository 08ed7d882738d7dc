"""Seeded claims about the Spending and the Witness Ladder.

Every seed is fixed, so a claim that holds today holds tomorrow. The comment at each claim says how often a correct
program would fail it if the seeds were drawn anew.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from ladderboard.core.records import Evaluation, Subset
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.parameter_free_ladder import ParameterFreeLadder
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from tests.claims.simulation import STREAMS, Bench, Labels, Stream, coin_flips, pair_flip
from tests.claims.sizes import sized

pytestmark = pytest.mark.claim


def overfit_of_pair_flip(mechanism: Mechanism, *, seed: int, n: int = 1000, submissions: int = 4000) -> float:
    """True loss (one half) minus the loss on the board."""
    bench = Bench(mechanism, coin_flips(seed, n), seed=seed)
    pair_flip(bench, submissions)
    shown = bench.releases[-1].board_value
    assert shown is not None
    return 0.5 - shown


def test_the_parameter_free_ladder_falls_to_the_pair_flip() -> None:
    # Measured .385 to .413 over 20 seeds: a false alarm would be a miracle.
    overfits = [overfit_of_pair_flip(ParameterFreeLadder(), seed=seed) for seed in range(3)]
    assert min(overfits) > 0.3


@pytest.mark.parametrize("mechanism", [SpendingLadder(), WitnessLadder()], ids=lambda one: one.name)
def test_our_ladders_do_not_fall_to_the_pair_flip(mechanism: Mechanism) -> None:
    # Baseline and grid leave up to one null standard error (.0158) and half a grid step; a false accept has
    # probability below 1 % in a run. False alarms: below 5 %.
    overfits = [overfit_of_pair_flip(mechanism, seed=seed) for seed in range(5)]
    assert max(overfits) < 0.04


def test_false_accepts_of_the_spending_ladder_stay_within_alpha_times_the_harmonic_sum() -> None:
    # Submissions are fixed in advance and without skill. E[runs with a false accept] ≤ 300·α·H_100 = 77.8 of 300; the
    # standard deviation is below 8, so exceeding the bound by 3 of them has a probability below .2 %.
    alpha, runs, k = 0.05, 300, 100
    bound = runs * alpha * sum(1 / t for t in range(1, k + 1))
    assert sum(has_a_false_accept(SpendingLadder(alpha=alpha), seed, k) for seed in range(runs)) <= bound + 24


def has_a_false_accept(mechanism: Mechanism, seed: int, submissions: int, n: int = 300) -> bool:
    bench = Bench(mechanism, coin_flips(seed, n), seed=seed)
    rng = np.random.default_rng((seed, 5))
    return any(bench.submit(rng.integers(0, 2, n, dtype=np.int8)).accepted for _ in range(submissions))


@sized(40, 200)
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize(("start", "end"), [(0.30, 0.18), (0.12, 0.07)])
def test_honest_error_of_the_witness_ladder_is_within_1_5_of_full_disclosure(
    name: str, start: float, end: float, runs: int
) -> None:
    # Measured ratios lie between .93 and 1.33; their Monte Carlo error over 40 runs is about .07, over 200 .03. False
    # alarms: 1 in 100 at the small size, none at the full one.
    true_losses = np.linspace(start, end, 100)
    errors = np.array([honest_errors(STREAMS[name], true_losses, seed) for seed in range(runs)])
    witness, full_disclosure = errors.mean(axis=0)
    assert witness <= 1.5 * full_disclosure


def honest_errors(stream: Stream, true_losses: npt.NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Mean |R_t − best true loss| of the Witness Ladder and of the best score so far, on one stream (n = 4000)."""
    y = coin_flips(seed, 4000)
    bench = Bench(WitnessLadder(), y, seed=seed)
    submissions = list(stream(np.random.default_rng((seed, 4)), y, true_losses))
    shown = np.array([bench.submit(p).board_value for p in submissions], dtype=float)
    best = np.minimum.accumulate([np.mean(p != y) for p in submissions])
    return float(np.abs(shown - true_losses).mean()), float(np.abs(best - true_losses).mean())


class KeyWithFixedSplit(AnswerKey):
    """An answer key whose gate is the first half of the items, whatever the labels are."""

    def _draw_split(self, seed: int, fraction: float) -> tuple[Subset, Subset]:
        half = len(self) // 2
        return Subset(np.arange(half)), Subset(np.arange(half, len(self)))


def with_fixed_split(bench: Bench) -> Bench:
    bench.key = KeyWithFixedSplit(bench.labels, find_metric("error_rate"))
    bench.incumbent = bench.key.baseline
    return bench


@pytest.mark.parametrize("seed", range(5))
def test_rejections_of_the_witness_ladder_are_independent_of_its_witness_half(seed: int) -> None:
    # An adaptive attack is run against two holdouts that agree on the gate and differ on the witnesses (whose labels
    # are permuted). Until an accept, both transcripts must be the same, byte for byte. Not statistical: no false alarm.
    y = coin_flips(seed, 400)
    other = np.concatenate([y[:200], np.random.default_rng(seed).permutation(y[200:])])
    transcripts = []
    for labels in (y, other):
        bench = with_fixed_split(Bench(WitnessLadder(), labels, seed=seed))
        pair_flip(bench, 500, flips=20)
        transcripts.append(until_first_accept(bench))
    assert transcripts[0] == transcripts[1]
    assert len(transcripts[0]) > 100


def until_first_accept(bench: Bench) -> list[tuple[bool, float | None]]:
    told = [(release.accepted, release.value) for release in bench.releases]
    accepted = [index for index, (was_accepted, _) in enumerate(told) if was_accepted]
    return told[: accepted[0]] if accepted else told


def runs_with_many_accepts() -> Iterator[tuple[Bench, list[Evaluation]]]:
    """Analysts who know labels and repair just a few at a time: as many accepts as can be had."""
    for seed in range(12):
        n = (200, 1000, 4000)[seed % 3]
        bench = Bench(WitnessLadder(), coin_flips(seed, n), seed=seed)
        yield bench, list(repair_step_by_step(bench, seed))


def repair_step_by_step(bench: Bench, seed: int) -> Iterator[Evaluation]:
    rng = np.random.default_rng((seed, 6))
    y: Labels = np.asarray(bench.labels)
    wrong = rng.permutation(np.flatnonzero(rng.random(len(y)) < 0.45))
    for repaired in range(0, len(wrong), max(1, len(wrong) // 300)):
        p = y.copy()
        p[wrong[repaired:]] ^= 1
        p[rng.integers(0, len(y), 2)] ^= 1
        if bench.submit(p).accepted:
            yield bench.incumbent


def test_the_witness_ladders_pathwise_bound_holds_on_every_run() -> None:
    # R ≥ R_B − c·sd/√n − (g/2)·√(v(1−v)/n) − g²/(16n), less the rounding to decimals. Not statistical: no false alarm.
    checked = 0
    for bench, accepted in runs_with_many_accepts():
        grid = bench.key.yardstick.grid(0.5)
        shown = [release.value for release in bench.releases if release.accepted]
        for value, evaluation in zip(shown, accepted, strict=True):
            assert value is not None
            assert value >= witness_bound(bench, evaluation) - 0.5 * 10.0**-grid.decimals - 1e-12
            checked += 1
    assert checked > 100


def witness_bound(bench: Bench, evaluation: Evaluation) -> float:
    n = bench.key.units
    _, witness = bench.mechanism.list_parts(bench.state, evaluation)
    v = evaluation.on(witness).score - evaluation.spread / np.sqrt(n)
    half_step = 0.25 * np.sqrt(max(v * (1 - v), 0) / n) + 0.25 / (16 * n)
    return float(v - half_step)


def test_the_witness_ladders_number_of_releases_is_bounded_on_every_run() -> None:
    # Σ_{1≤j<L} f0(1 + fA·j)·SE_min ≤ R_A(first accepted entry). Not statistical: no false alarm.
    for bench, accepted in runs_with_many_accepts():
        gate, _ = bench.mechanism.list_parts(bench.state, accepted[0])
        steps = 0.5 * (1 + np.arange(1, len(accepted)) / 8) * bench.key.yardstick.smallest_standard_error
        assert steps.sum() <= accepted[0].on(gate).score
        assert len(accepted) > 5


@pytest.mark.parametrize("mechanism", [SpendingLadder(), Ladder(step_size=0.01)], ids=lambda one: one.name)
def test_the_leakage_meter_bounds_the_overfit_of_a_hill_climb(mechanism: Mechanism) -> None:
    # All labels are coin flips, so the incumbent's true loss is one half. The meter's bound fails with a probability of
    # at most δ = .05 in each run; measured, it is several times the overfit.
    for seed in range(10):
        bench = Bench(mechanism, coin_flips(seed, 500), seed=seed)
        pair_flip(bench, 300, flips=40)
        bound = bench.mechanism.leakage(bench.state, bench.key.yardstick).overfit_bound
        assert bound is not None
        assert 0.5 - bench.incumbent.score <= bound
