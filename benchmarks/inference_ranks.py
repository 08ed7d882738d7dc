"""Rank ranges, the best set and the winner's estimate against honestboard and arch on ImageNet's 50,000 × 67 matrix.

The same question is asked of both sides: rank intervals, the model confidence set, and for the winner the hybrid
interval from the matrix on (ours has the expected luck as well). Then two larger boards against limits of their own,
and the ranking of battles against what others do for it: a hundred bootstraps, here of the counts alone.

honestboard and arch are no dependencies of ours: `make bench` installs them from `requirements/bench.lock`. Where one
cannot be imported the rows say so and show our seconds only.
"""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ladderboard as lb
from benchmarks.row import Row, compare
from ladderboard.inference.winner import REPLICATES as WINNER_DRAWS
from tests.shared_data import SHARED

PEER_REPLICATES = 4000
"""honestboard's default, used for both sides."""
ARCH_REPLICATES = 100
"""arch takes minutes for more: its seconds are scaled up to ours."""
FASTER_RANKS, FASTER_SETS = 50, 20
LARGE = ("10,000 × 1,000", 10_000, 1_000, 60.0, 4.0)
BATTLE_MEGABYTES, BOOTSTRAPS = 200, 100
MIDDLE = ("5,000 × 500", 5_000, 500, 1.0, 0.2)

Failures = npt.NDArray[np.bool_]


def run() -> list[Row]:
    """All rows; each side runs on the same matrix in the same process."""
    wrong, name = imagenet_board()
    board = _peer_board(wrong)
    return [
        _against(
            f"rank_ranges, {name}, against honestboard",
            lambda: lb.rank_ranges(wrong, replicates=PEER_REPLICATES),
            None if board is None else lambda: board.rank_summary(B=PEER_REPLICATES),
            FASTER_RANKS,
        ),
        _against(
            f"best_set, {name}, against honestboard",
            lambda: lb.best_set(wrong, replicates=PEER_REPLICATES),
            None if board is None else lambda: board.confidence_set_best(B=PEER_REPLICATES),
            FASTER_SETS,
        ),
        _against_arch(wrong, name),
        _against(
            f"winner_estimate, {name}, against honestboard's hybrid",
            lambda: lb.winner_estimate(wrong),
            None if board is None else lambda: _peer_hybrid(wrong),
            1,
        ),
        limited_row(*MIDDLE),
        limited_row(*LARGE),
        battles_row(),
        battles_row("length and position"),
    ]


def imagenet_board() -> tuple[Failures, str]:
    """The failures of 67 published models on 50,000 images; simulated ones of that shape where the data is absent."""
    path = SHARED / "imagenetv2" / "imagenet_val_50k_top1.npz"
    if path.exists():
        arrays = np.load(path)
        return arrays["pred"] != arrays["label"][:, None], "ImageNet, 50,000 × 67"
    return simulated_board(50_000, 67), "simulated, 50,000 × 67"


def simulated_board(items: int, systems: int) -> Failures:
    """Error rates from .2 to .4; a third of the failures is shared by all systems."""
    rng = np.random.default_rng(0)
    hard = rng.random((items, 1)) < 0.1
    return hard | (rng.random((items, systems)) < np.linspace(0.1, 0.3, systems))


def limited_row(what: str, items: int, systems: int, seconds: float, gigabytes: float) -> Row:
    """A board in a process of its own, so that its peak memory can be read."""
    code = f"from benchmarks.inference_ranks import print_cost; print_cost({items}, {systems})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    taken, held = (float(number) for number in done.stdout.split())
    said = f"rank_ranges, {what}, {1000 * held:.0f} of {1000 * gigabytes:.0f} MB, processor time against {seconds:g} s"
    return Row(said, taken if held <= gigabytes else math.inf, seconds, 1.0)


def print_cost(items: int, systems: int) -> None:
    """The seconds of the processor and the gigabytes that a board takes."""
    wrong = simulated_board(items, systems)
    lb.rank_ranges(wrong[:, :2])  # imports are no part of it
    start = time.process_time()
    lb.rank_ranges(wrong)
    seconds = time.process_time() - start
    print(seconds, _read_peak())


def battles_row(covariates: str = "") -> Row:
    """The ranking of battles, with rank ranges and the check of fit, against bare bootstraps of their strengths.

    On one thread: threads that wait for each other on a busy machine would count as work. With covariates there are no
    equal battles to count; the bootstraps are those of the same battles without them.
    """
    code = f"from benchmarks.inference_ranks import print_battle_cost; print_battle_cost({bool(covariates)})"
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=alone)
    held, ours, floor = (float(number) for number in done.stdout.split())
    under = f" with {covariates}" if covariates else ""
    said = (
        f"rank_battles, 200,000 × 100{under}, {held:.0f} of {BATTLE_MEGABYTES} MB, processor time against "
        f"{BOOTSTRAPS} bootstraps of the counts"
    )
    return Row(said, ours if held <= BATTLE_MEGABYTES else math.inf, floor, 1.0)


def print_battle_cost(has_covariates: bool) -> None:
    """The megabytes that a ranking takes, and the processor's seconds of both sides, the best of three rounds."""
    battles, few = (simulated_battles(*sizes, has_covariates=has_covariates) for sizes in ((200_000, 100), (2_000, 5)))
    lb.rank_battles(few)  # imports are no part of it
    lb.rank_battles(battles)
    held = 1024 * _read_peak()
    row = compare(
        "", lambda _: lb.rank_battles(battles), lambda _: bootstrap_counts(battles), target=1.0, rounds=3,
        clock=time.process_time,
    )  # fmt: skip
    print(held, row.ours, row.floor)


def simulated_battles(battles: int, systems: int, *, has_covariates: bool = False) -> lb.Battles:
    """Strengths with a standard deviation of 1, and a fifth of ties; longer answers and the first place win more."""
    rng = np.random.default_rng(0)
    strengths = rng.standard_normal(systems)
    first = rng.integers(0, systems, battles)
    second = (first + rng.integers(1, systems, battles)) % systems
    covariates = np.column_stack([rng.normal(0, 1, battles), np.ones(battles)]) if has_covariates else None
    gaps = strengths[first] - strengths[second] + (0 if covariates is None else 0.2 * covariates.sum(axis=1))
    outcomes = np.where(rng.random(battles) < 0.2, 0.5, rng.random(battles) < 1 / (1 + np.exp(-gaps)))
    names = tuple(f"system {j + 1}" for j in range(systems))
    named = () if covariates is None else ("length", "position")
    return lb.Battles(names, first, second, outcomes, covariates=covariates, covariate_names=named)


def bootstrap_counts(battles: lb.Battles) -> npt.NDArray[np.float64]:
    """Strengths of resampled battles: equal ones are counted first, so that a bootstrap is one multinomial draw."""
    systems, total = len(battles.systems), len(battles.outcomes)
    cells, counts = np.unique(
        (battles.first * systems + battles.second) * 3 + (2 * battles.outcomes).astype(int), return_counts=True
    )
    first, second, outcomes = cells // 3 // systems, cells // 3 % systems, cells % 3 / 2
    rng = np.random.default_rng(0)
    found = []
    for _ in range(BOOTSTRAPS):
        drawn, values = rng.multinomial(total, counts / total), np.zeros(systems)
        step = np.ones(systems)
        while np.abs(step).max() > 1e-6:
            expected = 1 / (1 + np.exp(values[second] - values[first]))
            residuals, weights = drawn * (outcomes - expected), drawn * expected * (1 - expected)
            score = np.bincount(first, residuals, systems) - np.bincount(second, residuals, systems)
            met = np.bincount(first * systems + second, weights, systems**2).reshape(systems, systems)
            met = met + met.T
            step = np.linalg.solve(np.diag(met.sum(axis=1)) - met + 1 / systems, score)
            values = values + step
        found.append(values)
    return np.array(found)


def _read_peak() -> float:
    """The gigabytes that this process held at most. Not getrusage: its peak includes what the parent held before."""
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 2**20


def _peer_board(wrong: Failures) -> Any:
    if find_spec("honestboard") is None:
        return None
    names = [f"system {j + 1}" for j in range(wrong.shape[1])]
    return import_module("honestboard").Board(names, (~wrong).T.astype(np.uint8))


def _peer_hybrid(wrong: Failures) -> object:
    """honestboard's hybrid interval, from the matrix on and with as many draws as ours has."""
    board = _peer_board(wrong)
    return import_module("honestboard.selective").winner_hybrid(board.scores(), board.sigma(), draws=WINNER_DRAWS)


def _against_arch(wrong: Failures, name: str) -> Row:
    what = f"best_set, {name}, against arch"
    if not (find_spec("arch") and find_spec("statsmodels")):  # arch needs it
        return _against(what, lambda: lb.best_set(wrong, replicates=PEER_REPLICATES), None, FASTER_SETS)
    losses = wrong.astype(np.float64)
    peer = import_module("arch.bootstrap").MCS(losses, 0.05, reps=ARCH_REPLICATES, block_size=1, method="R", seed=1)
    scale = PEER_REPLICATES / ARCH_REPLICATES
    ours = min(_seconds(lambda: lb.best_set(wrong, replicates=PEER_REPLICATES)) for _ in range(5))
    return Row(f"{what} ({ARCH_REPLICATES} replicates, scaled)", ours, scale * _seconds(peer.compute), 1 / FASTER_SETS)


def _against(what: str, ours: Callable[[], object], peer: Callable[[], object] | None, faster: int) -> Row:
    seconds = min(_seconds(ours) for _ in range(5))
    if peer is None:
        return Row(f"{what}; it is not installed, so our seconds only", seconds, math.inf, 1 / faster)
    # Of what is quick the best of five runs counts on both sides; of minutes one is enough.
    return Row(what, seconds, min(_seconds(peer) for _ in range(5 if faster == 1 else 1)), 1 / faster)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
