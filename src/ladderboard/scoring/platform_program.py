"""Another platform's scoring program as a judge of rows, and the reader of what it compares with the reference."""

import hashlib
import json
import logging
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, OutOfTimeError
from ladderboard.core.errors import InputError, MetricUnavailableError, NoSandboxError
from ladderboard.core.records import IntArray
from ladderboard.core.sizes import format_size
from ladderboard.metrics.inputs import Array
from ladderboard.scoring.archives import is_archive, unpack
from ladderboard.scoring.custom_metric import find_clock
from ladderboard.scoring.frame_child import UNAVAILABLE, FrameAnswer
from ladderboard.scoring.frame_scorer import FrameAnswers
from ladderboard.scoring.frame_table import join_columns
from ladderboard.scoring.metric_child import FunctionFailedError, find_patience
from ladderboard.scoring.row_files import RowFile
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits, find_obstacle
from ladderboard.scoring.scorer import Answers, ItemScores
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.tabular.problems import Problems

MODULE = "ladderboard.scoring.platform_process"
START_SECONDS = 120.0
log = logging.getLogger("ladderboard.scoring")


@dataclass(frozen=True)
class ProgramSource:
    """A program. ``command``: as a bundle's metadata has it, or "evaluate"; ``items``: the reference's file of rows."""

    command: str
    items: str
    score: str | None = None
    phase: str = ""
    time_limit: float = 600.0
    memory_mb: int = 4096
    trusted: bool = False
    """Whether it may run without a sandbox, where this machine has none."""


class ProgramJudge:
    """Runs the program on rows, in a sandbox that is new for every submission."""

    def __init__(self, source: ProgramSource, solution: SolutionFiles, shape: RowFile) -> None:
        self._source, self._solution, self._shape = source, solution, shape
        self._lock, self._key = Lock(), b""
        self._process: ChildProcess | None = None
        self.last: FrameAnswer | None = None

    @property
    def time_limit(self) -> float:
        return self._source.time_limit

    def score(
        self, rows: IntArray, submission: Array, keep: IntArray | None = None, *, given: IntArray | None = None
    ) -> float:
        """The program's score of these rows; raises `FunctionFailedError`, after telling the organiser's log why."""
        places = np.arange(len(rows)) if keep is None else keep
        order = places[np.argsort(rows[places], kind="stable")]
        try:
            answer = self._ask(rows, submission, order, order if given is None else given[order])
        except OutOfTimeError:
            answer = {"error": f"took longer than {self._source.time_limit:g} s of processor time"}
        except ChildFellError:
            answer = {"error": "ended without an answer, twice: a limit of its memory, or its own doing"}
        if "error" in answer:
            told = f"the scoring program: {answer['error']}\n{answer.get('printed', '')}".strip()
            log.warning("%s", told)
            raise FunctionFailedError(told)
        self.last = FrameAnswer(float(answer["value"]), float(answer["seconds"]), float(answer["memory_mb"]))
        return self.last.value

    def close(self) -> None:
        """End the process; the next call starts another one."""
        with self._lock:
            self._end()

    def _ask(self, rows: IntArray, submission: Array, order: IntArray, given: IntArray) -> dict[str, Any]:
        clock, answers = find_clock(), dict(zip(rows.tolist(), submission["row"].tolist(), strict=True))
        for is_last in (False, True):
            left = self._source.time_limit - clock.used
            if left <= 0:
                raise OutOfTimeError
            try:
                with self._lock:
                    process = self._open(answers)
                    header = {"keep": rows[order].tolist(), "given": rows[given].tolist(), "seconds": left}
                    answer, _ = process.ask(header, seconds=find_patience(left))
                clock.spend(float(answer["seconds"]))
                return answer
            except (ChildFellError, OutOfTimeError, KeyError, TypeError) as problem:
                self.close()
                if is_last or isinstance(problem, OutOfTimeError):
                    raise
        raise AssertionError("unreachable")

    def _open(self, answers: Mapping[int, str]) -> ChildProcess:
        """The process that has these answers; another submission gets another one."""
        key = hashlib.blake2b(json.dumps(sorted(answers.items())).encode()).digest()
        if self._process is not None and self._key == key and self._process.is_running:
            return self._process
        self._end()
        self._process, self._key = self._start(answers), key
        self._finish = weakref.finalize(self, self._process.end)
        return self._process

    def _start(self, answers: Mapping[int, str]) -> ChildProcess:
        source, is_sandboxed = self._source, find_obstacle() is None
        rows = [answers.get(place, "") for place in range(max(answers) + 1)]
        setup = {
            "command": source.command,
            "items": source.items,
            "score": source.score,
            "phase": source.phase,
            "solution": str(self._solution.path),
            "answers": {name: value for name, value in asdict(self._shape).items() if name not in ("rows", "names")},
            "rows": rows,
            "is_sandboxed": is_sandboxed,
            "memory_bytes": source.memory_mb << 20,
        }
        try:
            if not is_sandboxed and not source.trusted:
                words = f"foreign programs run in a sandbox only, unless trusted = true in [metric]: {find_obstacle()}"
                raise NoSandboxError(words)
            limits = SandboxLimits(memory_mb=source.memory_mb, seconds=source.time_limit)
            process: ChildProcess = (
                SandboxedProcess(("-m", MODULE), limits=limits, readable=(self._solution.folder,))
                if is_sandboxed
                else ChildProcess(("-m", MODULE))
            )
            answer, _ = process.ask(setup, seconds=START_SECONDS)
        except (OSError, NoSandboxError, OutOfTimeError, ChildFellError) as problem:
            raise MetricUnavailableError(UNAVAILABLE) from problem
        if "error" in answer:
            process.end()
            report = f"cannot load the scoring program: {answer['error']}\n{answer.get('printed', '')}".strip()
            raise MetricUnavailableError(UNAVAILABLE) from FunctionFailedError(report)
        return process

    def _end(self) -> None:
        if self._process is not None:
            self._finish()
            self._process = None


@dataclass(frozen=True, eq=False)
class ProgramScorer:
    """The scorer of files with a row for each item, in the order of the reference's or under its names."""

    shape: RowFile
    """The sample's file of answers."""
    names: tuple[str, ...]
    """Of the items, in the order of the reference; empty where they have none."""
    places: IntArray
    child: ProgramJudge
    max_bytes: int
    max_unpacked_bytes: int
    queued = True
    digest = ""

    @cached_property
    def sentence(self) -> str:
        """What submissions are like, for people."""
        what = {"lines": "a line", "table": "a line after the header", "list": "an element", "object": "an entry"}
        rows = f"with {what[self.shape.layout]} for each of the {len(self.places):,} items"
        order = ", in the order of the data" if not self.shape.names else ", under its name"
        return f"{self.shape.name}, {rows}{order}; or an archive (zip or tar) that holds it."

    def show_start(self, rows: int) -> str:
        """The first rows of the sample."""
        return self.shape.write(self.shape.rows[:rows], self.shape.names[:rows])

    def read(self, content: bytes, name: str = "") -> FrameAnswers:
        problems = Problems(name)
        if len(content) > self.max_bytes:
            allowed = f"a file may have at most {format_size(self.max_bytes)}"
            problems.stop("too_large", f"{allowed}; this one has {format_size(len(content))}")
        if not content:
            problems.stop("empty_file", "the file is empty (0 bytes); was it written to the end?")
        try:
            found = RowFile.read(self._unpack(content, problems), self.shape.name)
        except InputError as problem:
            problems.stop("unsupported_file", str(problem))
        rows = self._order(found, problems)
        return FrameAnswers(content, name, None, rows=make_table(rows)[self.places])

    def score(self, answers: Answers) -> ItemScores:
        assert isinstance(answers, FrameAnswers), "it was read here"
        return ItemScores(answers.rows)

    def close(self) -> None:
        """End the process; the next submission starts another one."""
        self.child.close()

    def _unpack(self, content: bytes, problems: Problems) -> bytes:
        if not is_archive(content):
            return content
        with tempfile.TemporaryDirectory(prefix="ladderboard-answers-") as folder:
            unpack(content, Path(folder), problems, most_unpacked=self.max_unpacked_bytes)
            wanted = Path(self.shape.name).name
            found = [one for one in sorted(Path(folder).rglob("*")) if one.is_file() and one.name == wanted]
            if len(found) != 1:
                held = "no" if not found else f"{len(found)} times the"
                problems.stop("bad_member", f"the archive holds {held} file {wanted}; put it there once")
            return found[0].read_bytes()

    def _order(self, found: RowFile, problems: Problems) -> list[str]:
        """The rows in the order of the reference."""
        if found.layout != self.shape.layout or found.head != self.shape.head:
            expected = (
                f"the header {self.shape.head!r}" if self.shape.layout == "table" else f"a JSON {self.shape.layout}"
            )
            problems.stop("missing_header", f"it has not {expected}, as the sample has")
        if found.layout == "object":
            given = dict(zip(found.names, found.rows, strict=True))
            missing = [one for one in self.names if one not in given]
            if missing or len(given) > len(self.names):
                unknown = len(given) + len(missing) - len(self.names)
                words = (
                    f"{len(missing):,} items are missing and {unknown:,} are unknown; the first missing: {missing[:5]}"
                )
                problems.stop("missing_id", words)
            return [given[one] for one in self.names]
        if len(found.rows) != len(self.places):
            problems.stop("missing_id", f"it has {len(found.rows):,} rows; {len(self.places):,} are expected")
        return list(found.rows)


def make_table(rows: Sequence[str]) -> Array:
    """Rows of text as an array of rows."""
    cells = np.empty(len(rows), dtype=object)
    cells[:] = rows
    return join_columns({"row": cells}, len(rows))
