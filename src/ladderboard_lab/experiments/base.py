"""The base types of experiments, which reproduce one figure or table of a paper.

To write one: a function from `Conditions` to an `Outcome` under `@experiment`, which names it, and one line in
`EXPERIMENTS` (`experiments/__init__.py`).

    conditions → run → Outcome(table, draw, verdict) → writing → CSV, SVG, PNG, JSON → report
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ladderboard_lab.run import run_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | bool | None
Choice = TypeVar("Choice")
Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Conditions:
    """The conditions of an experiment.

    ``quick`` asks for a reduced size whose verdict still means something; ``workers`` and ``cluster`` change the time
    it takes, never the result. ``data`` and ``target`` are a user's CSV file and its response column, for the
    experiments that take one (`Experiment.takes_data`). ``shared`` is a folder with published data of the papers,
    looked for beside the checkout where it is not given (`shared_data`); where it is missing experiments do without.
    """

    seed: int = 0
    quick: bool = False
    workers: int = 1
    cluster: str | None = None
    data: Path | None = None
    target: str | None = None
    quiet: bool = True
    shared: Path | None = None

    def choose(self, *, full: Choice, quick: Choice) -> Choice:
        """Choose the full or the quick size.

        >>> Conditions(quick=True).choose(full=100, quick=20)
        20
        """
        return quick if self.quick else full

    def run(
        self,
        function: Callable[[Task, np.random.SeedSequence], Result],
        tasks: Sequence[Task],
        *,
        title: str = "",
        block: int = 0,
    ) -> list[Result]:
        """Run the function over all tasks; return the results in the order of the tasks.

        Each task gets a seed of its own; an experiment that calls the engine twice gives each call another ``block``.
        """
        return run_all(
            function,
            tasks,
            seed=np.random.SeedSequence([self.seed, block]).generate_state(1, np.uint64).item(),
            workers=self.workers,
            cluster=self.cluster,
            title=title,
            quiet=self.quiet,
        )


@dataclass(frozen=True)
class Table:
    """A table of measurements: named columns, one row per measurement.

    >>> Table(("alpha", "overfit"), [(0.01, -0.011), (0.15, -0.076)]).column("overfit")
    [-0.011, -0.076]
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row has {len(row)} cells for the {len(self.columns)} columns {self.columns}")

    def column(self, name: str) -> list[Cell]:
        index = self.columns.index(name)
        return [row[index] for row in self.rows]


@dataclass(frozen=True)
class Verdict:
    """The verdict on the paper's number or claim: a sentence, and the numbers behind it."""

    holds: bool
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The outcome of an experiment. ``draw`` draws its figure on a matplotlib Figure of ``size`` inches."""

    table: Table
    draw: Callable[["Figure"], None]
    verdict: Verdict
    size: tuple[float, float] = (7.0, 4.5)


@dataclass(frozen=True)
class Experiment:
    """An experiment: one figure or table of a paper.

    ``id`` is its name on the command line (``neto-fig6``), ``paper`` the short name of the source, ``claim`` what the
    paper says, in our words.
    """

    id: str
    title: str
    paper: str
    claim: str
    run: Callable[[Conditions], Outcome]
    takes_data: bool = False


def experiment(
    *,
    id: str,  # noqa: A002 (as the record calls it)
    title: str,
    paper: str,
    claim: str,
    takes_data: bool = False,
) -> Callable[[Callable[[Conditions], Outcome]], Experiment]:
    """Make an experiment of the function below."""
    return lambda run: Experiment(id, title, paper, claim, run, takes_data)
