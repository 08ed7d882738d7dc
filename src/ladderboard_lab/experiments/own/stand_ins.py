"""Which of Neto et al.'s orderings depend on what stands in for their data: correlation, signal, size, real data."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import Evidence, usually_positive
from ladderboard_lab.experiments.drawing import AMBER, GREEN, RED
from ladderboard_lab.experiments.neto.attacks import Campaign, run_freedman, run_step_forward
from ladderboard_lab.experiments.neto.data import ITEMS, StandIn, Study, make_study
from ladderboard_lab.experiments.neto.mechanisms import DISCLOSED, NO_NOISE, boot_panel, ladder_panel
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.problems.regression import RegressionData, standardise_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEPT = (1, 5, 10, 20, 30)
ITERATIONS = (2, 5)
LEVELS = (0.01, 0.15, 0.5)
PERMUTED, SPLITS = "permuted", "splits"
REAL = "diabetes (scikit-learn)"
ORDERINGS = {
    "Fig 2": "full disclosure overfits more than the Ladder, α = .15",
    "Fig 4, steps": "the Ladder overfits more after five iterations than after two, α = .5",
    "Fig 4, α": "the Ladder overfits more with α = .5 than with .01",
    "Fig 6, .01": "LadderBoot (b = 100) overfits less than the Ladder, α = .01",
    "Fig 6, .15": "the same, α = .15",
    "Fig 6, .5": "the same, α = .5",
    "Fig 6, b": "LadderBoot overfits less with b = 10 than with 1000, α = .5",
}
"""What is counted, of those repetitions in which the two differ."""
BOOT_AT_HALF = 5


@dataclass(frozen=True, eq=False)
class _Case:
    """One stand-in, with permuted responses or on random splits."""

    name: str
    responses: str
    study: Study


@experiment(
    id="own-stand-ins",
    title="Neto et al.'s orderings over other data",
    claim="The paper's data is not public, and neither the correlation of its features nor what they explain is "
    "printed. Which of its orderings hold for other correlations, signals and sizes, and on a real data set?",
    takes_data=True,
    stand_in="simulated data of different laws, drawn anew for every repetition, and 442 patients with 64 features",
    controls=(NO_NOISE,),
)
def own_stand_ins(conditions: Conditions) -> ExperimentResult:
    """Seven orderings on every stand-in, or on a file of the user's."""
    cases, repetitions = _list_cases(conditions), conditions.repeat(full=200, quick=24)
    task = partial(_order, control=conditions.control)
    found = np.array(
        conditions.run(task, [case for case in cases for _ in range(repetitions)], title="stand-ins")
    ).reshape(len(cases), repetitions, len(ORDERINGS))
    # Where two boards accepted the same, nothing is said for either.
    counts = [[usually_positive(one) for one in each.T] for each in found]
    noise = [case.responses == PERMUTED for case in cases]
    checks = (
        self_consistent(
            "LadderBoot with b = 100 overfits less than the Ladder at α = .5 on permuted responses, over all stand-ins",
            usually_positive(found[noise, :, BOOT_AT_HALF].ravel()),
        ),
    )
    table = ResultTable(
        ("data", "responses", *ORDERINGS),
        [(case.name, case.responses, *map(_tell, each)) for case, each in zip(cases, counts, strict=True)],
    )
    names = [f"{one.name}, {one.responses}" for one in cases]
    raw = list_repetitions(np.moveaxis(found, 1, 0), "difference", case=names, ordering=[*ORDERINGS])
    shares = {
        f"{name}: {words}": one.successes / max(1, one.trials)
        for name, own in zip(names, counts, strict=True)
        for words, one in zip(ORDERINGS, own, strict=True)
    }
    verdict = Verdict(checks, _summarise(cases, counts), shares)
    return ExperimentResult(table, partial(_draw, cases=cases, counts=counts), verdict, size=(10.0, 7.0), raw=raw)


def _list_cases(conditions: Conditions) -> list[_Case]:
    """The user's data; or the laws, one thing varied at a time, and a real data set."""
    features = conditions.choose(full=300, quick=40)
    if conditions.data is not None:
        studies = {
            way: make_study(conditions, permuted=way == PERMUTED, features=features) for way in (PERMUTED, SPLITS)
        }
        return [_Case(conditions.data.name, way, study) for way, study in studies.items()]
    usual = StandIn()
    # Permuted responses know nothing of what the features explain.
    laws = [(PERMUTED, replace(usual, correlation=value)) for value in (0.0, 0.5, 0.9)]
    laws += [(PERMUTED, replace(usual, items=items)) for items in (ITEMS // 4, ITEMS * 2)]
    laws += [
        (SPLITS, replace(usual, correlation=value, explained=share))
        for value in (0.0, 0.5, 0.9)
        for share in (0, 0.3, 0.6)
    ]
    laws += [(SPLITS, replace(usual, items=items)) for items in (ITEMS // 4, ITEMS * 2)]
    cases = [_Case(_name(law, way), way, Study(law, features, way == PERMUTED)) for way, law in laws]
    real = read_diabetes()
    return cases + [
        _Case(REAL, way, Study(real, real.features.shape[1], way == PERMUTED, conditions.seed))
        for way in (PERMUTED, SPLITS)
    ]


def _name(law: StandIn, responses: str) -> str:
    explained = "" if responses == PERMUTED else f", R² = {law.explained:g}"
    return f"n = {law.items}, ρ = {law.correlation:g}{explained}"


def read_diabetes() -> RegressionData:
    """442 patients; ten features with squares and products, the 64 of Efron et al. 2004; shipped with scikit-learn.

    >>> read_diabetes().features.shape
    (442, 64)
    """
    from sklearn.datasets import load_diabetes

    x, response = load_diabetes(return_X_y=True)
    pairs = [(i, j) for i in range(10) for j in range(i, 10)]
    products = [x[:, i] * x[:, j] for i, j in pairs if (i, j) != (1, 1)]  # the second is binary
    return standardise_data(np.column_stack([x, *products]), response.astype(float))


def _order(case: _Case, seed: np.random.SeedSequence, *, control: str | None) -> FloatArray:
    """The seven differences in ΔMSE of one repetition, positive where the ordering is the paper's."""
    conditions = Conditions(control=control)
    ladders = [ladder_panel(alpha, conditions) for alpha in LEVELS]
    boots = [boot_panel(alpha, 100, conditions) for alpha in LEVELS]
    more = [boot_panel(0.5, b, conditions) for b in (10, 1000)]
    first, second = seed.spawn(2)
    kept = tuple(count for count in KEPT if count <= case.study.available)
    freedman = run_freedman(Campaign(case.study, (DISCLOSED, ladders[1]), kept), first)
    walked = run_step_forward(Campaign(case.study, (*ladders, *boots, *more), ITERATIONS), second)
    disclosed, guarded = (freedman[..., 0] - freedman[..., 1]).mean(axis=1)
    delta = walked[..., 0] - walked[..., 1]
    last = delta[:, -1]
    noise = last[3:6] - last[:3]
    return np.array([guarded - disclosed, delta[2, 0] - last[2], last[0] - last[2], *noise, last[6] - last[7]])


def _tell(one: Evidence) -> Cell:
    return f"{one.decision} ({one})"


def _summarise(cases: list[_Case], counts: list[list[Evidence]]) -> str:
    held = [sum(each[place].decision == "holds" for each in counts) for place in range(len(ORDERINGS))]
    listed = ", ".join(f"{name} {count}" for name, count in zip(ORDERINGS, held, strict=True))
    return f"On so many of {len(cases)} data sets, or laws of them, the ordering holds: {listed}."


COLOURS: dict[str, str] = {"holds": GREEN, "not decided": AMBER, "does not hold": RED}


def _draw(figure: "Figure", *, cases: list[_Case], counts: list[list[Evidence]]) -> None:
    from textwrap import fill

    axes = figure.subplots()
    for row, each in enumerate(counts):
        for column, one in enumerate(each):
            axes.plot(column, row, "s", color=COLOURS[one.decision], markersize=13, alpha=0.5)
            axes.text(
                column, row, f"{one.successes / max(1, one.trials):.2f}".lstrip("0"), ha="center", va="center", size=7
            )
    axes.set_yticks(range(len(cases)), [f"{one.name}, {one.responses}" for one in cases])
    axes.set_xticks(range(len(ORDERINGS)), [fill(words, 18) for words in ORDERINGS.values()], size=7)
    axes.set(ylim=(len(cases) - 0.5, -0.5), xlim=(-0.5, len(ORDERINGS) - 0.5))
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
