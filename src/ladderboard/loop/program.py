"""Candidates that are programs: a command that reads tasks and writes outputs, run in the sandbox."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ladderboard.core.child_process.parent import ChildFellError, OutOfTimeError
from ladderboard.core.errors import ParameterError, PredictionsError
from ladderboard.guard.tasks import parse_outputs
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits

OUTPUT_BYTES = 1 << 26


@dataclass(frozen=True)
class Program:
    """A command that reads tasks as JSON lines and writes lines with an id and an output; it sees ``folder`` alone."""

    command: Sequence[str]
    folder: Path | None = None
    repeats: int = 4
    limits: SandboxLimits = SandboxLimits()  # noqa: RUF009 (frozen)

    def refuse_secrets(self, secrets: Collection[Path]) -> None:
        """Refuse a folder in which the tasks, the grader or the loop's file could be read."""
        for one in secrets:
            if self.folder is not None and one.resolve().is_relative_to(self.folder.resolve()):
                raise ParameterError(f"{one} is in {self.folder}, which the candidate can read; move one of them")

    @cached_property
    def identity(self) -> str:
        """What makes two candidates the same, as it is when it is first asked for."""
        return self._describe()

    def run(self, tasks: Sequence[Any], *, is_open: bool) -> dict[str, list[Any]]:
        """Run it once for each repeat; what it says is shown of open tasks only.

        What is certified must be what was proposed: a folder that changed meanwhile is refused.
        """
        self._refuse_change(self.identity)
        content = "".join(json.dumps(one) + "\n" for one in tasks).encode()
        runs: dict[str, list[Any]] = {}
        for _ in range(self.repeats):
            for one, outputs in self._run_once(content, is_open=is_open).items():
                runs.setdefault(one, []).extend(outputs)
        self._refuse_change(self.identity)
        return runs

    def _describe(self) -> str:
        """The command, all files of the folder and the number of runs."""
        files = [] if self.folder is None else sorted(one for one in self.folder.rglob("*") if one.is_file())
        found = [
            [str(one.relative_to(str(self.folder))), hashlib.sha256(one.read_bytes()).hexdigest()] for one in files
        ]
        return json.dumps([list(self.command), found, self.repeats])

    def _refuse_change(self, before: str) -> None:
        if self._describe() != before:
            raise ParameterError(f"files in {self.folder} changed while the candidate ran; propose it again")

    def _run_once(self, content: bytes, *, is_open: bool) -> dict[str, list[Any]]:
        folders = [] if self.folder is None else [self.folder]
        child = SandboxedProcess(("-m", "ladderboard.scoring.program_process"), limits=self.limits, readable=folders)
        request = {"command": list(self.command), "bytes": len(content)}
        try:
            answer, written = child.ask(request, content, seconds=self.limits.seconds, most_bytes=OUTPUT_BYTES)
            if answer["code"] != 0:
                raise _FailedError(f"ended with exit code {answer['code']}: {answer['said'].strip()}")
            return parse_outputs(written.decode("utf-8", "replace"), "the command's output")
        except OutOfTimeError:
            problem = f"took longer than {self.limits.seconds:.0f} s"
        except ChildFellError:
            problem = f"reached a limit of the sandbox ({self.limits.memory_mb} MB)"
        except _FailedError as failure:
            problem = str(failure)
        except PredictionsError as refusal:
            problem = f"wrote what cannot be read: {refusal}"
        finally:
            child.end()
        if not is_open:
            raise PredictionsError("the command failed on the guarded tasks; the guard was not asked")
        raise PredictionsError(f"the command {problem}")


class _FailedError(Exception):
    """A command that ended badly."""
