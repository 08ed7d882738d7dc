"""Graders: what gives an output its score, in this process or as a file in the sandbox."""

import hashlib
import inspect
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ladderboard.core.child_process.parent import ChildFellError, OutOfTimeError
from ladderboard.core.errors import GradingError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.scoring.grader_process import grade_pair
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits

Pair = tuple[Any, Any]
"""A task and an output."""
START_SECONDS, ANSWER_BYTES, SHOWN_PROBLEMS = 60.0, 1 << 26, 10


class Grader(Protocol):
    """What grades. ``digest`` changes whenever it does."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    def grade(self, pairs: Sequence[Pair]) -> list[float | str]:
        """A score for each pair, or what went wrong with it."""
        ...


@dataclass(frozen=True)
class FunctionGrader:
    """A function of a task and an output, called in this process."""

    function: Callable[[Any, Any], Any]
    name: str
    digest: str

    def grade(self, pairs: Sequence[Pair]) -> list[float | str]:
        return [grade_pair(self.function, item, output) for item, output in pairs]


@dataclass(frozen=True)
class FileGrader:
    """A Python file with a function ``grade(item, output)``, run in a sandbox of its own for every submission.

    Nothing of one submission is there for the next. What it prints and how it fails is for its owner.
    """

    source: str
    name: str
    limits: SandboxLimits = SandboxLimits()  # noqa: RUF009 (frozen)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()

    def grade(self, pairs: Sequence[Pair]) -> list[float | str]:
        content = json.dumps(list(pairs), default=_refuse).encode()
        child = SandboxedProcess(("-m", "ladderboard.scoring.grader_process"), limits=self.limits)
        try:
            loaded, _ = child.ask({"source": self.source, "file": self.name}, seconds=START_SECONDS)
            if "error" in loaded:
                raise GradingError.of(f"{self.name} cannot be loaded: {loaded['error']}")
            said, graded = child.ask(
                {"bytes": len(content)}, content, seconds=self.limits.seconds, most_bytes=ANSWER_BYTES
            )
        except OutOfTimeError:
            raise GradingError.of(f"{self.name} took longer than {self.limits.seconds:.0f} s") from None
        except ChildFellError:
            raise GradingError.of(
                f"{self.name} ended without an answer: a limit of its memory ({self.limits.memory_mb} MB), processes "
                "or files, or its own doing"
            ) from None
        finally:
            child.end()
        found: list[float | str] = json.loads(graded)
        if any(isinstance(one, str) for one in found) and said["printed"]:
            raise GradingError.of(_list_problems(pairs, found) + f"\nIt printed:\n{said['printed']}")
        return found


def read_grader(given: Any) -> Grader:
    """A grader as a user names it: a function of a task and an output, or the path of a file that defines ``grade``."""
    if callable(given):
        name = getattr(given, "__qualname__", type(given).__name__)
        return FunctionGrader(given, name, hashlib.sha256(_find_source(given, name).encode()).hexdigest())
    if not isinstance(given, str | os.PathLike):
        raise ParameterError(
            f"the grader is {type(given).__name__}; give a function of (item, output), or a file's path"
        )
    path = Path(given)
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ParameterError(f"the grader {path} cannot be read ({problem}); give the path of a Python file") from None
    return FileGrader(source, path.name)


def grade_outputs(
    grader: Grader, tasks: Sequence[Any], runs: Sequence[Sequence[Any]], bounds: tuple[float, float]
) -> list[FloatArray]:
    """The scores of all runs of all tasks; raises `GradingError`, whose report is for the grader's owner."""
    pairs = [(task, output) for task, outputs in zip(tasks, runs, strict=True) for output in outputs]
    found = grader.grade(pairs)
    if len(found) != len(pairs):
        raise GradingError.of(f"{grader.name} gave {len(found)} scores for {len(pairs)} outputs")
    low, high = bounds
    checked = [
        one if isinstance(one, str) or low <= one <= high else f"it returned {one}, outside of {low:g} to {high:g}"
        for one in found
    ]
    if any(isinstance(one, str) for one in checked):
        raise GradingError.of(_list_problems(pairs, checked))
    scores = np.asarray(checked, dtype=np.float64)
    return np.split(scores, np.cumsum([len(outputs) for outputs in runs])[:-1])


def _list_problems(pairs: Sequence[Pair], found: Sequence[float | str]) -> str:
    wrong = [(item, said) for (item, _), said in zip(pairs, found, strict=True) if isinstance(said, str)]
    named = [f"task {item['id'] if isinstance(item, dict) else item}: {said}" for item, said in wrong]
    rest = len(named) - SHOWN_PROBLEMS
    return (
        f"{len(named)} of {len(pairs)} outputs have no score\n"
        + "\n".join(named[:SHOWN_PROBLEMS])
        + (f"\n… and {rest} more" if rest > 0 else "")
    )


def _find_source(given: Any, name: str) -> str:
    """What a function is, as far as it can be told: its text, else its name."""
    try:
        return inspect.getsource(inspect.unwrap(given))
    except (OSError, TypeError):
        return f"{getattr(given, '__module__', '')}.{name}"


def _refuse(value: object) -> Any:
    raise ParameterError(f"a task or an output holds {type(value).__name__}; a grader in a file takes JSON values only")
