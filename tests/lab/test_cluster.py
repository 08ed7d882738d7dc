"""The engine on a real Dask cluster: a scheduler and two worker processes on loopback, one of them killed midway."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from ladderboard_lab.experiments import Conditions
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import make_study
from ladderboard_lab.experiments.neto.mechanisms import ladder_panel
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.plugins import load_from_file
from ladderboard_lab.run import run_all, run_tasks

STUDY = make_study(Conditions(), permuted=True, features=100)
TASKS = [Campaign(STUDY, (ladder_panel(0.15, Conditions()),), (1, 2, 3))] * 12
PATIENCE = "180s"
"""Three processes start beside the other tests; on a busy machine that takes longer than Dask waits by itself."""


@contextmanager
def dask(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the cluster, ended by its own id."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": PATIENCE},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def worker_words(scheduler_file: Path) -> list[str]:
    scratch = str(scheduler_file.parent)
    words = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", scratch]
    return ["worker", "--scheduler-file", str(scheduler_file), *words]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The scheduler's address, and the worker that may be killed."""
    import dask as library
    from dask.distributed import Client

    file = tmp_path / "scheduler.json"
    start = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    patient = library.config.set({"distributed.comm.timeouts.connect": PATIENCE})
    with patient, dask(*start), dask(*worker_words(file)) as victim, dask(*worker_words(file)):
        with Client(scheduler_file=str(file), timeout=PATIENCE) as client:
            client.wait_for_workers(2, timeout=180)
        yield json.loads(file.read_text())["address"], victim


def test_code_of_a_users_file_travels_and_a_worker_killed_in_the_middle_costs_no_result(
    cluster: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    address, victim = cluster
    (tmp_path / "own.py").write_text("def double(number, seed):\n    return 2 * number\n")
    double = load_from_file(f"{tmp_path}/own.py:double")
    assert run_all(double, [1, 2, 3], seed=1, cluster=address, quiet=True) == [2, 4, 6]
    found: dict[int, FloatArray] = {}
    for index, result in run_tasks(run_step_forward, TASKS, seed=5, cluster=address, quiet=True):
        if not found:
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()
        found[index] = result
    assert victim.returncode == -signal.SIGKILL
    assert sorted(found) == list(range(len(TASKS)))
    alone = run_all(run_step_forward, TASKS, seed=5, workers=1, quiet=True)
    np.testing.assert_array_equal([found[index] for index in range(len(TASKS))], alone)


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    few = TASKS[:4]
    one, two = (run_all(run_step_forward, few, seed=7, workers=workers, quiet=True) for workers in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one[0], one[1]), "each task has a seed of its own"
