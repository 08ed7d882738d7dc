"""The first line of a file: which delimiter it has, which column is what, and what is wrong with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ladderboard.tabular.class_columns import find_class_columns
from ladderboard.tabular.delimiters import find_delimiter_between
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.problems import FEW_PROBLEMS, Problems, join_names, quote

SHOWN_COLUMNS = 8
FEW_COLUMNS = FEW_PROBLEMS
"""Up to so many that are missing or too many are told one by one."""
MOST_EXTRA_COLUMNS = 1000
"""With more, they are not looked at one by one."""


@dataclass(frozen=True)
class Layout:
    """Where the columns are in a file."""

    names: tuple[str, ...]
    """Of all columns, in the file's order."""
    id: int
    values: tuple[int, ...]
    """The prediction columns in the format's order, as far as they are there."""


def find_delimiter_in(line: str, format: SubmissionFormat) -> str:
    """The delimiter between the columns of a submission."""
    return find_delimiter_between(line, (format.id_column, *format.prediction_columns, *format.class_columns))


def find_layout(
    names: Sequence[str], format: SubmissionFormat, problems: Problems, line: int | None = 1
) -> Layout | None:
    """The place of every wanted column. None where the rows cannot be read; what is wrong is added to the problems."""
    names = tuple(name.strip() for name in names)
    wanted = choose_columns(names, format)
    if len(names) > 2 * len(wanted) + MOST_EXTRA_COLUMNS:
        words = f"the header has {len(names):,} columns, but {1 + len(wanted)} are expected ({_list_expected(format)})"
        problems.stop("extra_column", words, line)
    if len(wanted) == 1 and format.takes_classes and format.id_column in names and not set(wanted) & set(names):
        others = [name for name in names if name != format.id_column]
        if find_class_columns(others, [*map(str, format.classes)]) is not None:
            problems.stop("missing_column", _ask_for_one_class(wanted[0]), line)
    if not {format.id_column, *wanted} & set(names):
        _add_missing_header(names, format, problems, line)
        return None
    add_repeated(names, problems, line)
    _add_missing_and_extra(names, (format.id_column, *wanted), problems, line)
    if format.id_column not in names:
        return None
    return Layout(names, names.index(format.id_column), tuple(names.index(name) for name in wanted if name in names))


def choose_columns(names: Sequence[str], format: SubmissionFormat) -> tuple[str, ...]:
    """The prediction columns that a file with these columns should have.

    Of two classes it may give one or both; columns of classes may have one word before all their names (class_0, …).
    """
    each = format.class_columns
    if len(format.classes) < 2 or len(each) != len(format.classes):
        return format.prediction_columns
    one = format.prediction_columns if len(format.prediction_columns) == 1 else ("prediction",)
    if len(format.classes) == 2 and not set(each) <= set(names) and set(one) <= set(names):
        return one
    found = find_class_columns([name for name in names if name != format.id_column], [*map(str, format.classes)])
    if found is not None and not set(each) <= set(names):
        return found
    if not format.shows_classes and len(format.prediction_columns) == 1:
        # Asking for the column of the other class would tell its name.
        return each if set(each) <= set(names) else format.prediction_columns
    return each if set(each) & set(names) else format.prediction_columns


def _ask_for_one_class(column: str) -> str:
    return (
        "there is a column for each class, but here a row has one class; "
        f"write the likeliest into a column {quote(column)}"
    )


def _list_expected(format: SubmissionFormat) -> str:
    return join_names(
        [format.id_column, *format.prediction_columns][:SHOWN_COLUMNS], 1 + len(format.prediction_columns)
    )


def _add_missing_header(names: Sequence[str], format: SubmissionFormat, problems: Problems, line: int | None) -> None:
    """None of the columns is there: are they called almost so, or is this no header at all?"""
    wanted = (format.id_column, *choose_columns(names, format))
    if any(_similar(name, names) for name in wanted):
        _add_missing_and_extra(names, wanted, problems, line)
        return
    found = join_names([quote(name) for name in names[:SHOWN_COLUMNS]], len(names))
    words = f"the first line should name the columns ({_list_expected(format)}), but it is {found}"
    problems.add("missing_header", words, line)


def add_repeated(names: Sequence[str], problems: Problems, line: int | None) -> None:
    """Add every name that several columns have, or all of them as one problem where they are many."""
    repeated = {name: count for name, count in Counter(names).items() if count > 1}
    if len(repeated) > FEW_COLUMNS:
        found = join_names([quote(name) for name in list(repeated)[:SHOWN_COLUMNS]], len(repeated))
        words = f"the names {found} each appear more than once; give every column its own name"
        problems.add("repeated_column", words, line)
        return
    for name, count in repeated.items():
        words = f"{count} columns are called {quote(name)}; give every column its own name"
        problems.add("repeated_column", words, line, name)


def _add_missing_and_extra(names: Sequence[str], wanted: Sequence[str], problems: Problems, line: int | None) -> None:
    """A column that is there under a similar name is one problem, not two."""
    missing = [name for name in wanted if name not in names]
    extra = list(dict.fromkeys(name for name in names if name not in wanted))
    if len(missing) + len(extra) > FEW_COLUMNS:
        _add_other_columns(names, wanted, missing, problems, line)
        return
    for name in missing:
        similar = _similar(name, extra)
        if similar is None:
            found = join_names([quote(each) for each in names[:SHOWN_COLUMNS]], len(names))
            words = f"there is no column {quote(name)}; the file has {found}"
        else:
            extra.remove(similar)
            words = f"there is no column {quote(name)}; did you mean {quote(similar)}? Rename it to {quote(name)}"
        problems.add("missing_column", words, line, name)
    for name in extra:
        problems.add("extra_column", describe_unwanted_column(name, is_last=name == names[-1]), line, name)


def _add_other_columns(
    names: Sequence[str], wanted: Sequence[str], missing: Sequence[str], problems: Problems, line: int | None
) -> None:
    """One problem of a header that has other columns altogether, however many there are."""
    expected = join_names([quote(each) for each in wanted[:SHOWN_COLUMNS]], len(wanted))
    found = join_names([quote(each) for each in names[:SHOWN_COLUMNS]], len(names))
    words = f"the columns should be {expected}, but they are {found}"
    problems.add("missing_column" if missing else "extra_column", words, line)


def _similar(name: str, others: Sequence[str]) -> str | None:
    """The one that is most like a name: a few letters differ, or one is the start of the other (pred, prediction)."""
    by_lower = {other.lower(): other for other in others if other}
    near = get_close_matches(name.lower(), by_lower, n=1) or [
        other
        for other in by_lower
        if other.isalpha() and (other.startswith(name.lower()) or name.lower().startswith(other))
    ]
    return by_lower[near[0]] if near else None


def describe_unwanted_column(name: str, *, is_last: bool) -> str:
    """Say why a column is not expected, and what to do."""
    if not name and is_last:
        return "the last column has no name; does every line end with an extra delimiter? Remove it"
    if not name or name.startswith("Unnamed:") or name == "__index_level_0__":
        what = f"column {quote(name)} is not expected" if name else "a column has no name"
        return f"{what}; it looks like a row index, so write the file without one (pandas: to_csv(…, index=False))"
    return f"column {quote(name)} is not expected; remove it"
