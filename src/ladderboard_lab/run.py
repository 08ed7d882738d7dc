"""The engine: one function over many tasks, on local cores or a Dask cluster, with a progress bar.

Every task gets a seed of its own by `SeedSequence.spawn`, so that results do not depend on the number of workers, nor
on the order in which they finish. Linear algebra runs in one thread in each task: sums in another order differ in the
last bit, which is enough to turn a decision.
"""

import warnings
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from ladderboard_lab.foreign_code import explain_failures

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    function: Callable[[Task, np.random.SeedSequence], Result],
    tasks: Sequence[Task],
    *,
    seed: int,
    workers: int = 1,
    cluster: str | None = None,
    title: str = "",
    quiet: bool = False,
    skip: Container[int] = (),
) -> Iterator[tuple[int, Result]]:
    """Yield (index of the task, result) as they finish.

    ``cluster`` is the address of a Dask scheduler; without it ``workers`` local processes work (1: this process).
    ``skip`` are the indices of tasks that were done before; the others keep the seeds they would have had.
    """
    seeds = np.random.SeedSequence(seed).spawn(len(tasks))
    jobs = [job for job in zip(range(len(tasks)), tasks, seeds, strict=True) if job[0] not in skip]
    finished = _run_on_cluster(function, jobs, cluster) if cluster else _run_here(function, jobs, workers)
    yield from _show_progress(finished, total=len(jobs), title=title, quiet=quiet)


def run_all(
    function: Callable[[Task, np.random.SeedSequence], Result], tasks: Sequence[Task], **options: Any
) -> list[Result]:
    """Run all tasks and return the results in their order."""
    found = dict(run_tasks(function, tasks, **options))
    return [found[index] for index in range(len(tasks))]


Job = tuple[int, Any, np.random.SeedSequence]


def _run_one(function: Callable[[Any, np.random.SeedSequence], Any], job: Job) -> tuple[int, Any]:
    index, task, seed = job
    with _thread_pools().limit(limits=1), explain_failures():
        return index, function(task, seed)


@cache
def _thread_pools() -> Any:
    """The thread pools of this process's linear algebra; finding them takes longer than setting them."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it publishes no types

    return ThreadpoolController()


def _run_here(function: Callable[..., Any], jobs: list[Job], workers: int) -> Iterator[tuple[int, Any]]:
    if workers == 1:
        yield from (_run_one(function, job) for job in jobs)
        return
    import joblib

    # Whoever stops a run knows that its work is lost.
    warnings.filterwarnings("ignore", ".*tasks (have been successfully executed|which were still being)", UserWarning)
    pool = joblib.Parallel(n_jobs=workers, return_as="generator_unordered")
    try:
        yield from pool(joblib.delayed(_run_one)(function, job) for job in jobs)
    except BaseException:
        # Stopped or failed: workers left alone would go on, and complain when they find this process gone.
        joblib.externals.loky.get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise


def _run_on_cluster(function: Callable[..., Any], jobs: list[Job], address: str) -> Iterator[tuple[int, Any]]:
    """Run the jobs on a Dask cluster, which repeats the jobs of workers that die.

    Dask pickles by reference where it can; what a user's file defines has to travel by value (`plugins`).
    """
    import joblib
    from dask.distributed import Client, as_completed

    with Client(address) as client:
        packed = (joblib.wrap_non_picklable_objects(partial(_run_one, function, job)) for job in jobs)
        futures = [client.submit(one, pure=False, retries=3) for one in packed]
        for future in as_completed(futures):
            yield future.result()


def _show_progress(finished: Iterator[Any], *, total: int, title: str, quiet: bool) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        yield from bar.track(finished, total=total, description=title or "working")
