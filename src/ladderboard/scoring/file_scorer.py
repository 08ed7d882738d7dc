"""Scorers of files: an organiser's function that compares a submitted file with the solution, item by item.

It runs in a sandbox of its own for every submission; the next one is started beforehand, so that nobody waits for it.
What goes wrong in it is the submission's doing, charged and told to the organiser alone: see
docs/decisions/custom-metric-process.md. Where this machine has no sandbox, the plain child process runs it.
"""

import hashlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, OutOfTimeError
from ladderboard.core.errors import MetricUnavailableError, NoSandboxError
from ladderboard.core.records import FloatArray
from ladderboard.scoring.archives import unpack
from ladderboard.scoring.metric_child import find_patience
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits, find_obstacle
from ladderboard.scoring.scorer import Answers, ItemScores
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.scoring.submission_file import FileFormat
from ladderboard.tabular.problems import Problems

MODULE = "ladderboard.scoring.file_process"
START_SECONDS = 60.0
ANSWER_BYTES = 1 << 28
SHOWN = 5
UNAVAILABLE = "the competition's scorer cannot run right now; no attempt was used"


class ScoringFailedError(Exception):
    """A run of the scorer that gave no scores. The message is for the organiser alone."""


@dataclass(frozen=True)
class ScorerSource:
    """A scorer's code and limits. ``value``: which of several named values ranks; None: the first."""

    source: str
    file: str
    function: str
    kind: str
    value: str | None = None
    time_limit: float = 600.0
    memory_mb: int = 4096

    @property
    def digest(self) -> str:
        """Of what its scores depend on."""
        parts = [self.source, self.function, self.kind, self.value]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class FileRun:
    """What one run of a scorer gave."""

    found: dict[str, Any]
    printed: str
    seconds: float
    memory_mb: float


@dataclass(frozen=True, eq=False)
class FileScorer:
    """The scorer of files."""

    source: ScorerSource
    solution: SolutionFiles
    format: FileFormat
    bounds: tuple[float, float]
    _spare: "Spare" = field(init=False, repr=False)
    queued = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "_spare", Spare(self.source, self.solution))

    @cached_property
    def digest(self) -> str:
        parts = [self.source.digest, self.solution.digest, self.format.ids]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def read(self, content: bytes, name: str = "") -> Answers:
        self.format.check(content, name)
        return Answers(content, name)

    def score(self, answers: Answers) -> ItemScores:
        try:
            run = self._run(answers)
            values, named = read_item_values(run.found, self.format.ids, value=self.source.value, bounds=self.bounds)
        except ScoringFailedError as problem:
            return ItemScores(np.full(len(self.format.ids), np.nan), report=str(problem))
        return ItemScores(values, named, run.printed, run.seconds, run.memory_mb)

    def close(self) -> None:
        """End what was started beforehand."""
        self._spare.close()

    def _run(self, answers: Answers) -> FileRun:
        """One run. A process that falls is tried once more: that has innocent causes, and is cheap."""
        try:
            return self._try(answers)
        except ChildFellError:
            pass
        try:
            return self._try(answers)
        except ChildFellError:
            raise ScoringFailedError(
                f"{self.source.file} ended without an answer, twice: a limit of its memory ({self.source.memory_mb} "
                "MB), processes or files, or its own doing"
            ) from None

    def _try(self, answers: Answers) -> FileRun:
        room = self._spare.take()
        limit = self.source.time_limit
        try:
            submission = room.put(answers, self.format)
            request = {"submission": str(submission), "solution": str(self.solution.path), "seconds": limit}
            said, content = room.process.ask(request, seconds=find_patience(limit), most_bytes=ANSWER_BYTES)
            found = json.loads(content)
            run = FileRun(found, str(said["printed"]), float(said["seconds"]), float(said["memory_mb"]))
        except OutOfTimeError:
            raise ScoringFailedError(f"{self.source.file} took longer than {limit:g} s of processor time") from None
        except (ValueError, KeyError, TypeError):
            raise ScoringFailedError(f"{self.source.file} sent an answer that cannot be read") from None
        except OSError as problem:
            raise MetricUnavailableError(UNAVAILABLE) from problem
        finally:
            self._spare.exchange(room)
        if not isinstance(found, dict) or "error" in found:
            error = found.get("error", "") if isinstance(found, dict) else "no answer"
            raise ScoringFailedError(f"{self.source.file} failed: {error}\n{run.printed}".strip())
        return run


class Room:
    """A process that has loaded the scorer, and the folder in which a submission is put for it to read."""

    def __init__(self, source: ScorerSource, solution: SolutionFiles) -> None:
        self._private = Path(tempfile.mkdtemp(prefix="ladderboard-scoring-"))
        self._remove = weakref.finalize(self, _remove, self._private, os.getpid())
        self.folder = self._private / "submission"
        self.folder.mkdir()
        self.folder.chmod(0o755)
        is_sandboxed = find_obstacle() is None
        setup = {
            "source": source.source,
            "file": source.file,
            "function": source.function,
            "kind": source.kind,
            "is_sandboxed": is_sandboxed,
            "memory_bytes": source.memory_mb << 20,
            "path": [],
        }
        try:
            self.process: ChildProcess = (
                SandboxedProcess(
                    ("-m", MODULE),
                    limits=SandboxLimits(memory_mb=source.memory_mb, seconds=source.time_limit),
                    readable=(self.folder, solution.folder),
                )
                if is_sandboxed
                else ChildProcess(("-m", MODULE), folder=self.folder)
            )
            self._end = weakref.finalize(self, self.process.end)
            loaded, _ = self.process.ask(setup, seconds=START_SECONDS)
        except (OSError, NoSandboxError, OutOfTimeError, ChildFellError) as problem:
            self.close()
            raise MetricUnavailableError(UNAVAILABLE) from problem
        if "error" in loaded:
            self.close()
            report = f"{source.file} cannot be loaded: {loaded['error']}\n{loaded.get('printed', '')}".strip()
            raise MetricUnavailableError(UNAVAILABLE) from ScoringFailedError(report)

    def put(self, answers: Answers, shape: FileFormat) -> Path:
        """Put the submission where the scorer reads it: an archive unpacked, any other file as it is."""
        if shape.kind == "archive":
            folder = self.folder / "files"
            folder.mkdir()
            folder.chmod(0o755)
            unpack(answers.content, folder, Problems(answers.name), most_unpacked=shape.max_unpacked_bytes)
            return folder
        path = self.folder / shape.sample
        path.write_bytes(answers.content)
        path.chmod(0o644)
        return path

    def close(self) -> None:
        """End the process and remove the folder."""
        if hasattr(self, "_end"):
            self._end()
        self._remove()


class Spare:
    """The next room, got ready while the last one is in use."""

    def __init__(self, source: ScorerSource, solution: SolutionFiles) -> None:
        self._source, self._solution = source, solution
        self._lock, self._pid = Lock(), os.getpid()
        self._room: Room | None = None
        self._is_resting = False
        self._exchanging: Thread | None = None

    def take(self) -> Room:
        """A room for one submission; raises `MetricUnavailableError`."""
        with self._get_lock():
            room, self._room, self._is_resting = self._room, None, False
        if room is not None and not room.process.is_running:
            room.close()
            room = None
        return Room(self._source, self._solution) if room is None else room

    def exchange(self, used: Room) -> None:
        """End a room, and get the next one ready; nobody waits for either."""
        self._exchanging = Thread(target=self._exchange, args=(used,), daemon=True, name="ladderboard-scorer")
        self._exchanging.start()

    def close(self) -> None:
        """End the room that waits; the next submission starts one again."""
        with self._get_lock():
            self._is_resting = True
        if self._exchanging is not None:
            self._exchanging.join()
        with self._get_lock():
            room, self._room = self._room, None
        if room is not None:
            room.close()

    def _exchange(self, used: Room) -> None:
        used.close()
        with self._get_lock():
            if self._room is not None or self._is_resting:
                return
        try:
            room = Room(self._source, self._solution)
        except MetricUnavailableError:
            return  # the next submission will be told
        with self._get_lock():
            is_wanted = self._room is None and not self._is_resting
            if is_wanted:
                self._room = room
        if not is_wanted:
            room.close()

    def _get_lock(self) -> Lock:
        """The lock of this process: after a fork the room, and perhaps the lock, belong to the parent."""
        if self._pid != os.getpid():
            self._lock, self._pid, self._room = Lock(), os.getpid(), None
        return self._lock


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def read_item_values(
    found: dict[str, Any], ids: Sequence[str], *, value: str | None, bounds: tuple[float, float]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """The ranking value of each item, in the order of ``ids``, and all named ones; raises `ScoringFailedError`.

    >>> read_item_values({"items": [["b", 0.5], ["a", 1]]}, ["a", "b"], value=None, bounds=(0, 1))[0].tolist()
    [1.0, 0.5]
    """
    rows = found.get("items")
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 2 for row in rows):
        raise ScoringFailedError("the scorer gave no list of items with their values")
    places = {one: place for place, one in enumerate(ids)}
    names = list(rows[0][1]) if rows and isinstance(rows[0][1], dict) else [""]
    if value is not None and value not in names:
        raise ScoringFailedError(f'value = "{value}" is not among the values of the first item: {", ".join(names)}')
    table = np.full((len(names), len(ids)), np.nan)
    seen = np.zeros(len(ids), dtype=bool)
    for item, given in rows:
        place = places.get(item)
        if place is None:
            raise ScoringFailedError(f"the scorer gave a value for {item!r}, which is no item")
        if seen[place]:
            raise ScoringFailedError(f"the scorer gave {item!r} twice")
        seen[place] = True
        numbers = given if isinstance(given, dict) else {"": given}
        if set(numbers) != set(names):
            raise ScoringFailedError(f"{item!r} has the values {sorted(numbers)}, the first item {sorted(names)}")
        table[:, place] = [numbers[name] for name in names]
    if not seen.all():
        missing = [one for one, is_there in zip(ids, seen, strict=True) if not is_there]
        raise ScoringFailedError(f"the scorer gave no value for {len(missing):,} items: {missing[:SHOWN]}")
    main = table[names.index(value) if value is not None else 0]
    _refuse_outside(main, ids, bounds)
    return main, dict(zip(names, table, strict=True)) if names != [""] else {}


def _refuse_outside(values: FloatArray, ids: Sequence[str], bounds: tuple[float, float]) -> None:
    outside = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    if len(outside):
        first = int(outside[0])
        raise ScoringFailedError(f"{ids[first]!r} scored {values[first]:g}, outside of bounds = {list(bounds)}")
