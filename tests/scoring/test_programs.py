"""Participants' programs in the sandbox: what they are given, and what they cannot do."""

import io
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from ladderboard.core.errors import InputError, MetricUnavailableError, SubmissionError
from ladderboard.scoring import programs
from ladderboard.scoring.code_process import Log
from ladderboard.scoring.code_rules import CodeRules, find_interpreter
from ladderboard.scoring.programs import ProgramFormat, ProgramRun, ProgramRunner
from ladderboard.scoring.sandbox import find_obstacle
from ladderboard.scoring.solution_files import SolutionFiles

needs_sandbox = pytest.mark.skipif(find_obstacle() is not None, reason="there is no sandbox on this machine")
FORMAT = ProgramFormat("predict.py", max_bytes=1 << 20, max_unpacked_bytes=1 << 20)


def pack(source: str, **others: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in {"predict.py": source, **others}.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> SolutionFiles:
    folder = tmp_path_factory.mktemp("inputs") / "inputs"
    folder.mkdir()
    (folder / "words.txt").write_text("hidden words")
    return SolutionFiles.read(folder)


def run(inputs: SolutionFiles, source: str, **rules: object) -> ProgramRun:
    made = CodeRules(**{"time_limit": 20.0, "memory_mb": 600, "files_mb": 64, **rules})  # type: ignore[arg-type]
    runner = ProgramRunner(made, "answers.csv", output_bytes=1000, max_unpacked_bytes=1 << 20)
    return runner.run(pack(source), "predict.py", inputs)


@needs_sandbox
def test_a_program_reads_its_inputs_and_writes_one_file(inputs: SolutionFiles) -> None:
    source = "import sys, pathlib\nprint('hello')\nwords = (pathlib.Path(sys.argv[1]) / 'words.txt').read_text()\n"
    done = run(inputs, source + "open(sys.argv[2], 'w').write(words.upper())")
    assert (done.problem, done.output, done.log) == ("", b"HIDDEN WORDS", b"hello\n")


REACH = """
import os, socket, sys
def attempt(name, do):
    try:
        do()
    except OSError as problem:
        print(name, 'refused')
    else:
        print(name, 'DONE')
attempt('folder', lambda: os.listdir({folder!r}))
attempt('solution', lambda: open({secret!r}).read())
attempt('data', lambda: open({database!r}).read())
attempt('write beside', lambda: open(__file__ + 'x', 'w'))
attempt('write inputs', lambda: open(sys.argv[1] + '/x', 'w'))
attempt('write system', lambda: open('/usr/x', 'w'))
attempt('network', lambda: socket.create_connection(('127.0.0.1', {port}), timeout=5))
attempt('parent', lambda: open('/proc/%d/environ' % {pid}).read())
print('secrets', [name for name in os.environ if 'LADDERBOARD' in name])
open(sys.argv[2], 'w').write('x')
"""


@needs_sandbox
def test_a_program_reaches_nothing_but_what_it_is_given(
    inputs: SolutionFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    import socket

    monkeypatch.setenv("LADDERBOARD_DATABASE", "postgresql://secret")
    secret, database = tmp_path / "solution.csv", tmp_path / "ladderboard.db"
    for path in (secret, database):
        path.write_text("labels")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = REACH.format(
            folder=str(tmp_path), secret=str(secret), database=str(database), port=port, pid=os.getpid()
        )
        done = run(inputs, source)
    said = done.log.decode().splitlines()
    assert done.problem == ""
    assert [line for line in said if not line.endswith("refused")] == ["secrets []"]
    assert len(said) == 9


@needs_sandbox
@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("raise SystemExit(3)", "it ended with exit code 3"),
        ("pass", "it wrote no output"),
        ("import os, sys\nos.symlink('/etc/passwd', sys.argv[2])", "it wrote no output"),
        ("import os, sys\nos.mkfifo(sys.argv[2])", "its output is no ordinary file"),
        ("import sys\nopen(sys.argv[2], 'w').write('x' * 2000)", "its output has 2,000 bytes; 1,000 are allowed"),
        ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", "its sandbox ended"),
        ("x = []\nwhile True: x.append(bytearray(10 ** 7))", "it ended with exit code 1"),
    ],
)
def test_a_program_that_gives_no_answers_fails(inputs: SolutionFiles, source: str, problem: str) -> None:
    done = run(inputs, source)
    assert done.problem.startswith(problem)
    assert done.output == b""


@needs_sandbox
@pytest.mark.parametrize(
    "source",
    [
        "import time\nprint('here', flush=True)\ntime.sleep(10 ** 6)",
        "import os\nprint('here', flush=True)\nwhile True:\n  try: os.fork()\n  except OSError: pass",
        "while True: print('here' * 1000)",
    ],
)
def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(
    inputs: SolutionFiles, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "SPARE_SECONDS", 0.0)
    done = run(inputs, source, time_limit=0.2)
    assert done.problem.startswith("it took longer than") or "SIGKILL" in done.problem
    assert len(done.log) < programs.LOG_BYTES + 100


def test_a_flood_keeps_the_first_and_the_last_of_a_log() -> None:
    log = Log(20)
    for number in range(1000):
        log.add(b"%04d " % number)
    assert log.content.startswith(b"0000 0001 ")
    assert log.content.endswith(b"0998 0999 ")
    assert len(log.content) < 100


@needs_sandbox
def test_what_one_program_leaves_is_gone_for_the_next(inputs: SolutionFiles) -> None:
    run(inputs, "open('/tmp/left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')")
    found = run(inputs, "import os\nprint(os.listdir('/tmp'), os.listdir('/dev/shm'))").log.decode()
    assert "left" not in found


@needs_sandbox
def test_a_program_runs_in_the_environment_that_is_named(inputs: SolutionFiles, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    venv.create(folder, with_pip=False)
    library = next(folder.glob("lib/python*/site-packages"))
    (library / "course_only.py").write_text("WORD = 'there'")
    source = "import course_only, sys\nprint(course_only.WORD)\n"
    source += "try:\n  import numpy\nexcept ImportError: print('not ours')\nopen(sys.argv[2], 'w').write('x')"
    done = run(inputs, source, environment=str(folder))
    assert (done.problem, done.log) == ("", b"there\nnot ours\n")


def test_a_folder_that_is_no_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="python3 -m venv"):
        find_interpreter(str(tmp_path), "python3")


def test_without_a_sandbox_nothing_is_run(inputs: SolutionFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladderboard.scoring.sandbox.find_obstacle", lambda: "none here")
    with pytest.raises(MetricUnavailableError):
        run(inputs, "print('ran')")


def test_an_archive_is_checked_before_it_is_run() -> None:
    assert FORMAT.check(pack("x")) == "predict.py"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("mine/predict.py", "x")
        archive.writestr("mine/model.txt", "x")
    assert FORMAT.check(content.getvalue()) == "mine/predict.py"


def _zip(members: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def _link() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        link = tarfile.TarInfo("predict.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"print('hello')", "no archive; send a zip or tar of your program"),
        (_zip({"main.py": "x"}), "the archive has no predict.py"),
        (_zip({"../predict.py": "x"}), "plain names below one folder"),
        (_zip({"predict.py": "0" * (2 << 20)}), "unpacks to more than"),
        (_link(), "a link or no ordinary file"),
    ],
)
def test_a_bad_archive_is_told_so(content: bytes, words: str) -> None:
    with pytest.raises(SubmissionError, match=words):
        FORMAT.check(content, "program.zip")
