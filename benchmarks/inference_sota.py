"""`sota` at a million classifiers on a million items, and its readings of large boards, against limits in seconds."""

import time
from collections.abc import Callable

import numpy as np

import ladderboard as lb
from benchmarks.row import Row, compare

MILLION = 1_000_000


def run() -> list[Row]:
    """Limits are the seconds a reader would wait; the last row is against simulating the same distribution."""
    board = np.random.default_rng(0).binomial(13_840, 0.88, 3000) / 13_840
    return [
        _within(1.0, "sota, m = n = 1,000,000: mean, sd and interval", lambda: _read(lb.sota(MILLION, MILLION, 0.9))),
        _within(5.0, "sota, 3,000 different accuracies, n = 13,840", lambda: _read(_different(board))),
        _within(5.0, "shrink_board, 3,000 scores, n = 13,840", lambda: lb.shrink_board(board, test_size=13_840)),
        _against_simulation(),
    ]


def _read(best: lb.BestScore) -> tuple[float, float, tuple[float, float]]:
    return best.mean, best.sd, best.interval()


def _different(accuracies: np.ndarray[tuple[int], np.dtype[np.float64]]) -> lb.BestScore:
    return lb.sota(test_size=13_840, accuracies=accuracies)


def _within(seconds: float, what: str, work: Callable[[], object]) -> Row:
    """The best of three runs, against a limit."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return Row(f"{what}, against {seconds:g} s", min(times), seconds, 1.0)


def _against_simulation() -> Row:
    """Exact, against 1,000 simulated boards: three digits of the mean instead of twelve."""
    simulated = lb.sota(1000, 3000, 0.9)
    return compare(
        "sota, m = 1,000, n = 3,000, against 1,000 simulated boards",
        lambda _: _read(lb.sota(1000, 3000, 0.9)),
        lambda number: simulated.simulate(np.random.default_rng(number), 1000).mean(),
        target=0.2,
        rounds=5,
    )
