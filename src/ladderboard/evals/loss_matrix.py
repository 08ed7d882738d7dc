"""The loss matrix: what every analysis of real predictions starts from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.inference.measure import LOSS, Measure

SHOWN_NAMES = 5


@dataclass(frozen=True, eq=False)
class LossMatrix:
    """One loss for every item (row) and system (column); lower is better, no cell is missing.

    Anything that takes an items × systems array takes a `LossMatrix` as well (it converts by `numpy.asarray`). Make
    one with `LossMatrix.of` or `read_loss_matrix`, which refuse what no analysis can use.
    """

    losses: FloatArray = field(repr=False)
    systems: tuple[str, ...]
    items: tuple[str, ...] = field(repr=False)
    measure: Measure = LOSS

    def __post_init__(self) -> None:
        _check_shape(self.losses)
        _check_names(self.systems, self.losses.shape[1], "system")
        _check_names(self.items, self.losses.shape[0], "item")
        if not np.isfinite(self.losses).all():
            row, column = np.argwhere(~np.isfinite(self.losses))[0]
            raise InputError(
                f"item {self.items[row]!r}, system {self.systems[column]!r}: the loss is "
                f"{self.losses[row, column]}; give a finite number; an empty cell may be left out (missing=, --missing)"
            )

    @classmethod
    def of(
        cls,
        losses: npt.ArrayLike,
        *,
        systems: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        measure: Measure = LOSS,
        constant: bool = False,
    ) -> "LossMatrix":
        """A matrix from an array; systems and items are numbered from 1 where they have no names.

        ``constant=True`` admits systems with the same loss on every item, which otherwise are taken for a mistake.
        """
        table = np.asarray(losses, dtype=np.float64)
        _check_shape(table)
        rows, columns = table.shape
        names = tuple(systems) if systems is not None else tuple(f"system {j + 1}" for j in range(columns))
        matrix = cls(table, names, tuple(items) if items is not None else _numbered(rows), measure)
        if not constant:
            matrix.refuse_constant_systems()
        return matrix

    def refuse_constant_systems(self) -> None:
        """Raise `InputError` where a system has the same loss on every item: it has no spread to reason with."""
        constant = [name for name, spread in zip(self.systems, np.ptp(self.losses, axis=0), strict=True) if spread == 0]
        if constant:
            raise InputError(
                f"the same loss on every item: {_listed(constant)}; is the column a mistake (an id, a year)? "
                f"Drop it, or admit it (constant=True, --constant) where the system is really that even"
            )

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> FloatArray:
        return np.array(self.losses, dtype=dtype) if copy else np.asarray(self.losses, dtype=dtype)

    @cached_property
    def means(self) -> FloatArray:
        """The mean loss of each system."""
        return np.asarray(self.losses.mean(axis=0))

    @property
    def scores(self) -> FloatArray:
        """The mean losses as the measure shows them."""
        return np.array([self.measure.score(float(mean)) for mean in self.means])

    def select(self, systems: Sequence[str]) -> "LossMatrix":
        """These systems only, in this order."""
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            raise InputError(f"no system is called {_listed(unknown)}; there are {_listed(self.systems)}")
        columns = [self.systems.index(name) for name in systems]
        return LossMatrix(self.losses[:, columns], tuple(systems), self.items, self.measure)


def _check_shape(losses: FloatArray) -> None:
    if losses.ndim != 2:
        raise InputError(f"losses have shape {losses.shape}; a table with a row for each item is needed")
    if losses.shape[0] < 2:
        raise InputError(f"{losses.shape[0]} items; at least two are needed to tell luck from skill")
    if losses.shape[1] < 1:
        raise InputError("no system's column is in the table; is the labels' column or the kind named wrongly?")


def _check_names(names: tuple[str, ...], expected: int, word: str) -> None:
    if len(names) != expected:
        raise InputError(f"{len(names)} {word} names for {expected} {word}s")
    if len(set(names)) == len(names):
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    raise InputError(f"two {word}s have the same name: {_listed(twice)}; give each its own")


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(row + 1) for row in range(count))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown}, … ({len(names)} in all)"
