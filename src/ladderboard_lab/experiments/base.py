"""The base types of experiments: conditions, tables, checks, verdicts and outcomes.

To write one: a function from `Conditions` to an `ExperimentResult` under `@experiment`, which names it, and one line in
`EXPERIMENTS` (`experiments/__init__.py`), or an entry point of the group ``ladderboard.experiments``.

    conditions → run → ExperimentResult(table, draw, verdict) → writing → CSV, SVG, PNG, PDF, JSON → report
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from ladderboard_lab.experiments.deciding import MOST_PARTS, Decision, Evidence, decide_all
from ladderboard_lab.participant import Array
from ladderboard_lab.run import run_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | bool | None
Choice = TypeVar("Choice")
Task = TypeVar("Task")
Result = TypeVar("Result")

CheckKind = Literal["printed number", "printed claim", "self-consistency"]
"""What a check compares with: a number in the source, an ordering or statement in it, or a fact that follows from the
definitions, whoever measures it."""


@dataclass(frozen=True)
class Conditions:
    """The conditions of an experiment.

    ``quick`` asks for a reduced size whose verdict still means something; ``repetitions`` overrides the number of
    repetitions of either size. ``workers`` and ``cluster`` change the time it takes, never the result. ``data`` and
    ``target`` are a user's CSV file and its response column, for the experiments that take one
    (`Experiment.takes_data`). ``shared`` is a folder with published data of the papers, looked for beside the checkout
    where it is not given (`shared_data`); where it is missing experiments do without. ``control`` names one of the
    experiment's negative controls: something essential is replaced, and the verdict must fail.
    """

    seed: int = 0
    quick: bool = False
    workers: int = 1
    cluster: str | None = None
    data: Path | None = None
    target: str | None = None
    quiet: bool = True
    shared: Path | None = None
    repetitions: int | None = None
    control: str | None = None

    def choose(self, *, full: Choice, quick: Choice) -> Choice:
        """Choose the full or the quick size.

        >>> Conditions(quick=True).choose(full=100, quick=20)
        20
        """
        return quick if self.quick else full

    def repeat(self, *, full: int, quick: int) -> int:
        """The number of repetitions: the one asked for, else the full or the quick one.

        >>> Conditions(repetitions=7).repeat(full=1000, quick=20)
        7
        """
        return self.choose(full=full, quick=quick) if self.repetitions is None else self.repetitions

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
class ResultTable:
    """A table of measurements: named columns, one row per measurement.

    >>> ResultTable(("alpha", "overfit"), [(0.01, -0.011), (0.15, -0.076)]).column("overfit")
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


def list_repetitions(values: Array, measured: str, **axes: Sequence[Cell]) -> ResultTable:
    """Every single value: the first axis are repetitions, the others are named, with a label for each place.

    >>> list_repetitions(np.array([[0.5, 0.4]]), "loss", submissions=(100, 200)).rows
    [(0, 100, 0.5), (0, 200, 0.4)]
    """
    places: list[tuple[Cell, ...]] = list(itertools.product(range(len(values)), *axes.values()))
    rows = [(*place, float(value)) for place, value in zip(places, np.ravel(values), strict=True)]
    return ResultTable(("repetition", *axes, measured), rows)


@dataclass(frozen=True)
class Check:
    """One thing that is compared. ``statement`` says what, in the same words in every run; ``decision`` the result.

    ``evidence`` are the tests that decided (`deciding`); none where the thing is computed exactly. ``caveat`` says why
    a check does not count for the verdict: "not reproduced on our stand-in", "needs full size".
    """

    kind: CheckKind
    statement: str
    decision: Decision
    evidence: tuple[Evidence, ...] = ()
    caveat: str = ""

    @property
    def holds(self) -> bool:
        return self.decision == "holds"

    @property
    def counts(self) -> bool:
        """Whether the verdict depends on it."""
        return not self.caveat


@dataclass(frozen=True)
class Verdict:
    """The checks of an experiment, a sentence on what was found, and the numbers behind it."""

    checks: tuple[Check, ...]
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.checks:
            raise ValueError("a verdict needs at least one check")
        parts = sum(len(check.evidence) for check in self.checks if check.counts)
        if parts > MOST_PARTS:
            raise ValueError(f"a verdict of {parts} tests exceeds its level; at most {MOST_PARTS} are allowed")

    @property
    def holds(self) -> bool:
        """Whether every check that counts holds."""
        return self.decision == "holds"

    @property
    def decision(self) -> Decision:
        """It holds if every check that counts does, and does not if one does not; without any it is not decided."""
        decisions = {check.decision for check in self.checks if check.counts}
        if "does not hold" in decisions:
            return "does not hold"
        return "holds" if decisions == {"holds"} else "not decided"


def check_number(statement: str, found: object, *, caveat: str = "") -> Check:
    """Compare with a number in the source. ``found``: evidence, several of it, or a truth value."""
    return _check("printed number", statement, found, caveat)


def check_claim(statement: str, found: object, *, caveat: str = "") -> Check:
    """Compare with an ordering or a statement in the source."""
    return _check("printed claim", statement, found, caveat)


def self_consistent(statement: str, found: object, *, caveat: str = "") -> Check:
    """Compare with a fact that follows from the definitions."""
    return _check("self-consistency", statement, found, caveat)


def _check(kind: CheckKind, statement: str, found: object, caveat: str) -> Check:
    evidence = (found,) if isinstance(found, Evidence) else found
    if isinstance(evidence, tuple | list):
        if not evidence or not all(isinstance(one, Evidence) for one in evidence):
            raise ValueError(f"{statement}: a check needs evidence, or one truth value")
        return Check(kind, statement, decide_all(evidence), tuple(evidence), caveat)
    return Check(kind, statement, "holds" if found else "does not hold", (), caveat)


@dataclass(frozen=True)
class ExperimentResult:
    """The outcome of an experiment.

    ``draw`` draws its figure on a matplotlib Figure of ``size`` inches. ``raw`` has the values of single repetitions,
    where there are any.
    """

    table: ResultTable
    draw: Callable[["Figure"], None]
    verdict: Verdict
    size: tuple[float, float] = (7.0, 4.5)
    raw: ResultTable | None = None


@dataclass(frozen=True)
class Experiment:
    """An experiment: one figure, table or statement of a source, or a question of our own.

    ``id`` is its name on the command line (``neto-fig6`` is Figure 6 of Neto et al.; our own begin with ``own-``).
    ``paper`` is the short name of the source, None for our own. ``claim`` is what the source says, in our words, or the
    question. ``stand_in`` says what takes the place of data that cannot be had. ``controls`` are its negative controls.
    ``place`` is ``file.py:name`` where it was loaded from a file.
    """

    id: str
    title: str
    paper: str | None
    claim: str
    run: Callable[[Conditions], ExperimentResult]
    takes_data: bool = False
    stand_in: str = ""
    controls: tuple[str, ...] = ()
    place: str = ""

    def __post_init__(self) -> None:
        if (self.paper is None) != self.id.startswith("own-"):
            raise ValueError(f"{self.id}: experiments without a source, and only those, begin with own-")


def experiment(
    *,
    id: str,  # noqa: A002 (as the record calls it)
    title: str,
    claim: str,
    controls: Sequence[str],
    paper: str | None = None,
    takes_data: bool = False,
    stand_in: str = "",
) -> Callable[[Callable[[Conditions], ExperimentResult]], Experiment]:
    """Make an experiment of the function below."""
    return lambda run: Experiment(id, title, paper, claim, run, takes_data, stand_in, tuple(controls))
