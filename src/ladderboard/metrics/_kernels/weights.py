"""Random weights of a bootstrap, drawn block by block so that memory does not grow with the number of replicates."""

from collections.abc import Iterator

import numpy as np

from ladderboard.core.records import FloatArray

BLOCK_CELLS = 1 << 21
"""Cells of one block of weights (16 MiB of float64)."""


def weight_blocks(
    rng: np.random.Generator, *, replicates: int, units: int, bayesian: bool = True
) -> Iterator[FloatArray]:
    """Blocks of weight rows, ``replicates`` rows in all, each row summing to ``units``.

    ``bayesian``: Dirichlet(1, …, 1) weights (Rubin's Bayesian bootstrap); otherwise whole-number counts of drawing
    ``units`` times with replacement (Efron's bootstrap). The draws do not depend on the size of a block.
    """
    for start, stop in row_blocks(replicates, units):
        if bayesian:
            weights = rng.standard_exponential((stop - start, units))
            weights *= units / weights.sum(axis=1, keepdims=True)
            yield weights
        else:
            yield np.stack([_counts(rng, units) for _ in range(start, stop)])


def unscaled_weight_blocks(rng: np.random.Generator, *, replicates: int, units: int) -> Iterator[FloatArray]:
    """The same Bayesian weights up to the scale of each row, for scores to which that does not matter.

    Each block is overwritten by the next one: fresh memory and the scaling would take a fifth of the time.
    """
    memory = np.empty((0, units))
    for start, stop in row_blocks(replicates, units):
        if len(memory) < stop - start:
            memory = np.empty((stop - start, units))
        yield rng.standard_exponential(out=memory[: stop - start])


def row_blocks(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """(start, stop) pairs that cover ``rows`` in blocks of at most `BLOCK_CELLS` cells."""
    size = max(1, BLOCK_CELLS // max(columns, 1))
    for start in range(0, rows, size):
        yield start, min(start + size, rows)


def _counts(rng: np.random.Generator, units: int) -> FloatArray:
    return np.bincount(rng.integers(0, units, units), minlength=units).astype(np.float64)
