"""Battles: pairwise judgements of systems, such as votes in an arena."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.evals.options import ReadOptions
from ladderboard.tabular import Table

FIRST_NAMES = ("a", "model_a", "system_a", "left")
SECOND_NAMES = ("b", "model_b", "system_b", "right")
ITEM_NAMES = ("item", "item_id", "question_id", "prompt", "id")
WINNER = "winner"


@dataclass(frozen=True, eq=False)
class Battles:
    """The outcome of each comparison of two systems on one item.

    >>> battles = Battles.of(["ours", "ours"], ["theirs", "theirs"], [1, 0.5])
    >>> battles.systems, battles.first.tolist(), battles.outcomes.tolist()
    (('ours', 'theirs'), [0, 0], [1.0, 0.5])
    """

    systems: tuple[str, ...]
    first: IntArray = field(repr=False)
    """The place in ``systems`` of the system named first."""
    second: IntArray = field(repr=False)
    outcomes: FloatArray = field(repr=False)
    """1 where the first won, 0 where the second won, ½ for a tie."""
    items: tuple[str, ...] | None = field(default=None, repr=False)
    """What was judged, for each battle; battles on one item are not independent. None: not known."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader took and what it left out, a sentence each."""

    def __len__(self) -> int:
        return len(self.outcomes)

    @classmethod
    def of(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        outcomes: Sequence[float],
        *,
        items: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> "Battles":
        """Battles from the names of both systems and 1, 0 or ½ for each."""
        results = np.asarray(outcomes, dtype=np.float64)
        if not len(first) == len(second) == len(results):
            raise InputError(f"{len(first)} first systems, {len(second)} second ones, {len(results)} outcomes")
        if not len(results):
            raise InputError("there are no battles")
        if not np.isin(results, (0.0, 0.5, 1.0)).all():
            raise InputError("an outcome must be 1 (the first won), 0 (the second won) or 0.5 (a tie)")
        names = tuple(sorted({*first, *second}))
        if len(names) < 2:
            raise InputError("battles of at least two systems are needed")
        place = {name: number for number, name in enumerate(names)}
        return cls(
            names,
            np.array([place[name] for name in first]),
            np.array([place[name] for name in second]),
            results,
            None if items is None else tuple(items),
            tuple(notes),
        )


def is_battle_table(columns: Sequence[str]) -> bool:
    """Whether a table has a column for each of two systems and for the winner."""
    lower = {name.lower() for name in columns}
    return WINNER in lower and any({a, b} <= lower for a, b in zip(FIRST_NAMES, SECOND_NAMES, strict=True))


def read_battles(table: Table, options: ReadOptions) -> Battles:
    """The battles in a table with columns a, b, winner and, where it is known, item."""
    by_lower = {name.lower(): name for name in table.columns}
    first, second = next(
        (by_lower[a], by_lower[b])
        for a, b in zip(FIRST_NAMES, SECOND_NAMES, strict=True)
        if a in by_lower and b in by_lower
    )
    winner = by_lower[WINNER]
    item = options.items_column or next((by_lower[name] for name in ITEM_NAMES if name in by_lower), None)
    ones, others = table.names(first), table.names(second)
    outcomes = [
        _read_outcome(table, row, (one, other), (first, second), winner)
        for row, (one, other) in enumerate(zip(ones, others, strict=True))
    ]
    used = {first, second, winner, item}
    left = [name for name in table.columns if name not in used]
    notes = [
        f"{table.name}: {len(outcomes)} battles; systems from {first!r} and {second!r}, the winner from {winner!r}, "
        + ("no items" if item is None else f"items from {item!r}")
        + (f"; left out: {', '.join(map(repr, left))}" if left else "")
    ]
    return Battles.of(ones, others, outcomes, items=None if item is None else table.names(item), notes=notes)


def _read_outcome(table: Table, row: int, systems: tuple[str, str], columns: tuple[str, str], winner: str) -> float:
    cell = table.column(winner)[row]
    word = "" if cell is None else str(cell)
    one, other = systems
    if one == other:
        raise table.error(f"{one!r} is compared with itself", row, columns[1])
    if word.lower().startswith("tie") or word.lower() in ("draw", "both", "both_bad"):
        return 0.5
    # A system may be called what the other column is called: names go before columns.
    if word in systems:
        return 1.0 if word == one else 0.0
    if word.lower() in (columns[0].lower(), columns[1].lower()):
        return 1.0 if word.lower() == columns[0].lower() else 0.0
    raise table.error(f"{word!r} is neither {one!r}, {other!r}, {columns[0]!r}, {columns[1]!r} nor tie", row, winner)
