"""Rank ranges and the winner's estimate against honestboard on ImageNet's 50,000 × 67 matrix, and at 10,000 × 1,000.

honestboard is no dependency of ours: where it cannot be imported the rows say so and show our seconds only. Give it by
``pip install --no-deps --target folder honestboard`` and ``PYTHONPATH=folder python -m benchmarks``.
"""

import math
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
from benchmarks.row import Row
from tests.shared_data import SHARED

PEER_REPLICATES = 4000
"""honestboard's default, used for both sides."""
FASTER = 50
LIMIT_SECONDS, LIMIT_GIGABYTES = 60.0, 4.0

Failures = npt.NDArray[np.bool_]


def run() -> list[Row]:
    """All rows; each side runs on the same matrix in the same process."""
    wrong, name = imagenet_board()
    board = _peer_board(wrong)
    return [
        _against_peer(
            f"rank_ranges, {name}",
            lambda: lb.rank_ranges(wrong, replicates=PEER_REPLICATES),
            None if board is None else lambda: board.rank_summary(B=PEER_REPLICATES),
        ),
        _against_peer(
            f"winner_estimate, {name}",
            lambda: lb.winner_estimate(wrong, replicates=PEER_REPLICATES),
            None if board is None else lambda: board.winner_adjusted(B=PEER_REPLICATES),
        ),
        large_board_row(),
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


def large_board_row() -> Row:
    """1,000 systems on 10,000 items in a process of its own, so that its peak memory can be read."""
    code = "from benchmarks.inference_ranks import print_large_board; print_large_board()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, gigabytes = (float(number) for number in done.stdout.split())
    what = f"rank_ranges, 10,000 × 1,000, {gigabytes:.1f} of {LIMIT_GIGABYTES:.0f} GB, against {LIMIT_SECONDS:.0f} s"
    return Row(what, seconds if gigabytes <= LIMIT_GIGABYTES else math.inf, LIMIT_SECONDS, 1.0)


def print_large_board() -> None:
    """The seconds and the gigabytes that the large board takes."""
    wrong = simulated_board(10_000, 1_000)
    seconds = _seconds(lambda: lb.rank_ranges(wrong))
    # Not getrusage: its peak includes what the parent held before this program was loaded.
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(seconds, int(peak.split()[1]) / 2**20)


def _peer_board(wrong: Failures) -> Any:
    if find_spec("honestboard") is None:
        return None
    names = [f"system {j + 1}" for j in range(wrong.shape[1])]
    return import_module("honestboard").Board(names, (~wrong).T.astype(np.uint8))


def _against_peer(what: str, ours: Callable[[], object], peer: Callable[[], object] | None) -> Row:
    seconds = min(_seconds(ours) for _ in range(5))
    if peer is None:
        return Row(f"{what}; honestboard is not installed, so our seconds only", seconds, math.inf, 1 / FASTER)
    return Row(f"{what}, against honestboard", seconds, _seconds(peer), 1 / FASTER)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
