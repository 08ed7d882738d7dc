"""Participants' programs: an archive with an entry point that answers inputs, run in the sandbox and nowhere else.

A program is called as ``python predict.py INPUTS OUTPUT``: a folder to read, and the file to write, which is what a
submission of predictions would be. It sees the archive, these inputs, its environment and the system, read-only; never
the solution, and never the scorer's sandbox.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ladderboard.core.child_process.parent import ChildFellError, OutOfTimeError
from ladderboard.core.errors import MetricUnavailableError, NoSandboxError, SubmissionError
from ladderboard.core.library_threads import ONE_THREAD
from ladderboard.core.sizes import format_size
from ladderboard.scoring.archives import is_archive, list_names, unpack
from ladderboard.scoring.code_rules import CodeRules, find_interpreter
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits, find_obstacle
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.tabular.problems import Problems, quote

MODULE = "ladderboard.scoring.code_process"
START_SECONDS, GRACE_SECONDS = 60.0, 30.0
CLOCK, SPARE_SECONDS = 3, 10.0
"""How much longer a program may take by the clock than by its processor time: others compute beside it."""
LOG_BYTES = 1 << 20
OUTPUT = "/tmp/output"  # noqa: S108 (the sandbox's own)
UNAVAILABLE = "programs cannot run right now; no attempt was used"


@dataclass(frozen=True)
class ProgramRun:
    """What became of one run. ``problem``: empty where it wrote an output."""

    output: bytes = field(repr=False)
    log: bytes = field(repr=False)
    problem: str
    seconds: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True)
class ProgramFormat:
    """What a submitted archive must be; everything is checked without running it."""

    entry: str
    max_bytes: int
    max_unpacked_bytes: int

    def check(self, content: bytes, name: str = "") -> str:
        """Return where in the archive the entry point is; raises `SubmissionError` with what is wrong."""
        problems = Problems(name)
        if len(content) > self.max_bytes:
            allowed = f"a file may have at most {format_size(self.max_bytes)}"
            problems.stop("too_large", f"{allowed}; this one has {format_size(len(content))}")
        if not content:
            problems.stop("empty_file", "the file is empty (0 bytes); was it written to the end?")
        if not is_archive(content):
            words = f"this is no archive; send a zip or tar of your program, with {self.entry} in it"
            problems.stop("unsupported_file", words)
        names = list_names(content, problems, most_unpacked=self.max_unpacked_bytes)
        found = self.entry if self.entry in names else _find_below_one_folder(names, self.entry)
        if found is None:
            shown = ", ".join(quote(one) for one in sorted(names)[:5])
            problems.stop("bad_member", f"the archive has no {self.entry}, which is what is run; it has {shown}")
        return found

    @property
    def sentence(self) -> str:
        """The format for people."""
        return f"A program: a zip or tar with {self.entry}, which is run as python {self.entry} INPUTS OUTPUT."


def _find_below_one_folder(names: list[str], entry: str) -> str | None:
    """The entry point of an archive that was made of a folder instead of what is in it."""
    tops = {name.partition("/")[0] for name in names}
    inside = f"{next(iter(tops))}/{entry}"
    return inside if len(tops) == 1 and inside in names else None


@dataclass(frozen=True)
class ProgramRunner:
    """Runs programs; ``output_name``: what the file of answers is called."""

    rules: CodeRules
    output_name: str
    output_bytes: int
    max_unpacked_bytes: int

    def run(self, archive: bytes, entry: str, inputs: SolutionFiles) -> ProgramRun:
        """Run a program that was checked; raises `MetricUnavailableError` where the fault is the platform's."""
        with self._prepare(archive) as folder:
            try:
                python, needed = find_interpreter(self.rules.environment, sys.executable)
                readable = (folder, inputs.folder, *needed)
                process = SandboxedProcess(("-m", MODULE), limits=self._limits, readable=readable)
            except (OSError, NoSandboxError, ValueError) as problem:
                raise MetricUnavailableError(UNAVAILABLE) from problem
            try:
                return self._ask(process, [python, str(folder / entry), str(inputs.path.resolve())])
            finally:
                process.end()

    def _ask(self, process: SandboxedProcess, command: list[str]) -> ProgramRun:
        try:
            process.ask({}, seconds=START_SECONDS)
        except (OSError, OutOfTimeError, ChildFellError) as problem:
            raise MetricUnavailableError(UNAVAILABLE) from problem
        seconds = CLOCK * self.rules.time_limit + SPARE_SECONDS
        output = f"{OUTPUT}/{self.output_name}"
        request = {
            "command": [*command, output],
            "output": output,
            "output_bytes": self.output_bytes,
            "log_bytes": LOG_BYTES,
            "seconds": seconds,
            "environment": self._environment,
        }
        try:
            most = self.output_bytes + 2 * LOG_BYTES
            said, content = process.ask(request, seconds=seconds + GRACE_SECONDS, most_bytes=most)
            length = int(said["log"])
            took = float(said["seconds"]), float(said["memory_mb"])
            return ProgramRun(content[length:], content[:length], str(said["problem"]), *took)
        except (ChildFellError, OutOfTimeError, KeyError, TypeError, ValueError):
            words = f"its sandbox ended: a limit of its memory ({self.rules.memory_mb} MB), or its own doing"
            return ProgramRun(b"", b"", words)

    @property
    def _limits(self) -> SandboxLimits:
        rules = self.rules
        return SandboxLimits(memory_mb=rules.memory_mb, seconds=rules.time_limit, files_mb=rules.files_mb)

    @property
    def _environment(self) -> dict[str, str]:
        home = {"PATH": "/usr/bin:/bin", "HOME": OUTPUT, "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
        if self.rules.environment is not None:
            home |= {"PATH": f"{self.rules.environment}/bin:/usr/bin:/bin", "VIRTUAL_ENV": self.rules.environment}
        return home | dict.fromkeys(ONE_THREAD, "1") | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}

    @contextmanager
    def _prepare(self, archive: bytes) -> Iterator[Path]:
        """The program's files in a folder that nobody else on the machine can enter."""
        try:
            private = Path(tempfile.mkdtemp(prefix="ladderboard-program-")).resolve()
        except OSError as problem:
            raise MetricUnavailableError(UNAVAILABLE) from problem
        try:
            folder = private / "program"
            folder.mkdir()
            folder.chmod(0o755)
            unpack(archive, folder, Problems("the program"), most_unpacked=self.max_unpacked_bytes)
            yield folder
        except SubmissionError:
            raise
        except OSError as problem:
            raise MetricUnavailableError(UNAVAILABLE) from problem
        finally:
            shutil.rmtree(private, ignore_errors=True)


def find_program_obstacle(rules: CodeRules) -> str | None:
    """What keeps this machine from running programs; None: nothing does."""
    obstacle = find_obstacle()
    if obstacle is not None:
        return f"programs run in a sandbox, and there is none on this machine: {obstacle}"
    try:
        python, _ = find_interpreter(rules.environment, sys.executable)
    except ValueError as problem:
        return str(problem)
    return None if os.access(python, os.X_OK) else f"{python} cannot be run by this user"
