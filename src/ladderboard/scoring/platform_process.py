"""The process in the sandbox that runs another platform's scoring program on some rows of one submission.

`python -m ladderboard.scoring.platform_process`. The first request names the program, the reference's files, which are
shown read-only, and the file of the answers; each one after it names the rows. CodaLab's and Codabench's programs are
commands with folders; EvalAI's a function `evaluate` with the paths of two files.
"""

import ast
import contextlib
import importlib
import json
import math
import os
import resource
import runpy
import shlex
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ladderboard.core.child_process.child import Requests, limit_memory, limit_seconds
from ladderboard.scoring.file_process import measure_peak, read_number
from ladderboard.scoring.grader_process import Prints
from ladderboard.scoring.metric_process import describe_exception
from ladderboard.scoring.row_files import RowFile

WORK = Path("/tmp/run")  # noqa: S108 (the sandbox's own)
SCORES = ("scores.json", "scores.txt")
EVALUATE = "evaluate"
"""The command that stands for a function instead of a program."""
KEPT = 2000


class ProgramError(Exception):
    """What a program did wrong, for the organiser."""


def main() -> None:
    """Answer requests until the input ends."""
    requests = Requests()
    prints = Prints()
    setup = next(iter(requests), None)
    if setup is None:
        return
    if not setup["is_sandboxed"]:
        limit_memory(setup["memory_bytes"])
    try:
        run = ScoringProgram(setup)
        requests.answer(loaded=True)
    except BaseException as problem:
        requests.answer(error=describe_exception(problem), printed=prints.collect())
        return
    for request in requests:
        start = _measure_seconds()
        limit_seconds(request["seconds"], of_computing=True)
        try:
            # As text: JSON has no infinity.
            answer = {"value": repr(run.score(request["keep"], request["given"], seconds=request["seconds"]))}
        except ProgramError as problem:
            answer = {"error": str(problem)}
        except BaseException as problem:
            answer = {"error": describe_exception(problem)}
        limit_seconds(0, of_computing=True)
        seconds = _measure_seconds() - start
        requests.answer(seconds=seconds, memory_mb=measure_peak(), printed=prints.collect(), **answer)


def _measure_seconds() -> float:
    """Processor time of this process and of what it has run."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class ScoringProgram:
    """A scoring program, with the reference and the answers it compares."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        solution = Path(setup["solution"])
        self._command, self._phase, self._wanted = setup["command"], setup["phase"], setup["score"]
        self._program, self._reference = solution / "program", solution / "ref"
        self._truth = RowFile.read((self._reference / setup["items"]).read_bytes(), setup["items"])
        self._answers = RowFile(**{**setup["answers"], "rows": (), "names": ()})
        self._rows: Sequence[str] = setup["rows"]
        self._evaluate = self._import_function() if self._command == EVALUATE else None
        if self._evaluate is None:
            import_libraries(self._program)

    def score(self, keep: Sequence[int], given: Sequence[int], *, seconds: float) -> float:
        """The score of these rows of the reference with the answers that are given for each."""
        folder = self._write(keep, given)
        if self._evaluate is not None:
            truth, answers = folder / "input/ref" / self._truth.name, folder / "input/res" / self._answers.name
            found = self._evaluate(str(truth), str(answers), self._phase, submission_metadata={})
            return choose_score(flatten_results(found), self._wanted)
        said = self._run(folder, seconds)
        written = [path for name in SCORES if (path := folder / "output" / name).is_file()]
        if not written:
            raise ProgramError(f"it wrote neither {' nor '.join(SCORES)}\n{said}")
        return choose_score(read_scores(written[0]), self._wanted)

    def _write(self, keep: Sequence[int], given: Sequence[int]) -> Path:
        """The folders that the program is given: ``input/ref``, ``input/res`` and an empty ``output``."""
        shutil.rmtree(WORK, ignore_errors=True)
        (WORK / "input/res").mkdir(parents=True)
        (WORK / "output").mkdir()
        shutil.copytree(self._reference, WORK / "input/ref")
        truth = self._truth
        kept = truth.write([truth.rows[one] for one in keep], [truth.names[one] for one in keep] if truth.names else ())
        names = [truth.names[one] for one in keep] if self._answers.layout == "object" else ()
        (WORK / "input/ref" / truth.name).write_text(kept)
        path = WORK / "input/res" / self._answers.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._answers.write([self._rows[one] for one in given], names))
        return WORK

    def _run(self, folder: Path, seconds: float) -> str:
        """Run the command, and return the end of what it printed."""
        places = {"program": self._program, "input": folder / "input", "output": folder / "output"}
        words, said = find_words(self._command, places), folder / "said"
        with said.open("wb") as printed:
            process = os.fork()
            if not process:
                _become(words, self._program, printed.fileno(), math.ceil(seconds))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        end = said.read_bytes()[-KEPT:].decode(errors="replace")
        if code:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
            raise ProgramError(f"it {how}\n{end}")
        return end

    def _import_function(self) -> Callable[..., Any]:
        sys.path.insert(0, str(self._program))
        name = next(one for one in ("main", "evaluate", "__init__") if (self._program / f"{one}.py").exists())
        found = getattr(importlib.import_module(name), EVALUATE, None)
        if not callable(found):
            raise ProgramError(f"program/{name}.py defines no function {EVALUATE}")
        return found  # type: ignore[no-any-return]  # callable() cannot tell more


def _become(words: list[str], folder: Path, printed: int, seconds: int) -> NoReturn:
    """As a fork, become the command: a script of Python runs here, where its libraries are imported already."""
    code = 1
    try:
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        os.chdir(folder)
        if words[0] != sys.executable or len(words) < 2 or not words[1].endswith(".py"):
            os.execvp(words[0], words)  # noqa: S606 (what this is for)
        script = str((folder / words[1]).resolve())
        sys.argv, sys.path[0:0] = [script, *words[2:]], [str(Path(script).parent)]
        runpy.run_path(script, run_name="__main__")
        code = 0
    except SystemExit as leaves:
        code = leaves.code if isinstance(leaves.code, int) else int(leaves.code is not None)
        if code and not isinstance(leaves.code, int):
            sys.stderr.write(f"{leaves.code}\n")
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


def import_libraries(folder: Path) -> None:
    """Import what the scripts of a folder import, so that each run need not: pandas alone takes a second."""
    own = {path.stem for path in folder.rglob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
    for path in sorted(folder.rglob("*.py")):
        with contextlib.suppress(Exception):
            for name in list_imports(path.read_text()):
                if name.partition(".")[0] not in own:
                    with contextlib.suppress(Exception):
                        importlib.import_module(name)


def list_imports(source: str) -> list[str]:
    r"""The modules that a script imports at its start.

    >>> list_imports("import os.path, json\nfrom numpy import array\nfrom . import mine")
    ['os.path', 'json', 'numpy']
    """
    found: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names]
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
    return found


def find_words(command: str, places: Mapping[str, Path]) -> list[str]:
    """The words of a command as metadata of a bundle has it, with this Python and the folders put in.

    >>> find_words("python3 $program/score.py $input $output", {"program": Path("/p"), "input": Path("/i"),
    ...     "output": Path("/o")})[1:]
    ['/p/score.py', '/i', '/o']
    """
    words = shlex.split(command)
    legacy = {"/app/program": "program", "/app/input": "input", "/app/output": "output"}
    for name, path in places.items():
        words = [word.replace(f"${name}", str(path)) for word in words]
    for before, name in legacy.items():
        words = [str(places[name]) + word.removeprefix(before) if word.startswith(before) else word for word in words]
    if words and words[0] in ("python", "python3"):
        words[0] = sys.executable
    return words


def read_scores(path: Path) -> dict[str, float]:
    """The scores that a program wrote: JSON, or lines of a name, a colon and a number."""
    text = path.read_text()
    if path.suffix == ".json":
        found = json.loads(text)
        return flatten_results(found)
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): float(value) for name, _, value in pairs if _is_number(value)}


def flatten_results(found: Any) -> dict[str, float]:
    """All named numbers of a result, whatever they are nested in; of EvalAI's the last split that names one."""
    if isinstance(found, Mapping) and "result" in found:
        found = found["result"]
    scores: dict[str, float] = {}
    for name, value in found.items() if isinstance(found, Mapping) else ():
        if isinstance(value, Mapping | list):
            scores |= flatten_results(value)
        else:
            try:
                scores[str(name)] = read_number(value)
            except TypeError:
                continue
    for one in found if isinstance(found, list) else ():
        scores |= flatten_results(one)
    return scores


def choose_score(scores: Mapping[str, float], wanted: str | None) -> float:
    """The score that ranks: the one that is named, else the only one; raises `ProgramError`."""
    if wanted is None and len(scores) == 1:
        return next(iter(scores.values()))
    if wanted is None or wanted not in scores:
        raise ProgramError(f'score = "{wanted or ""}" is not among the scores: {", ".join(scores) or "there is none"}')
    if not math.isfinite(scores[wanted]):
        raise ProgramError(f"{wanted} is {scores[wanted]}")
    return scores[wanted]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    main()
