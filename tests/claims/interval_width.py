"""How wide the interval of a first RMSE is, and how often it is right, by several rules.

python -m tests.claims.interval_width      # the table of docs/decisions/intervals-from-the-entrys-own-spread.md
"""

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import t as student

from ladderboard.core.precision import Z, effective_support, round_up
from ladderboard.core.records import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]


def draw_lognormal(sigma: float) -> tuple[Draw, float]:
    """Centred errors with a long tail on one side, and their variance."""
    mean, variance = math.exp(sigma**2 / 2), math.expm1(sigma**2) * math.exp(sigma**2)
    return lambda rng, n: np.exp(sigma * rng.normal(size=n)) - mean, variance


ERRORS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "t5": (lambda rng, n: rng.standard_t(5, size=n), 5 / 3),
    "t3": (lambda rng, n: rng.standard_t(3, size=n), 3.0),
    "lognormal, σ = 0.8": draw_lognormal(0.8),
    "lognormal, σ = 1.1": draw_lognormal(1.1),
}
"""How errors are drawn, and their variance."""
RULES = ("v·e^x", "v·(1 + x)", "ν the whole support", "±1.96 SE")
WITNESSES = 2 / 3


def make_intervals(errors: FloatArray) -> Iterator[tuple[float, float]]:
    """The interval of each rule for a first score, and then the usual one."""
    squares, n = errors**2, len(errors)
    spread = float(squares.std(ddof=1)) / math.sqrt(n)
    rmse = math.sqrt(squares.mean())
    own = spread / (2 * rmse)
    shown = math.sqrt(max(squares.mean(), squares[round((1 - WITNESSES) * n) :].mean() - spread))
    support = effective_support(squares - squares.mean())
    for freedom, arm in ((support / 2, math.exp), (support / 2, lambda x: 1 + x), (support, lambda x: 1 + x)):
        ratio = float(student.ppf(0.975, max(1.0, freedom))) / Z
        factor = arm(Z * round_up(own * ratio) / math.sqrt(WITNESSES) / shown)
        yield shown / factor, shown * factor
    yield rmse - Z * own, rmse + Z * own


def measure(errors: str, n: int, *, runs: int) -> list[tuple[float, float]]:
    """For each rule the share of true intervals, and their mean width in the entry's own standard errors."""
    draw, variance = ERRORS[errors]
    rng, truth = np.random.default_rng(n), math.sqrt(variance)
    found = []
    for _ in range(runs):
        ends = list(make_intervals(draw(rng, n)))
        own = (ends[-1][1] - ends[-1][0]) / (2 * Z)
        found.append([(low <= truth <= high, (high - low) / own) for low, high in ends])
    return [(float(share), float(width)) for share, width in np.mean(found, axis=0)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=600)
    given = parser.parse_args()
    print("| errors | " + " | ".join(RULES) + " |")  # noqa: T201 (its table)
    for errors in ERRORS:
        cells = " | ".join(f"{share:.3f}, {width:.1f}" for share, width in measure(errors, given.n, runs=given.runs))
        print(f"| {errors} | {cells} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
