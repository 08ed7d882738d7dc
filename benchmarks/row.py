"""One line of the benchmark table, and timing that is fair on a busy machine."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, against what floor or peer in the same run, and the ratio that must hold.

    ``target`` below one asks to be faster than a peer: 0.05 is twenty times as fast.
    """

    what: str
    ours: float
    floor: float
    target: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.ours / self.floor

    @property
    def holds(self) -> bool:
        return self.ratio <= self.target


def compare(
    what: str,
    ours: Callable[[int], object],
    floor: Callable[[int], object],
    *,
    target: float,
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """Time both in turn and keep the best of each, so that other work on the machine hits neither side alone.

    Both are called with the number of the round, so that each can take fresh input; round 0 is not counted.
    ``clock``: ``time.process_time`` where one side takes much longer than the other. On a busy machine the longer one
    is interrupted in every round, and wall time would make the shorter one look better than it is.
    """
    best = [float("inf"), float("inf")]
    for number in range(rounds + 1):
        for side, work in enumerate((ours, floor)):
            start = clock()
            work(number)
            elapsed = clock() - start
            if number > 0:
                best[side] = min(best[side], elapsed)
    return Row(what, best[0], best[1], target)
