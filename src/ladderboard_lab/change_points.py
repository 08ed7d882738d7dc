"""Change points in a sequence of released numbers, exact or estimated from noisy ones."""

import heapq
from collections.abc import Sequence

import numpy as np

from ladderboard_lab.participant import FloatArray


def find_jumps(values: Sequence[float | None], *, before: float | None = None) -> list[int]:
    """Find the positions at which a number differs from the one before; the first differs from no number.

    >>> find_jumps([0.9, 0.9, 0.8, 0.8, 0.7], before=0.9), find_jumps([0.9, 0.9])
    ([2, 4], [0])
    """
    previous = [before, *values[:-1]]
    return [index for index, (value, last) in enumerate(zip(values, previous, strict=True)) if value != last]


def find_segment_starts(values: FloatArray, *, jumps: int, penalty: float = 0.0) -> list[int]:
    """Find at most ``jumps`` changes in mean by binary segmentation: split where the squared error falls most, again.

    A split must lower the squared error by more than ``penalty``. Without a penalty there are exactly ``jumps`` of
    them, as `ruptures.Binseg` with its ``l2`` cost finds them.

    >>> values = np.array([1.0, 1.1, 0.9, 0.5, 0.4, 0.6])
    >>> find_segment_starts(values, jumps=1), find_segment_starts(values, jumps=5, penalty=0.1)
    ([3], [3])
    """
    sums = np.concatenate([[0.0], np.cumsum(values - np.mean(values))])
    segments: list[tuple[float, int, int, int]] = []

    def offer(start: int, end: int) -> None:
        if end - start > 1:
            gain, place = _best_split(sums, start, end)
            heapq.heappush(segments, (-gain, start, end, place))

    offer(0, len(values))
    found: list[int] = []
    while segments and len(found) < jumps:
        gain, start, end, place = heapq.heappop(segments)
        if penalty and -gain <= penalty:
            break
        found.append(place)
        offer(start, place)
        offer(place, end)
    return sorted(found)


def find_penalised_starts(values: FloatArray, *, penalty: float) -> list[int]:
    """Find the changes in mean with the smallest squared error plus ``penalty`` for each of them (PELT).

    >>> find_penalised_starts(np.array([1.0, 1.1, 0.9, 0.5, 0.4, 0.6]), penalty=0.1)
    [3]
    """
    import ruptures

    if len(values) < 2:
        return []
    search = ruptures.KernelCPD(kernel="linear", min_size=1).fit(np.asarray(values, dtype=float)[:, None])
    return [int(place) for place in search.predict(pen=penalty)[:-1]]


def noise_penalty(values: FloatArray) -> float:
    """2·σ²·ln N, the usual price of a change point; σ from the median step between neighbours.

    >>> round(noise_penalty(np.array([1.0, 1.1, 0.9, 0.5, 0.4, 0.6])), 2)
    0.16
    """
    if len(values) < 2:
        return 0.0
    sigma = np.median(np.abs(np.diff(values))) / (0.6745 * np.sqrt(2))
    return float(2 * sigma**2 * np.log(len(values)))


def _best_split(sums: FloatArray, start: int, end: int) -> tuple[float, int]:
    """By how much the best split lowers the squared error, and where the second part starts; the first one on ties."""
    left = np.arange(1, end - start)
    total, part = sums[end] - sums[start], sums[start + 1 : end] - sums[start]
    gains = part**2 / left + (total - part) ** 2 / (end - start - left) - total**2 / (end - start)
    best = int(np.argmax(gains))
    return float(gains[best]), start + 1 + best
