"""The loss matrix: what every analysis of real predictions starts from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.evals.costs import Costs
from ladderboard.evals.left_out import LeftOut
from ladderboard.inference.conditions import ConditionLosses
from ladderboard.inference.measure import LOSS, Measure

SHOWN_NAMES = 5


@dataclass(frozen=True, eq=False)
class Repeats:
    """Several runs of each system on each item (seeds, samples), of which a `LossMatrix` holds the means.

    >>> Repeats.of([[[0, 1], [1, 1]], [[0, 0], [0, 1]]]).variances.tolist()
    [[0.25, 0.0], [0.0, 0.25]]
    """

    counts: IntArray = field(repr=False)
    """Items × systems: the number of runs."""
    variances: FloatArray = field(repr=False)
    """Items × systems: the estimated variance of the *mean* over the runs, s²/k; NaN where there is one run only."""

    def __post_init__(self) -> None:
        if self.counts.ndim != 2 or self.counts.shape != self.variances.shape:
            raise InputError(f"repeats: counts have shape {self.counts.shape}, variances {self.variances.shape}")
        if (self.counts < 1).any():
            raise InputError("repeats: every item and system needs at least one run")

    @classmethod
    def of(cls, runs: npt.ArrayLike) -> "Repeats":
        """The repeats in an array of items × systems × runs."""
        table = np.asarray(runs, dtype=np.float64)
        if table.ndim != 3 or table.shape[2] < 2:
            raise InputError(f"runs have shape {table.shape}; items × systems × at least two runs are needed")
        count = table.shape[2]
        return cls(np.full(table.shape[:2], count), np.asarray(table.var(axis=2, ddof=1) / count))

    def select(self, columns: Sequence[int]) -> "Repeats":
        """Some systems only."""
        return Repeats(self.counts[:, columns], self.variances[:, columns])


@dataclass(frozen=True, eq=False)
class LossMatrix:
    """One loss for every item (row) and system (column); lower is better, no cell is missing.

    Anything that takes an items × systems array takes a `LossMatrix` as well (it converts by `numpy.asarray`), and
    reads its groups, tasks and repeats. Make one with `LossMatrix.of` or `read_results`, which refuse what no analysis
    can use.

    >>> LossMatrix.of([[0, 1], [0, 0], [1, 1]], groups=["passage 1", "passage 1", "passage 2"]).groups
    ('passage 1', 'passage 1', 'passage 2')
    """

    losses: FloatArray = field(repr=False)
    """Items × systems; the mean over the repeats where there are several."""
    systems: tuple[str, ...]
    items: tuple[str, ...] = field(repr=False)
    measure: Measure = LOSS
    groups: tuple[str, ...] | None = field(default=None, repr=False)
    """One label for each item: items of one group (questions of one passage) are not independent. None: all are."""
    tasks: tuple[str, ...] | None = field(default=None, repr=False)
    """One label for each item: the task or subset it belongs to. None: there is one task."""
    repeats: Repeats | None = field(default=None, repr=False)
    """How many runs each loss is the mean of, and how much they vary. None: one run each."""
    conditions: ConditionLosses | None = field(default=None, repr=False)
    """The named seeds and prompts that each loss is the mean over. None: none are named."""
    dates: tuple[str, ...] | None = field(default=None, repr=False)
    """One ISO 8601 date for each system: when it was evaluated. None: not known."""
    costs: Costs | None = field(default=None, repr=False)
    """What one run of an item cost each system on average. None: not given."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader took from its files and what it left out, a sentence each."""
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)
    """What a reader left out, with every name."""

    def __post_init__(self) -> None:
        _check_shape(self.losses)
        _check_names(self.systems, self.losses.shape[1], "system")
        _check_names(self.items, self.losses.shape[0], "item")
        _check_labels(self.groups, self.losses.shape[0], "group", "item")
        _check_labels(self.tasks, self.losses.shape[0], "task", "item")
        _check_labels(self.dates, self.losses.shape[1], "date", "system")
        _check_labels(None if self.costs is None else self.costs.means, self.losses.shape[1], "cost", "system")
        if self.repeats is not None and self.repeats.counts.shape != self.losses.shape:
            raise InputError(f"repeats have shape {self.repeats.counts.shape}, the losses {self.losses.shape}")
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
        groups: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        repeats: Repeats | None = None,
        dates: Sequence[str] | None = None,
        costs: Costs | None = None,
        notes: Sequence[str] = (),
        left_out: Sequence[LeftOut] = (),
        constant: bool = False,
    ) -> "LossMatrix":
        """A matrix from an array; systems and items are numbered from 1 where they have no names.

        A system with the same loss on every item is taken for a mistake, unless ``constant=True`` admits it, or the
        losses lie between 0 and 1 and it has one of these: it got nothing right, or everything.
        """
        table = np.asarray(losses, dtype=np.float64)
        _check_shape(table)
        rows, columns = table.shape
        names = tuple(systems) if systems is not None else tuple(f"system {j + 1}" for j in range(columns))
        matrix = cls(
            table,
            names,
            tuple(items) if items is not None else _number_items(rows),
            measure,
            groups=None if groups is None else tuple(str(label) for label in groups),
            tasks=None if tasks is None else tuple(str(label) for label in tasks),
            repeats=repeats,
            dates=None if dates is None else tuple(dates),
            costs=costs,
            notes=tuple(notes),
            left_out=tuple(left_out),
        )
        if not constant:
            matrix.refuse_constant_systems()
        return matrix

    def refuse_constant_systems(self, file: str = "") -> None:
        """Raise `InputError` where a column is no system's, since it has the same number in every row."""
        is_constant = np.ptp(self.losses, axis=0) == 0
        if self.losses.min() >= 0 and self.losses.max() <= 1:
            is_constant &= ~np.isin(self.losses[0], (0, 1))
        constant = [name for name, is_one in zip(self.systems, is_constant, strict=True) if is_one]
        if constant:
            raise InputError(
                f"{file}{': ' * bool(file)}the same number in every row: {_join_names(constant)}; is the column a "
                "property of the items (a year)? Drop it (--drop), or admit it (constant=True, --constant) if it is a "
                "system's"
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
            raise InputError(f"no system is called {_join_names(unknown)}; there are {_join_names(self.systems)}")
        columns = [self.systems.index(name) for name in systems]
        return replace(
            self,
            losses=self.losses[:, columns],
            systems=tuple(systems),
            repeats=None if self.repeats is None else self.repeats.select(columns),
            conditions=None if self.conditions is None else self.conditions.select(columns),
            dates=None if self.dates is None else tuple(self.dates[column] for column in columns),
            costs=None if self.costs is None else self.costs.select(columns),
        )

    def take_items(self, rows: Sequence[int] | IntArray) -> "LossMatrix":
        """The results on these items (rows) only, as one task."""
        repeats = self.repeats
        return replace(
            self,
            losses=self.losses[rows],
            items=tuple(self.items[row] for row in rows),
            groups=None if self.groups is None else tuple(self.groups[row] for row in rows),
            tasks=None,
            repeats=None if repeats is None else Repeats(repeats.counts[rows], repeats.variances[rows]),
            conditions=None if self.conditions is None else self.conditions.take_items(rows),
        )


def _check_labels(labels: tuple[object, ...] | None, expected: int, word: str, of: str) -> None:
    if labels is not None and len(labels) != expected:
        raise InputError(f"{len(labels)} {word} labels for {expected} {of}s; give one for each {of}")


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
    raise InputError(f"two {word}s have the same name: {_join_names(twice)}; give each its own")


def _number_items(count: int) -> tuple[str, ...]:
    return tuple(str(row + 1) for row in range(count))


def _join_names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown}, … ({len(names)} in all)"
