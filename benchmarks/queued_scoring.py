"""What a scorer in the sandbox adds to a submission, and what a second worker of a Dask cluster brings.

The scorer does next to nothing, so that what is measured is the sandbox: warm, where it was started while the last one
was in use, and cold. For the cluster a metric waits for half a second; scheduler, workers and server are processes of
this machine, on SQLite.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._served import serving
from benchmarks.hosting_http import enter
from benchmarks.row import Row
from ladderboard.client import Client
from ladderboard.competition import load_competition
from ladderboard.scoring.file_scorer import FileScorer

ITEMS, ROUNDS = 200, 10
WARM_SECONDS, COLD_SECONDS = 0.015, 0.150
JOBS, SLOW_SECONDS, SPEEDUP = 12, 0.5, 1.8
SCORER = "def score_items(submission, solution):\n    yield from ((str(n), 0.5) for n in range({items}))\n"
METRIC = """\
import time
import numpy as np

def score(labels, predictions):
    time.sleep({seconds} / 2)  # it is called for two parts of the rows
    return float(np.mean((labels - predictions) ** 2))
"""
PROGRAMS = Path(sys.executable).parent


def run() -> list[Row]:
    """All rows."""
    with TemporaryDirectory() as name:
        return [*_sandbox_rows(Path(name)), _cluster_row(Path(name))]


def _sandbox_rows(folder: Path) -> Iterator[Row]:
    competition = load_competition(_write_files(folder / "files"))
    scorer = competition.scorer
    assert isinstance(scorer, FileScorer), "its metric's file has score_items"
    answers = scorer.read(b"{}" if competition.sample is None else competition.sample.content)
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(ROUNDS):
        scorer.close()
        for found in (cold, warm):
            start = time.perf_counter()
            scorer.score(answers)
            found.append(time.perf_counter() - start)
            time.sleep(0.5)  # the next sandbox is started meanwhile
    scorer.close()
    yield Row("a warm scorer of files adds", min(warm), WARM_SECONDS, 1.0)
    yield Row("a cold scorer of files adds", min(cold), COLD_SECONDS, 1.0)


def _write_files(folder: Path) -> Path:
    folder.mkdir()
    ids = [str(number) for number in range(ITEMS)]
    (folder / "score.py").write_text(SCORER.format(items=ITEMS))
    (folder / "items.csv").write_text(
        "id,Usage\n" + "".join(f"{one},{'Public' if int(one) % 2 else 'Private'}\n" for one in ids)
    )
    (folder / "sample_submission.json").write_text("{" + ",".join(f'"{one}": 1' for one in ids) + "}")
    (folder / "solution").mkdir()
    (folder / "solution" / "truth.txt").write_text("x")
    (folder / "description.md").write_text("# Files\n")
    (folder / "competition.toml").write_text('title = "Files"\n[metric]\nfile = "score.py"\nlower_is_better = false\n')
    return folder


def _cluster_row(folder: Path) -> Row:
    took = {workers: _play(folder / f"{workers}", workers) for workers in (1, 2)}
    return Row(f"{JOBS} jobs of {SLOW_SECONDS} s with two workers, beside one", took[2], took[1], 1 / SPEEDUP)


def _play(folder: Path, workers: int) -> float:
    """Seconds from the first of many teams' submissions to the last result."""
    folder.mkdir()
    competition = _write_slow(folder / "slow")
    with ExitStack() as running:
        address = running.enter_context(_scheduler())
        server = running.enter_context(serving(folder, competition, scheduler=address))
        for _ in range(workers):
            running.enter_context(_worker(address, folder / "data-of-slow"))
        clients = [running.enter_context(Client(server.url)) for _ in range(JOBS)]
        for number, client in enumerate(clients):
            enter(client, f"team {number}", "slow")
        lines = [f"{row},{row % 7}" for row in range(ITEMS)]
        content = "\n".join(["id,label", *lines]).encode()
        clients[0].submit("slow", content, name="first.csv")  # every worker has the solution by then, or soon
        start = time.perf_counter()
        jobs = [
            client.submit("slow", content + b"\n" * number, name="p.csv", wait=False)
            for number, client in enumerate(clients[1:], 1)
        ]
        for client, job in zip(clients[1:], jobs, strict=True):
            client.wait_for("slow", job.id)
        return time.perf_counter() - start


def _write_slow(folder: Path) -> Path:
    folder.mkdir()
    (folder / "metric.py").write_text(METRIC.format(seconds=SLOW_SECONDS))
    rows = [f"{row},{row % 5},{'Public' if row % 2 else 'Private'}" for row in range(ITEMS)]
    (folder / "solution.csv").write_text("\n".join(["id,label,Usage", *rows]))
    (folder / "description.md").write_text("# Slow\n")
    (folder / "competition.toml").write_text(
        'title = "Slow"\nslug = "slow"\nmechanism = "full_disclosure"\n[limits]\nper_day = "none"\n'
        '[metric]\nfile = "metric.py"\nlower_is_better = true\nbounds = [0, inf]\nqueued = true\n'
    )
    return folder


@contextmanager
def _scheduler() -> Iterator[str]:
    command = [str(PROGRAMS / "dask"), "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    with _started(command, re.compile(r"tcp://[0-9.:]+")) as found:
        yield found


@contextmanager
def _worker(address: str, data: Path) -> Iterator[None]:
    command = [str(PROGRAMS / "ladderboard"), "worker", "--scheduler", address, "--data", str(data)]
    with _started(command, re.compile("Working for")):
        yield


@contextmanager
def _started(command: list[str], ready: re.Pattern[str]) -> Iterator[str]:
    """A process, once it has said that it is ready; what it says then goes nowhere."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    try:
        found = next(found[0] for line in process.stdout if (found := ready.search(line)))
        yield found
    finally:
        process.kill()
        process.wait()
