"""Findings about a competition folder, each with its file and line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ladderboard.core.errors import CompetitionError

SHOWN_PER_KIND = 5
"""Of the same problem in many rows so many are shown one by one, the rest as a number."""


@dataclass(frozen=True)
class Finding:
    """A problem of a competition folder. An error prevents serving; a warning is for the organiser to weigh.

    A question must be answered before the competition is served for the first time; one that runs goes on without.
    """

    file: str
    """Its path inside the folder."""
    line: int | None
    """The line of a text file (the first is 1), the row of a Parquet file; None: the file as a whole."""
    message: str
    """What is wrong and what to do; for the organiser's eyes, since it may quote labels."""
    is_warning: bool = False
    is_question: bool = False

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {'warning: ' if self.is_warning else ''}{self.message}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "line": self.line,
            "severity": "warning" if self.is_warning else "error",
            "message": self.message,
        }


@dataclass
class Findings:
    """A list of findings, filled by the readers of a folder."""

    found: list[Finding] = field(default_factory=list)

    def error(self, file: str, line: int | None, message: str) -> None:
        self.found.append(Finding(file, line, message))

    def warn(self, file: str, line: int | None, message: str) -> None:
        self.found.append(Finding(file, line, message, is_warning=True))

    def ask(self, file: str, line: int | None, message: str) -> None:
        self.found.append(Finding(file, line, message, is_question=True))

    @property
    def errors(self) -> Sequence[Finding]:
        return [finding for finding in self.found if not finding.is_warning and not finding.is_question]

    @property
    def questions(self) -> Sequence[Finding]:
        return [finding for finding in self.found if finding.is_question]

    def sort(self) -> tuple[Finding, ...]:
        """Sort the findings: errors first, then by file and line, without repetitions."""
        once = dict.fromkeys(self.found)
        return tuple(sorted(once, key=lambda one: (one.is_warning, one.file, one.line or 0)))

    def raise_errors(self, folder: str) -> None:
        """Raise one `CompetitionError` with all findings, unless there are only warnings."""
        count = len(self.errors)
        if count:
            shown = "\n".join(f"  {finding}" for finding in self.sort())
            noun = "problem" if count == 1 else "problems"
            raise CompetitionError(f"{folder} has {count} {noun}:\n{shown}", self.sort())


def join_names(names: Iterable[object], *, shown: int = 5) -> str:
    """Join names for a sentence.

    >>> join_names(["a", "b", "c"], shown=2)
    'a, b, … (3 in all)'
    """
    words = [str(name) for name in names]
    more = "" if len(words) <= shown else f", … ({len(words)} in all)"
    return ", ".join(words[:shown]) + more
