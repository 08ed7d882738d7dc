"""What a child process may do, whoever runs it: answer, start threads, and nothing that outlives it."""

import os
from collections.abc import Iterator

import pytest

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, KeptChild, OutOfTimeError
from tests.child_processes import has_filter

START = """
import os, resource, subprocess, sys, threading, time  # here: nobody may not be allowed to read them later
from ladderboard.core.child_process import child
requests = child.Requests()
"""
FORKS = """
def fork():
    if os.fork() == 0:
        os._exit(0)

def succeeds(start):
    try:
        start()
    except OSError:
        return False
    return True

ways = {
    "fork": fork,
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "vfork": lambda: subprocess.run(["/bin/true"]),
}
child.limit_process()
for request in requests:
    threads = [threading.Thread(target=time.sleep, args=(0,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    requests.answer(started=[name for name, way in ways.items() if succeeds(way)], shell=os.system("exit 3") == 3 << 8)
"""
AS_NOBODY = "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"


def start(script: str) -> ChildProcess:
    return ChildProcess(("-c", START + script))


@pytest.fixture
def kept() -> Iterator[KeptChild[ChildProcess]]:
    child = KeptChild(lambda: start("for request in requests:\n    requests.answer(pid=os.getpid())\n"))
    yield child
    child.close()


@has_filter
@pytest.mark.parametrize("user", ["this user", "nobody"])
def test_a_child_may_start_threads_but_no_processes(user: str) -> None:
    if user == "nobody" and os.getuid() != 0:
        pytest.skip("only root can become another user")
    child = start((AS_NOBODY if user == "nobody" else "") + FORKS)
    answer, _ = child.ask({}, seconds=600)
    child.end()
    assert answer == {"started": [], "shell": False}


def test_what_a_child_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    child = start(
        "for request in requests:\n    os.system('echo loud')\n    print(1, flush=True)\n    requests.answer()\n"
    )
    assert child.ask({}, seconds=600) == ({}, b"")
    child.end()
    assert capfd.readouterr() == ("", "")


def test_pieces_come_back_together_and_no_more_than_asked_for() -> None:
    child = start(
        "for request in requests:\n    [requests.send(b'ab') for _ in range(3)]\n    requests.answer(word=1)\n"
    )
    assert child.ask({}, seconds=600, most_bytes=6) == ({"word": 1}, b"ababab")
    with pytest.raises(ChildFellError):
        child.ask({}, seconds=600, most_bytes=5)
    child.end()


@pytest.mark.parametrize(
    ("script", "seconds"),
    [
        ("for request in requests: time.sleep(600)", 0.2),
        ("time.sleep(600)", 0.2),
        ("for request in requests:\n    child.limit_seconds(0.01)\n    time.sleep(600)", 600),
        ("for request in requests:\n    child.limit_seconds(0.01, of_computing=True)\n    while True: pass", 600),
    ],
    ids=["no answer", "nobody reads", "a timer of its own", "a timer of its computing"],
)
def test_one_that_takes_too_long_is_ended(script: str, seconds: float) -> None:
    child = start(script)
    with pytest.raises(OutOfTimeError):
        child.ask({}, bytes(10_000_000), seconds=seconds)
    assert not child.is_running
    child.end()


def test_a_child_is_kept_until_it_falls(kept: KeptChild[ChildProcess]) -> None:
    pids = []
    for _ in range(2):
        with kept.use() as child:
            pids.append(child.ask({}, seconds=600)[0]["pid"])
    assert pids == [child.pid] * 2
    with pytest.raises(ChildFellError), kept.use() as child:
        raise ChildFellError
    assert not child.is_running
    with kept.use() as other:
        assert other.ask({}, seconds=600)[0]["pid"] not in pids
