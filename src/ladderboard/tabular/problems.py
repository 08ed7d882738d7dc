"""What is wrong with a file, collected over the whole of it: the first problems in full, the rest counted by kind."""

from collections import Counter
from collections.abc import Callable
from typing import NoReturn

from ladderboard.core.errors import FileProblem, SubmissionError
from ladderboard.core.words import join_translatable, translatable

THE_FILE = translatable("the file")
SHOWN_PROBLEMS = 20
SHOWN_CHARACTERS = 60
MANY_PROBLEMS = 1000
"""With so many, the rest of a file is not read: it would tell nothing new, and cost more than a right file."""

KINDS = {
    "too_large": translatable("files that are too large"),
    "unpacks_too_large": translatable("archives that unpack to too much"),
    "corrupt_archive": translatable("broken archives"),
    "encrypted_archive": translatable("encrypted archives"),
    "empty_archive": translatable("empty archives"),
    "several_members": translatable("archives of several files"),
    "nested_archive": translatable("archives within an archive"),
    "unsupported_file": translatable("files of another type"),
    "corrupt_parquet": translatable("broken Parquet files"),
    "wrong_encoding": translatable("lines that are not UTF-8"),
    "nul_byte": translatable("lines with NUL bytes"),
    "empty_file": translatable("empty files"),
    "no_rows": translatable("files without rows"),
    "missing_header": translatable("missing headers"),
    "missing_column": translatable("missing columns"),
    "extra_column": translatable("unexpected columns"),
    "repeated_column": translatable("repeated columns"),
    "unclosed_quote": translatable("quotation marks that are never closed"),
    "bad_quote": translatable("misplaced quotation marks"),
    "long_line": translatable("lines that are too long"),
    "ragged_row": translatable("rows of the wrong length"),
    "too_many_rows": translatable("files with too many rows"),
    "missing_id": translatable("missing ids"),
    "duplicate_id": translatable("repeated ids"),
    "unknown_id": translatable("unknown ids"),
    "blank_cell": translatable("empty cells"),
    "not_a_number": translatable("cells that are not numbers"),
    "not_finite": translatable("numbers that are not finite"),
    "out_of_range": translatable("numbers out of range"),
    "not_a_probability": translatable("numbers that are not probabilities"),
    "bad_sum": translatable("rows whose probabilities do not sum to 1"),
    "unknown_class": translatable("unknown classes"),
}
"""Every kind of problem: its stable code, and what several are called."""


class Problems:
    """The problems of one file, added in the order of its lines."""

    def __init__(self, name: str = "", *, place: str = "line") -> None:
        self.name = name or THE_FILE
        self.place = place
        self.counts: Counter[str] = Counter()
        self._shown: list[FileProblem] = []
        self._end: int | None = None

    def __bool__(self) -> bool:
        return bool(self.counts)

    def add(
        self, kind: str, sentence: str | Callable[[], str], line: int | None = None, column: str | None = None
    ) -> None:
        """One more problem; its words are made only where they are shown."""
        self.counts[kind] += 1
        if len(self._shown) < SHOWN_PROBLEMS:
            words = sentence if isinstance(sentence, str) else sentence()
            self._shown.append(FileProblem(kind, words, line, column and brief(column), place=self.place))

    def add_for_ids(self, kind: str, sentence: str, ids: int) -> None:
        """A problem of several ids that has no line: shown before all others."""
        self.counts[kind] += ids
        self._shown = [FileProblem(kind, sentence, count=ids), *self._shown][:SHOWN_PROBLEMS]

    def stop_reading_if_many(self, line: int) -> None:
        """Raise where so much is wrong that nothing after this line need be read."""
        if self.counts.total() >= MANY_PROBLEMS:
            self._end = line
            raise self.error()

    def stop(self, kind: str, sentence: str, line: int | None = None, column: str | None = None) -> NoReturn:
        """Raise a problem after which nothing more can be read; it is always shown."""
        self.counts[kind] += 1
        self._shown = [*self._shown[: SHOWN_PROBLEMS - 1], FileProblem(kind, sentence, line, column, place=self.place)]
        raise self.error()

    def refuse(self) -> None:
        """Raise where anything is wrong."""
        if self:
            raise self.error()

    def error(self) -> SubmissionError:
        return SubmissionError(self._message(), self._shown, self.counts)

    def _message(self) -> str:
        rest = self.counts - Counter({kind: self._count_shown(kind) for kind in self.counts})
        total = len(self._shown) + rest.total()  # what is shown once is one problem, of however many ids
        if total == 1:
            return translatable("{name}: {problem}", name=self.name, problem=str(self._shown[0]))
        lines = [self._write_heading(total), *map(str, self._shown)]
        if rest:
            by_kind = join_translatable(
                "; ", [join_translatable(": ", [KINDS[kind], f"{count:,}"]) for kind, count in rest.items()]
            )
            lines.append(translatable("and {rest:,} more ({kinds})", rest=rest.total(), kinds=by_kind))
        return join_translatable("\n  ", lines)

    def _write_heading(self, total: int) -> str:
        if self._end is None:
            return translatable("{name} has {total:,} problems:", name=self.name, total=total)
        words = {"name": self.name, "total": total, "end": self._end}
        if self.place == "row":
            return translatable("{name} has {total:,} problems up to row {end:,}; the rest was not read:", **words)
        return translatable("{name} has {total:,} problems up to line {end:,}; the rest was not read:", **words)

    def _count_shown(self, kind: str) -> int:
        return sum(problem.count for problem in self._shown if problem.kind == kind)


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
    return translatable("{names} and {rest:,} more", names=", ".join(names), rest=rest)
