"""The errors of four estimates of a board's true best, on eight kinds of boards, in standard errors.

    python examples/luck_of_the_best.py [boards]

Prints for each kind of board the mean error of each estimate of the best system's true accuracy, and its root mean
square, in standard errors of one system's score. Losses are 0/1, and systems fail on the same hard items.
"""

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

import ladderboard as lb

FloatArray = npt.NDArray[np.float64]

SYSTEMS, ITEMS, LATENT_CORRELATION = 50, 1000, 0.5
STANDARD_ERROR = np.sqrt(0.85 * 0.15 / ITEMS)


def boards(rng: np.random.Generator) -> dict[str, Callable[[], FloatArray]]:
    """True accuracies of the systems, by kind of board."""
    unit = STANDARD_ERROR

    def tail(scale: float, count: int = SYSTEMS) -> FloatArray:
        return np.maximum(0.85 - rng.exponential(scale * unit, count), 0.3)

    return {
        "all equal": lambda: np.full(SYSTEMS, 0.85),
        "normal, sd 0.5": lambda: 0.85 + rng.normal(0, 0.5 * unit, SYSTEMS),
        "normal, sd 1": lambda: 0.85 + rng.normal(0, unit, SYSTEMS),
        "normal, sd 3": lambda: np.minimum(0.85 + rng.normal(0, 3 * unit, SYSTEMS), 0.97),
        "long tail, 4": lambda: tail(4),
        "long tail, 15": lambda: tail(15),
        "ten on top, tail": lambda: np.r_[np.full(10, 0.85), tail(15, SYSTEMS - 10) - 3 * unit],
        "a clear winner": lambda: np.r_[0.95, 0.85 + rng.normal(0, unit, SYSTEMS - 1)],
    }


ESTIMATES = ("observed", "corrected", "cropped", "shrunk", "James-Stein")


def losses_of(accuracies: FloatArray, rng: np.random.Generator) -> FloatArray:
    """0/1 losses with a common part: a threshold on normal difficulties."""
    common = rng.standard_normal((ITEMS, 1)) * np.sqrt(LATENT_CORRELATION)
    own = rng.standard_normal((ITEMS, SYSTEMS)) * np.sqrt(1 - LATENT_CORRELATION)
    return np.asarray(common + own > ndtri(accuracies), dtype=np.float64)


def errors_of(accuracies: FloatArray, rng: np.random.Generator) -> list[float]:
    """Observed best, corrected, cropped, shrunk, and James–Stein from the scores alone, in standard errors.

    Minus the truth: for the corrected score that of the system that won, for the others that of the best system.
    """
    losses = losses_of(accuracies, rng)
    corrected = lb.sota_from_losses(losses, replicates=1000, seed=rng)
    cropped = lb.sota_from_losses(losses, replicates=1000, seed=rng, truth="cropped")
    shrunk = lb.sota_from_losses(losses, replicates=1000, seed=rng, truth="shrunk")
    # Similar systems share most of their luck: the pairwise correlation is known here, its root is ρ₀.
    pairwise = np.asarray(np.corrcoef(losses.T))[np.triu_indices(SYSTEMS, 1)].mean()
    scores = lb.shrink_board(
        1 - losses.mean(axis=0), test_size=ITEMS, method="james_stein", correlation=float(np.sqrt(max(pairwise, 0)))
    )
    best, won = accuracies.max(), accuracies[losses.mean(axis=0).argmin()]
    pairs = (
        (cropped.observed, best),
        (corrected.true_best, won),
        (cropped.true_best, best),
        (shrunk.true_best, best),
        (scores.true_best, best),
    )
    return [float((value - truth) / STANDARD_ERROR) for value, truth in pairs]


def main(count: int) -> None:
    """Print the table."""
    rng = np.random.default_rng(7)
    print(f"{'board':<18}" + "".join(f"{name:>16}" for name in ESTIMATES))
    for name, draw in boards(rng).items():
        errors = np.array([errors_of(draw(), rng) for _ in range(count)])
        cells = zip(errors.mean(axis=0), np.sqrt(np.square(errors).mean(axis=0)), strict=True)
        print(f"{name:<18}" + "".join(f"{f'{mean:+.2f} ({rms:.2f})':>16}" for mean, rms in cells))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
