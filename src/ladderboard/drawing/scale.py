"""A linear scale, and round numbers for its ticks."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Linear:
    """A scale that maps numbers from ``low``–``high`` to positions from ``start``–``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers within the range, at most ``most`` of them.

    >>> ticks(0.62, 0.91)
    [0.7, 0.8, 0.9]
    """
    if not high > low:
        return [low]
    raw = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def pad_range(values: list[float], *, share: float = 0.08) -> tuple[float, float]:
    """The range of the values with a margin."""
    low, high = min(values), max(values)
    air = (high - low) * share or max(abs(high) * 0.02, 1e-3)
    return low - air, high + air


def number_text(value: float) -> str:
    """A number on an axis: as few digits as it needs.

    >>> number_text(0.30000000000000004), number_text(1200.0)
    ('0.3', '1,200')
    """
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.3g}"
