"""What is wrong with a file, collected over the whole of it: a few problems of a kind one by one, more as one."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from ladderboard.core.errors import FileProblem, SubmissionError

THE_FILE = "the file"
FEW_PROBLEMS = 4
"""Up to so many of one kind are told one by one; of more, the first, and where the next ones are."""
SHOWN_CHARACTERS = 60
MANY_PROBLEMS = 1000
"""With so many, the rest of a file is not read: it would tell nothing new, and cost more than a right file."""

Kind = Literal[
    "too_large",
    "unpacks_too_large",
    "corrupt_archive",
    "encrypted_archive",
    "empty_archive",
    "several_members",
    "nested_archive",
    "bad_member",
    "bad_json",
    "unsupported_file",
    "corrupt_parquet",
    "unreadable_parquet",
    "wrong_encoding",
    "nul_byte",
    "empty_file",
    "no_rows",
    "missing_header",
    "missing_column",
    "extra_column",
    "repeated_column",
    "unclosed_quote",
    "bad_quote",
    "long_line",
    "ragged_row",
    "too_many_rows",
    "too_many_problems",
    "missing_id",
    "duplicate_id",
    "unknown_id",
    "blank_cell",
    "not_a_number",
    "not_finite",
    "out_of_range",
    "not_a_probability",
    "bad_sum",
    "unknown_class",
    "bad_list",
    "bad_mask",
    "long_text",
    "refused_by_metric",
]
"""The stable code of every kind of problem."""


@dataclass(frozen=True)
class _Found:
    """A problem, and the cell that it is about, where it is about one."""

    problem: FileProblem
    cell: str


class Problems:
    """The problems of one file, added in the order of its lines."""

    def __init__(self, name: str = "", *, place: str = "line") -> None:
        self.name = name or THE_FILE
        self.place = place
        self.counts: Counter[str] = Counter()
        self._found: list[_Found] = []
        """The first of each kind, one more than are told one by one."""

    def __bool__(self) -> bool:
        return bool(self.counts)

    def add(
        self,
        kind: Kind,
        sentence: str | Callable[[], str],
        line: int | None = None,
        column: str | None = None,
        *,
        cell: str = "",
    ) -> None:
        """One more problem, with the cell that it is about; its words are made only where they are shown."""
        self.counts[kind] += 1
        if self.counts[kind] <= FEW_PROBLEMS + 1:
            words = sentence if isinstance(sentence, str) else sentence()
            problem = FileProblem(kind, words, line, column and brief(column), place=self.place)
            self._found.append(_Found(problem, quote(cell) if cell else ""))

    def add_for_ids(self, kind: Kind, sentence: str, ids: int) -> None:
        """A problem of several ids that has no line: shown before all others."""
        self.counts[kind] += ids
        self._found.insert(0, _Found(FileProblem(kind, sentence, count=ids), ""))

    def stop_reading_if_many(self, line: int) -> None:
        """Raise where so much is wrong that nothing after this line need be read."""
        total = self.counts.total()
        if total >= MANY_PROBLEMS:
            words = f"{total:,} problems up to here; the rest of the file was not read"
            self.stop("too_many_problems", words, line)

    def stop(self, kind: Kind, sentence: str, line: int | None = None, column: str | None = None) -> NoReturn:
        """Raise a problem after which nothing more can be read."""
        self.add(kind, sentence, line, column)
        raise self.error()

    def refuse(self) -> None:
        """Raise where anything is wrong."""
        if self:
            raise self.error()

    def error(self) -> SubmissionError:
        told = list(self._tell())
        if len(told) == 1:
            message = f"{self.name}: {told[0]!s}"
        else:
            heading = f"{self.name} has {len(told):,} problems:"
            message = "\n  ".join([heading, *map(str, told)])
        return SubmissionError(message, told, self.counts)

    def _tell(self) -> Iterator[FileProblem]:
        alike: dict[str, list[_Found]] = {}
        for found in self._found:
            alike.setdefault(found.problem.kind, []).append(found)
        for found in self._found:
            first, *others = alike[found.problem.kind]
            if len(others) < FEW_PROBLEMS:
                yield found.problem
            elif found is first:
                yield self._tell_as_one(first.problem, others)

    def _tell_as_one(self, first: FileProblem, others: list[_Found]) -> FileProblem:
        """Tell the first of many problems of a kind, and where the next ones are."""
        count = self.counts[first.kind]
        places = ", ".join([_locate(each, first.column) for each in others])
        words = f"{first.sentence}; {count - 1:,} more like it: {places}{(', …' if count - 1 > len(others) else '')}"
        return replace(first, sentence=words, count=count)


def _locate(found: _Found, column: str | None) -> str:
    """Where a problem is: its line, its column where that is another one, and its cell."""
    problem = found.problem
    words = {"line": problem.line, "column": quote(problem.column or "")}
    if problem.column != column:
        place = (
            "row {line}, column {column}".format(**words)
            if problem.place == "row"
            else "line {line}, column {column}".format(**words)
        )
    else:
        place = "row {line}".format(**words) if problem.place == "row" else "line {line}".format(**words)
    return "".join([place, f" ({found.cell})"]) if found.cell else place


def brief(text: str) -> str:
    """Not more of a text than fits a line."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def quote(text: str) -> str:
    """Quote a text, shortened to fit a line."""
    return brief(repr(text[: 2 * SHOWN_CHARACTERS]))


def join_names(names: list[str], total: int | None = None) -> str:
    """Join names with commas, and say how many are left out."""
    rest = (len(names) if total is None else total) - len(names)
    if not rest:
        return ", ".join(names)
    return f"{', '.join(names)} and {rest:,} more"
