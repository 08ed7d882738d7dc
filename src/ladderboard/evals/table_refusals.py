"""Refusals of wide tables: what is no score of a system on an item, with the option that decides."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.column_names import SUMMARY_NAMES, SYSTEM_NAMES
from ladderboard.evals.number_cells import VERDICTS
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.table_columns import Columns, counts_rows
from ladderboard.tabular import Table
from ladderboard.tabular.columns import TRUTHS, is_no_number, numbers_in

MARKERS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Numbers that stand for a missing answer in tables of numbers that are never negative."""
HIGH_MARKERS = (9.0, 99.0, 999.0, 9999.0)
"""The same in tables of numbers that are otherwise between 0 and 1."""
FAR_OFF = 10
"""A column whose typical number is this many times the largest of all others is no system, or has another unit."""
FEWEST_TO_TELL = 20
"""Items from which on a typical number outside of 0 to 1, where all other systems are within, is another scale."""
ROUNDING = 1e-3
"""A last row this near to the mean or sum of all others, in parts of their spread, is one, written with few digits."""
MOST_ROUNDING = 1e-2
"""The same for a last row that has been rounded to that."""


def refuse_strange_header(table: Table, columns: Columns, options: ReadOptions) -> None:
    """Refuse a first row that is data, and a table whose rows are systems."""
    if options.systems is not None:
        return
    if not len(table):
        raise InputError(f"{table.name} has a header and no rows; was it written to the end?")
    if columns.systems and _is_data(table, columns.systems):
        raise InputError(
            f"{table.name}, line 1: the names of the systems are numbers ({', '.join(columns.systems[:3])}); put a "
            "line with the names above the first row, or say that these are names (--systems)"
        )
    for name in columns.systems:
        if name.strip().lower() in SYSTEM_NAMES and is_no_number(table.column(name)).any():
            raise InputError(
                f"{table.name}, column {name!r} names a system in each row; give a row for each item and a column "
                "for each system (turn the table round), or columns 'item' and 'score' beside it (--metric names "
                "another column of scores); scores of whole systems are read by ladderboard sota --accuracies"
            )


def refuse_counting_systems(table: Table, columns: Columns, options: ReadOptions) -> None:
    """Refuse a column that counts the rows under a name of its own."""
    if options.systems is not None or len(table) < 3:
        return
    for name in columns.systems:
        if counts_rows(table, name):
            raise InputError(
                f"{table.name}, column {name!r} counts the rows; leave it out (--drop {name}), name the items with it "
                f"(--items-column {name}), or say which columns are systems (--systems)"
            )


def refuse_far_off(file: str, systems: Mapping[str, FloatArray], options: ReadOptions, *, word: str = "column") -> None:
    """Refuse a system on another scale than all others: a length, a year, a percentage or a rating among shares."""
    if options.systems is not None or len(systems) < 2:
        return
    given = {name: np.abs(values[np.isfinite(values)]) for name, values in systems.items() if np.isfinite(values).any()}
    largest = {name: float(sizes.max()) for name, sizes in given.items()}
    for name, sizes in given.items():
        others = [value for other, value in largest.items() if other != name]
        typical = float(np.median(sizes))
        small = [float(np.median(values)) for other, values in given.items() if other != name]
        if not others:
            continue
        if options.bounds is None and _leaves_shares(name, systems):
            raise InputError(
                f"{file}, {word} {name!r} is typically {np.nanmedian(systems[name]):g}, where all others lie between 0 "
                f"and 1; put it on their scale, leave it out (--drop {name}), or say which {word}s to take (--systems)"
            )
        # A system that has nothing but 0 is told so as a constant one.
        if not (typical > FAR_OFF * max(others) > 0 or min(small) > FAR_OFF * largest[name] > 0):
            continue
        reach = f"reach {max(others):g}" if typical > max(others) else f"have {min(small):g} or more"
        raise InputError(
            f"{file}, {word} {name!r} is far off the scale of the others (typically {typical:g}, the others {reach})"
            f"; leave it out (--drop {name}), or say which {word}s {'to take' if word == 'system' else 'are systems'} "
            "(--systems)"
        )


def _leaves_shares(name: str, systems: Mapping[str, FloatArray]) -> bool:
    """Whether a system is typically below 0 or above 1 where all others, two or more, lie within and use the range."""
    values = systems[name][np.isfinite(systems[name])]
    others = [one[np.isfinite(one)] for other, one in systems.items() if other != name]
    if len(others) < 2 or len(values) < FEWEST_TO_TELL or 0 <= float(np.median(values)) <= 1:
        return False
    rest = np.concatenate(others)
    return bool(rest.min() >= 0 and 0.5 < rest.max() <= 1)


def refuse_repeated_items(table: Table, columns: Columns) -> None:
    """Refuse two rows of one item, which would count it twice."""
    if columns.items is None:
        return
    names = table.names(columns.items)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        rows = [row for row, name in enumerate(names) if name == twice[0]]
        raise InputError(
            f"{table.name}, {table.place(rows[0])} and {table.place(rows[1])}: column {columns.items!r} has "
            f"{twice[0]!r} twice; keep one of the rows, or say that it names groups of items (--groups-column "
            f"{columns.items})"
        )


def refuse_summary_rows(
    table: Table, columns: Columns, systems: Mapping[str, FloatArray], options: ReadOptions
) -> None:
    """Refuse a row that is named like a mean or a total, and a last row that is one."""
    names = [] if columns.items is None else table.names(columns.items)
    for row, name in enumerate(names):
        if name.strip().lower() in SUMMARY_NAMES:
            raise InputError(
                f"{table.name}, {table.place(row)}, column {columns.items!r}: {name!r} is named like a summary of the "
                "other items; delete the row, or give the item another name"
            )
    word = _find_summary(list(systems.values()))
    if options.systems is None and word is not None:
        raise InputError(
            f"{table.name}, {table.place(len(table) - 1)}: the last row is the {word} of all others; delete it, or say "
            "that it is an item by naming the systems (--systems)"
        )


def refuse_pairs(table: Table, columns: Columns, options: ReadOptions) -> None:
    """Refuse a table whose rows are named like its columns: win rates or correlations of pairs of systems."""
    if options.systems is not None or columns.items is None or len(columns.systems) < 2:
        return
    if set(table.names(columns.items)) == set(columns.systems):
        raise InputError(
            f"{table.name}: rows and columns have the same names ({', '.join(columns.systems[:3])}), so its numbers "
            "are of pairs of systems; give the battles themselves (columns a, b, winner), a row for each item, or say "
            "which columns are systems (--systems)"
        )


def refuse_markers(file: str, systems: Mapping[str, FloatArray], options: ReadOptions) -> None:
    """Refuse −1 (−99, −999) as the only negative number, and 9 (99, 999) as the only one above 1.

    They mark a missing answer far more often than a score.
    """
    if options.systems is not None or options.bounds is not None:
        return
    marker, others = _find_marker([values[np.isfinite(values)] for values in systems.values()])
    if marker is None:
        return
    name = next(name for name, values in systems.items() if (values == marker).any())
    raise InputError(
        f"{file}, column {name!r} has {marker:g} among numbers that are {others}; say --missing-value {marker:g} if it "
        "marks a missing answer, or name the systems (--systems) if it is a number like the others"
    )


def _find_marker(columns: Sequence[FloatArray]) -> tuple[float | None, str]:
    """The number that stands for a missing answer, and what the others are."""
    numbers = np.unique(np.concatenate(columns)) if columns else np.empty(0)
    below, above = numbers[numbers < 0], numbers[numbers > 1]
    if len(below) == 1 and below[0] in MARKERS:
        return float(below[0]), "not negative"
    if len(above) == 1 and above[0] in HIGH_MARKERS and not len(below) and len(numbers) > 2:
        return float(above[0]), "between 0 and 1"
    return None, ""


def _find_summary(columns: Sequence[FloatArray]) -> str | None:
    """Whether the last row is the mean or the sum of all others, in every column of at least two."""
    if len(columns) < 2 or len(columns[0]) < 4:
        return None
    table = np.stack(columns, axis=1).astype(np.float64)
    others, last = table[:-1], table[-1]
    if not np.isfinite(last).all() or np.isnan(others).all(axis=0).any():
        return None
    means, sums = np.nanmean(others, axis=0), np.nansum(others, axis=0)
    spread = np.nanmax(others, axis=0) - np.nanmin(others, axis=0)
    near = np.maximum(ROUNDING * spread, np.minimum(_find_rounding(last), MOST_ROUNDING * spread))
    is_new = ~(others == last).any(axis=0)
    if (np.abs(means - last) <= near).all() and is_new.any():
        return "mean"
    beyond = last > np.nanmax(others, axis=0)
    if beyond.any() and (np.abs(sums - last) <= near).all():
        return "sum"
    return "mean in percent" if beyond.any() and (np.abs(means - last / 100) <= near).all() else None


def _find_rounding(numbers: FloatArray) -> float:
    """By how much numbers may have been rounded, as their decimals show; 0 for whole numbers."""
    decimals = max(len(repr(float(number)).partition(".")[2].rstrip("0")) for number in numbers)
    return 0.5 * 10.0**-decimals if decimals else 0.0


def _is_data(table: Table, names: Sequence[str]) -> bool:
    """Whether names are cells that no system is called by: 0.5 or pass, or whole numbers like those below them."""
    import polars as pl

    if all(name.lower() in VERDICTS or name.lower() in TRUTHS for name in names):
        return True
    numbers = numbers_in(pl.Series([name.rstrip(" %") for name in names], dtype=pl.String))
    if not np.isfinite(numbers).all():
        return False
    if any(set(name) & set(".eE%") for name in names) or set(names) <= {"0", "1"}:
        return True
    below = np.concatenate([numbers_in(table.column(name)) for name in names])
    is_among = np.isfinite(below).any() and np.nanmin(below) <= numbers.min() and numbers.max() <= np.nanmax(below)
    return bool(is_among) and not _count_up(numbers)


def _count_up(numbers: FloatArray) -> bool:
    """Whether numbers are 0, 1, 2, … or 1, 2, 3, …, as pandas calls columns."""
    return bool(numbers[0] in (0, 1) and (np.diff(numbers) == 1).all())
