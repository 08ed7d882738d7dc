"""Battles: pairwise judgements of systems, such as votes in an arena."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.evals.left_out import LeftOut, Note, take_left_out
from ladderboard.evals.number_cells import read_numbers
from ladderboard.evals.options import ReadOptions
from ladderboard.tabular import Table

_SIDES = ("{}_a {}_b", "{}_1 {}_2", "{}a {}b", "{}1 {}2", "left_{} right_{}")
_PAIRS = [pair.format(word, word).split() for word in ("model", "system", "player") for pair in _SIDES]
FIRST_NAMES, SECOND_NAMES = zip(("a", "b"), ("left", "right"), *_PAIRS, strict=True)
ITEM_NAMES = ("item", "item_id", "question_id", "prompt", "id")
POSITION = "position"
WINNER_NAMES = ("winner", "preference", "preferred", "vote", "result", "outcome")
ONE_OF = ("winner_model_a", "winner_model_b", "winner_tie")
"""Instead of a winner, 1 in one of three columns."""
WON = (("a", "a>b", "a>>b"), ("b", "b>a", "b>>a"))
"""Verdicts for the first and for the second system, as judges write them."""
TIE = re.compile(r"(?:tied?|draw|both|equal|same|neither|a ?={1,2} ?b)(?:[\W_].*|(?:both)?bad)?")
"""As arenas write it: tie, draw, both_bad, tie (bothbad), A=B."""


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
    covariates: FloatArray | None = field(default=None, repr=False)
    """Battles × covariates, seen from the first system: what else may have decided. None: nothing is controlled."""
    covariate_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader took and what it left out, a sentence each."""
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)
    """What a reader left out, with every name."""

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
        covariates: Mapping[str, npt.ArrayLike] | None = None,
        notes: Sequence[Note] = (),
    ) -> "Battles":
        """Battles from the names of both systems and 1, 0 or ½ for each.

        ``covariates`` has a number for each battle, larger where it favours the first system: the difference of two
        lengths, or 1 in every battle for its place.
        """
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
            None if not covariates else _stack_covariates(covariates, len(results)),
            tuple(covariates or ()),
            tuple(map(str, notes)),
            take_left_out(notes),
        )


def _stack_covariates(covariates: Mapping[str, npt.ArrayLike], battles: int) -> FloatArray:
    columns = [np.asarray(values, dtype=np.float64) for values in covariates.values()]
    for name, column in zip(covariates, columns, strict=True):
        if column.shape != (battles,):
            raise InputError(
                f"covariate {name!r} has shape {column.shape}; give one number for each of {battles} battles"
            )
    return np.column_stack(columns)


def is_battle_table(columns: Sequence[str]) -> bool:
    """Whether a table has a column for each of two systems and for the winner."""
    lower = {name.lower() for name in columns}
    has_pair = any({a, b} <= lower for a, b in zip(FIRST_NAMES, SECOND_NAMES, strict=True))
    return has_pair and (not lower.isdisjoint(WINNER_NAMES) or lower.issuperset(ONE_OF))


def read_battles(table: Table, options: ReadOptions) -> Battles:
    """The battles in a table with columns a, b, winner and, where it is known, item."""
    options.refuse_unused(table.name, "holds battles", ("items_column", "systems", "drop", "covariates"))
    by_lower = {name.lower(): name for name in table.columns}
    first, second = next(
        (by_lower[a], by_lower[b])
        for a, b in zip(FIRST_NAMES, SECOND_NAMES, strict=True)
        if a in by_lower and b in by_lower
    )
    winners = [by_lower[name] for name in WINNER_NAMES if name in by_lower]
    winner = winners[:1] or [by_lower[name] for name in ONE_OF]
    item = options.items_column or next((by_lower[name] for name in ITEM_NAMES if name in by_lower), None)
    ones, others = table.names(first), table.names(second)
    outcomes = [
        _read_outcome(table, row, (one, other), (first, second), winner)
        for row, (one, other) in enumerate(zip(ones, others, strict=True))
    ]
    found = {name: _read_covariate(table, name) for name in options.covariates}
    used = {first, second, *winner, item, *(part for _, parts in found.values() for part in parts)}
    left = tuple(repr(name) for name in table.columns if name not in used)
    votes = ", ".join(map(repr, winner))
    items = None if item is None else table.names(item)
    kept = _choose_rows(table.name, ones, others, options)
    counted = f"{len(kept)} of {len(outcomes)}" if len(kept) < len(outcomes) else str(len(outcomes))
    notes: list[Note] = [
        f"{table.name}: {counted} battles; systems from {first!r} and {second!r}, the winner from {votes}, "
        + ("no items" if item is None else f"items from {item!r}")
    ]
    if found:
        notes.append(
            f"controlled for: {', '.join(f'{name} ({_describe(parts)})' for name, (_, parts) in found.items())}"
        )
    notes += [LeftOut("column", left, "nothing is read from it")] * bool(left)
    if len(kept) < len(outcomes):
        absent = {*ones, *others} - {name for row in kept for name in (ones[row], others[row])}
        notes.append(LeftOut("system", tuple(sorted(absent)), "not asked for (--systems, --drop), with their battles"))
    return Battles.of(
        [ones[row] for row in kept],
        [others[row] for row in kept],
        [outcomes[row] for row in kept],
        items=None if items is None else [items[row] for row in kept],
        covariates={name: numbers[kept] for name, (numbers, _) in found.items()},
        notes=notes,
    )


def _read_covariate(table: Table, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """What may have decided beside the systems, and the columns it was taken from.

    ``position`` is the place of the first system. Of two columns, one for each side, it is their difference in shares
    of their sum, as in FastChat's style control; one column is taken as it stands.
    """
    if name == POSITION and name not in table.columns:
        return np.ones(len(table)), ()
    pairs = ((f"{name}_a", f"{name}_b"), (f"{name}_1", f"{name}_2"), (f"{name}_left", f"{name}_right"))
    sides = next((pair for pair in pairs if set(pair) <= set(table.columns)), None)
    if sides is None:
        numbers = read_numbers(table, name, None)
        _refuse_missing(table, name, name, numbers)
        return numbers, (name,)
    one, other = (read_numbers(table, side, None) for side in sides)
    for side, numbers in zip(sides, (one, other), strict=True):
        _refuse_missing(table, side, name, numbers)
        if (numbers < 0).any():
            row = int(np.argmax(numbers < 0))
            raise table.error(f"{numbers[row]:g} is negative; --covariate {name} takes lengths or counts", row, side)
    total = one + other
    return np.divide(one - other, total, out=np.zeros_like(total), where=total > 0), sides


def _refuse_missing(table: Table, column: str, name: str, numbers: FloatArray) -> None:
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise table.error(f"the cell is empty, and --covariate {name} needs a number for each battle", row, column)


def _describe(parts: Sequence[str]) -> str:
    if not parts:
        return "the place of the first"
    return f"{parts[0]!r} − {parts[1]!r} in shares of their sum" if len(parts) == 2 else f"{parts[0]!r} as it stands"


def _choose_rows(file: str, ones: Sequence[str], others: Sequence[str], options: ReadOptions) -> list[int]:
    """The battles of which both systems were asked for."""
    found = {*ones, *others}
    for name in (*(options.systems or ()), *options.drop):
        if name not in found:
            raise InputError(f"{file}: no system is called {name!r} (--systems, --drop); there are {len(found)} others")
    wanted = (found if options.systems is None else set(options.systems)) - set(options.drop)
    return [row for row, pair in enumerate(zip(ones, others, strict=True)) if wanted.issuperset(pair)]


def _read_outcome(
    table: Table, row: int, systems: tuple[str, str], columns: tuple[str, str], winner: Sequence[str]
) -> float:
    cells = [table.column(name)[row] for name in winner]
    word = "" if cells[0] is None else str(cells[0])
    one, other = systems
    if one == other:
        raise table.error(f"{one!r} is compared with itself", row, columns[1])
    if len(winner) > 1:
        if sorted(map(str, cells)) != ["0", "0", "1"]:
            raise table.error(f"one of {', '.join(winner)} must be 1 and the others 0", row, winner[0])
        return (1.0, 0.0, 0.5)[cells.index("1")]
    # A system may be called what a column is called, or Tiefighter: names go first.
    if word in systems:
        return 1.0 if word == one else 0.0
    if TIE.fullmatch(word.lower()):
        return 0.5
    for side, column in enumerate(columns):
        if word.lower() in (column.lower(), *WON[side]):
            return 1.0 - side
    raise table.error(
        f"{word!r} is neither {one!r}, {other!r}, {columns[0]!r}, {columns[1]!r} nor tie; write one of these",
        row,
        winner[0],
    )
