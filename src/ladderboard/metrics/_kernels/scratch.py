"""Reused scratch tables: fresh memory costs more than the arithmetic in it."""

from collections.abc import Iterator

import numpy as np

from ladderboard.core.records import FloatArray, IntArray

PANEL = 32
"""Weightings that are handled together; a panel of 10,000 items has 2.5 MB."""


class Scratch:
    """Tables by name. A table is valid until the next one of its name is asked for; its content is undefined.

    >>> scratch = Scratch()
    >>> scratch.table("ranks", 3, 2).shape
    (3, 2)
    """

    def __init__(self) -> None:
        self._memory: dict[str, FloatArray] = {}

    def table(self, name: str, rows: int, columns: int) -> FloatArray:
        """Rows × columns numbers, contiguous, in the memory of that name."""
        cells = rows * columns
        if len(self._memory.get(name, ())) < cells:
            self._memory[name] = np.empty(cells)
        return self._memory[name][:cells].reshape(rows, columns)

    def panels(self, weights: FloatArray) -> Iterator[FloatArray]:
        """The rows of ``weights`` (B × n) as tables of n × at most `PANEL`, each valid until the next.

        Taking and adding rows of some dozen numbers is several times faster than picking single ones out of long rows.
        """
        for start in range(0, len(weights), PANEL):
            rows = weights[start : start + PANEL]
            panel = self.table("panel", rows.shape[1], len(rows))
            np.copyto(panel, rows.T)
            yield panel


def take_rows(table: FloatArray, rows: IntArray, out: FloatArray) -> FloatArray:
    """``table[rows]``, written to ``out``."""
    return table.take(rows, axis=0, out=out, mode="clip")  # the mode "raise" would go through a copy
