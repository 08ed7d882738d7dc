import os
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from ladderboard.core.errors import GuardFileError
from ladderboard.core.records import Release
from ladderboard.guard import file as guard_file
from ladderboard.guard.file import GuardFile
from ladderboard.guard.file_schema import APPLICATION_ID, FORMAT, pack, unpack
from ladderboard.guard.holdout import Holdout
from tests.guard.guards import finish, labels_of, start_python, with_errors

LABELS = labels_of()
MAY_FORK = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # newer Pythons warn where there are threads

SCORE_UNTIL_KILLED = """
from itertools import count
from tests.child_processes import die_beyond
path, first, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
labels = labels_of()
holdout = Holdout(labels, path=path, seed=1)
die_beyond(size)
for number in count(first):
    print(holdout.score(with_errors(labels, 280 - number % 280, number)).attempt, flush=True)
"""
SCORE_SOME = """
path, numbers = sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3]))
labels = labels_of()
holdout = Holdout(labels, path=path, seed=1)
for number in numbers:
    print(number, holdout.score(with_errors(labels, 290 - 4 * number, number)).attempt)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "holdout.db"


@pytest.fixture
def used(path: Path) -> Path:
    """A guard with an accepted and a rejected attempt."""
    with Holdout(LABELS, path=path, seed=1) as holdout:
        holdout.score(with_errors(LABELS, 120))
        holdout.score(with_errors(LABELS, 119))
    return path


# -- processes -----------------------------------------------------------------------------------------------------


def test_a_killed_process_leaves_a_whole_file_and_no_told_attempt_is_forgotten(used: Path) -> None:
    """Each dies within a commit: while it writes the journal, or while it writes the file."""
    path, told, interrupted = used, {1, 2}, 0
    journal, whole = path.with_name(f"{path.name}-journal"), path.stat().st_size
    for kill, size in enumerate([0, 700, 9000, whole // 2, whole - 100, whole + 100], 1):
        process = start_python(SCORE_UNTIL_KILLED, path, 10_000 * kill, size)
        told |= {int(line) for line in process.communicate(timeout=300)[0].split()}
        assert process.returncode == -signal.SIGXFSZ
        interrupted += journal.exists()
        with Holdout(LABELS, path=path) as holdout:
            attempts = [release.attempt for release in holdout.history()]
            assert attempts == list(range(1, holdout.attempts + 1))
            assert told <= set(attempts)
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    assert interrupted > 3
    assert len(told) > 10


def test_a_process_killed_while_it_makes_the_file_leaves_none_or_a_whole_one(path: Path) -> None:
    code = "import os; from ladderboard.guard import file; file.{} = lambda *_: os.kill(os.getpid(), 9)\n"
    for place in ("_connect", "_read_settings"):  # before anything is written; after the file has its name
        process = start_python(code.format(place) + SCORE_SOME, path, 0, 1)
        process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL
        with Holdout(LABELS, path=path, seed=1) as holdout:
            assert holdout.attempts == 0
        path.unlink()


def test_processes_that_score_at_once_lose_no_attempt_and_spend_no_state_twice(path: Path) -> None:
    # All three also race to make the file.
    share = 14
    processes = [start_python(SCORE_SOME, path, share * one, share * (one + 1)) for one in range(3)]
    lines = [tuple(map(int, line.split())) for output in finish(processes) for line in output.splitlines()]
    in_order = [number for number, _ in sorted(lines, key=lambda line: line[1])]
    assert sorted(attempt for _, attempt in lines) == list(range(1, 3 * share + 1))
    # One process that makes the same submissions in the order of their attempts is told the same.
    alone = Holdout(LABELS, path=":memory:", seed=1)
    expected = [alone.score(with_errors(LABELS, 290 - 4 * number, number)) for number in in_order]
    with Holdout(LABELS, path=path) as holdout:
        assert holdout.history() == expected
        assert holdout.leakage == alone.leakage
    assert sum(release.accepted for release in expected) >= 3


def test_the_same_submission_from_two_processes_is_one_attempt(path: Path) -> None:
    lines = [output.splitlines() for output in finish([start_python(SCORE_SOME, path, 0, 5) for _ in range(2)])]
    assert lines[0] == lines[1]
    with Holdout(LABELS, path=path) as holdout:
        assert holdout.attempts == 5


def test_another_process_s_incumbent_is_the_one_to_beat(path: Path) -> None:
    with Holdout(LABELS, path=path, seed=1) as ours:
        ours.score(with_errors(LABELS, 200))
        with Holdout(LABELS, path=path) as theirs:
            assert theirs.score(with_errors(LABELS, 30)).improved
        # Better than our own best by far, but not than theirs.
        assert not ours.score(with_errors(LABELS, 100)).accepted
        assert ours.score(with_errors(LABELS, 5)).accepted


def test_a_file_that_another_process_holds_is_waited_for_and_then_explained(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_file, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(used, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Holdout(LABELS, path=used) as holdout:
        with pytest.raises(GuardFileError, match="another process has held the file"):
            holdout.score(LABELS)
        other.execute("ROLLBACK")
        other.close()
        assert holdout.score(LABELS).attempt == 3


def test_an_error_in_the_metric_leaves_nothing_behind(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Holdout(LABELS, path=used) as holdout:
        with monkeypatch.context() as patch:
            patch.setattr(type(holdout.mechanism), "step", lambda *_, **__: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                holdout.score(LABELS)
        assert holdout.attempts == 2
        assert holdout.score(LABELS).attempt == 3


# -- what is in it -------------------------------------------------------------------------------------------------


def test_only_the_owner_may_read_it(used: Path) -> None:
    assert stat.S_IMODE(used.stat().st_mode) == 0o600
    assert [file.name for file in used.parent.iterdir()] == [used.name]  # no draft, no journal


def test_it_holds_neither_labels_nor_losses(tmp_path: Path) -> None:
    # Real labels and predictions have recognisable bytes; the incumbent's predictions are the only ones kept.
    rng = np.random.default_rng(0)
    labels = rng.uniform(size=300)
    near, nearer = labels + 0.1 * rng.normal(size=300), labels + 0.03 * rng.normal(size=300)
    path = tmp_path / "holdout.db"
    with Holdout(labels, "mse", path=path, seed=1) as holdout:
        assert holdout.score(near).accepted
        assert holdout.score(nearer).accepted
    content = path.read_bytes()

    def kept(values: np.ndarray) -> int:
        return sum(value.tobytes() in content for value in values)

    assert kept(nearer) == 300
    assert kept(labels) == 0
    assert kept((labels - nearer) ** 2) == kept((labels - near) ** 2) == 0
    assert kept(labels - nearer) == 0


def test_the_hash_of_the_labels_is_salted(tmp_path: Path) -> None:
    hashes = set()
    for name in ("one.db", "two.db"):
        Holdout(LABELS, path=tmp_path / name, seed=1).close()
        guard = GuardFile.open(tmp_path / name)
        hashes.add(guard.settings.labels_hash)
        guard.close()
    assert len(hashes) == 2


def test_an_attempt_takes_as_many_database_steps_late_as_early() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    connection = holdout._guard._connection
    assert connection is not None
    holdout.score(with_errors(LABELS, 120))  # accepted once; the others are rejected

    def steps_of(number: int) -> int:
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        connection.set_progress_handler(count, 1)
        holdout.score(with_errors(LABELS, 200, seed=number))
        connection.set_progress_handler(None, 1)
        return steps

    early = steps_of(1)
    for number in range(2, 1000):
        holdout.score(with_errors(LABELS, 200, seed=number))
    assert steps_of(1000) <= early + 10


@pytest.mark.parametrize(
    "predictions",
    [np.arange(7, dtype=np.int8) % 2, np.arange(300, dtype=np.int32), np.linspace(0, 1, 9), np.eye(4)],
    ids=["codes", "many classes", "numbers", "table"],
)
def test_predictions_come_back_as_they_were(predictions: np.ndarray) -> None:
    encoding, content = pack(predictions)
    same = unpack(encoding, bytes(content))
    assert same.dtype == predictions.dtype
    assert np.array_equal(same, predictions)


def test_class_codes_are_kept_small() -> None:
    _, content = pack(np.zeros(100_000, dtype=np.int8))
    assert len(bytes(content)) < 1000


# -- files that cannot be used -------------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    with pytest.raises(GuardFileError) as caught:
        Holdout(LABELS, path=path)
    return str(caught.value)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("id,label\n1,0\n" * 100)
    assert refusal(path) == f"{path}: this is not a guard's file; choose another path"
    assert path.read_text() == "id,label\n1,0\n" * 100


def test_another_program_s_database_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE releases (x)")
    connection.close()
    assert "another program's database" in refusal(path)


def test_an_emptied_file_is_not_taken_for_a_new_one(used: Path) -> None:
    os.truncate(used, 0)
    assert "is empty" in refusal(used)


@pytest.mark.parametrize("size", [100, 4096, 5000, 12288])
def test_a_file_that_was_cut_off_is_refused_with_what_to_do(used: Path, size: int) -> None:
    assert used.stat().st_size > size
    os.truncate(used, size)
    assert "restore it from a backup; a new file would forget the attempts" in refusal(used)


def test_a_file_of_a_newer_format_is_refused(used: Path) -> None:
    connection = sqlite3.connect(used)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    assert f"newer Ladderboard (format {FORMAT + 1}, ours is {FORMAT}); upgrade" in refusal(used)


def test_a_guard_whose_tables_are_gone_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    assert "no such table" in refusal(path)


def test_a_directory_that_is_missing_or_the_path_itself_is_said(tmp_path: Path) -> None:
    assert "create it first" in refusal(tmp_path / "no" / "holdout.db")
    assert "is a directory, not a file" in refusal(tmp_path)


def test_a_file_that_is_removed_or_replaced_during_use_is_noticed(used: Path, tmp_path: Path) -> None:
    with Holdout(LABELS, path=used) as holdout:
        used.rename(tmp_path / "moved.db")
        with pytest.raises(GuardFileError, match="removed or replaced"):
            holdout.score(LABELS)
        (tmp_path / "moved.db").rename(used)
        assert holdout.score(LABELS).attempt == 3


def in_a_child(task: Callable[[], str], *, user: int = 65534) -> str:
    """The text that ``task`` returns in a forked process without root's power to write anything."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.seteuid(user)
            answer = task()
        except BaseException as problem:
            answer = f"{type(problem).__name__}: {problem}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


@pytest.fixture
def read_only(used: Path) -> Iterator[Path]:
    """A copy of the used guard where everybody may read and nobody may write."""
    with TemporaryDirectory() as name:  # pytest's own directories are closed to other users
        copied = Path(shutil.copy(used, name))
        copied.chmod(0o444)
        copied.parent.chmod(0o555)
        yield copied
        copied.parent.chmod(0o755)


@MAY_FORK
def test_a_file_that_cannot_be_written_can_be_read_but_not_asked(read_only: Path) -> None:
    def ask() -> str:
        with Holdout(LABELS, path=read_only) as holdout:
            history: list[Release] = holdout.history()
            try:
                return str(holdout.score(LABELS))
            except GuardFileError as problem:
                return f"{len(history)} releases, {problem}"

    Holdout(LABELS, path=":memory:").score(LABELS)  # import here what the child may not read any more
    assert in_a_child(ask) == (
        f"2 releases, {read_only}: the file or its directory cannot be written; "
        "change its permissions, or work on a copy"
    )


@MAY_FORK
def test_a_directory_that_cannot_be_written_is_said(read_only: Path) -> None:
    Holdout(LABELS, path=":memory:")  # as above
    answer = in_a_child(lambda: repr(Holdout(LABELS, path=read_only.parent / "new.db")))
    assert answer.startswith(f"GuardFileError: {read_only.parent / 'new.db'} cannot be created: Permission denied")
