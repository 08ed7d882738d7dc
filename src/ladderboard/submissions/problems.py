"""What is wrong with a file, collected over the whole of it: the first problems in full, the rest counted by kind."""

from collections import Counter
from typing import NoReturn

from ladderboard.errors import Problem, SubmissionError

SHOWN_PROBLEMS = 20
SHOWN_CHARACTERS = 60

KINDS = {
    "too_large": "files that are too large",
    "unpacks_too_large": "archives that unpack to too much",
    "corrupt_archive": "broken archives",
    "encrypted_archive": "encrypted archives",
    "empty_archive": "empty archives",
    "several_members": "archives of several files",
    "nested_archive": "archives within an archive",
    "unsupported_file": "files of another type",
    "corrupt_parquet": "broken Parquet files",
    "wrong_encoding": "lines that are not UTF-8",
    "nul_byte": "lines with NUL bytes",
    "empty_file": "empty files",
    "no_rows": "files without rows",
    "missing_header": "missing headers",
    "missing_column": "missing columns",
    "extra_column": "columns too many",
    "repeated_column": "repeated columns",
    "unclosed_quote": "quotation marks that are never closed",
    "bad_quote": "misplaced quotation marks",
    "long_line": "lines that are too long",
    "ragged_row": "rows of another length",
    "too_many_rows": "files with too many rows",
    "missing_id": "missing ids",
    "duplicate_id": "repeated ids",
    "unknown_id": "unknown ids",
    "blank_cell": "empty cells",
    "not_a_number": "cells that are no number",
    "not_finite": "numbers that are not finite",
    "out_of_range": "numbers out of range",
    "not_a_probability": "numbers that are no probability",
    "bad_sum": "rows whose probabilities do not sum to 1",
    "unknown_class": "unknown classes",
}
"""Every kind of problem: its stable code, and what several are called."""


class Problems:
    """The problems of one file, added in the order of its lines."""

    def __init__(self, name: str = "", *, place: str = "line") -> None:
        self.name = name or "the file"
        self.place = place
        self.counts: Counter[str] = Counter()
        self._shown: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self.counts)

    @property
    def has_room(self) -> bool:
        """Whether one more would be shown in full; where not, its words are not needed."""
        return len(self._shown) < SHOWN_PROBLEMS

    def add(self, kind: str, sentence: str, line: int | None = None, column: str | None = None) -> None:
        """One more problem."""
        self.counts[kind] += 1
        if self.has_room:
            self._shown.append(Problem(kind, sentence, line, column and brief(column), place=self.place))

    def add_for_ids(self, kind: str, sentence: str, ids: int) -> None:
        """A problem of several ids that has no line: shown before all others."""
        self.counts[kind] += ids
        self._shown = [Problem(kind, sentence, count=ids), *self._shown][:SHOWN_PROBLEMS]

    def stop(self, kind: str, sentence: str, line: int | None = None, column: str | None = None) -> NoReturn:
        """A problem after which nothing more can be read: it is shown whatever came before."""
        self.counts[kind] += 1
        self._shown = [*self._shown[: SHOWN_PROBLEMS - 1], Problem(kind, sentence, line, column, place=self.place)]
        raise self.error()

    def refuse(self) -> None:
        """Raise where anything is wrong."""
        if self:
            raise self.error()

    def error(self) -> SubmissionError:
        return SubmissionError(self._message(), self._shown, self.counts)

    def _message(self) -> str:
        rest = self.counts - Counter({kind: self._shown_of(kind) for kind in self.counts})
        total = len(self._shown) + rest.total()  # what is shown once is one problem, of however many ids
        if total == 1:
            return f"{self.name}: {self._shown[0]}"
        lines = [f"{self.name} has {total:,} problems:", *(f"  {problem}" for problem in self._shown)]
        if rest:
            by_kind = "; ".join(f"{KINDS[kind]}: {count:,}" for kind, count in rest.items())
            lines.append(f"  and {rest.total():,} more ({by_kind})")
        return "\n".join(lines)

    def _shown_of(self, kind: str) -> int:
        return sum(problem.count for problem in self._shown if problem.kind == kind)


def brief(text: str) -> str:
    """Not more of a text than fits a line."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def shown(text: str) -> str:
    """A text in quotes, and not more of it than fits a line."""
    return brief(repr(text[: 2 * SHOWN_CHARACTERS]))


def listed(names: list[str], total: int | None = None) -> str:
    """Some names in a row, and how many are left out."""
    rest = (len(names) if total is None else total) - len(names)
    return ", ".join(names) + (f" and {rest:,} more" if rest else "")
