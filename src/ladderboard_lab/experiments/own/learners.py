"""Freedman's attack with other learners in the place of its final regression."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.freedman import Learner, best_released, fit_learner, fits_for
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
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, RED
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import both_losses
from ladderboard_lab.experiments.neto.data import Study, make_study
from ladderboard_lab.experiments.neto.mechanisms import DISCLOSED, RANDOM_FEATURES, STAND_IN
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEARNERS: tuple[Learner, ...] = ("regression", "lasso", "knn", "random_forest")
KEPT = 10


@dataclass(frozen=True, eq=False)
class _Task:
    study: Study
    is_random: bool


@experiment(
    id="own-learners",
    title="Freedman's attack with a lasso, nearest neighbours and a random forest",
    claim="The discussion of Neto et al. expects the overfit to depend on the learner that combines the features. By "
    "how much, under full disclosure and under the Ladder?",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def own_learners(conditions: Conditions) -> ExperimentResult:
    """Ten features kept, permuted responses: ΔMSE by learner."""
    study = make_study(conditions, permuted=True, features=conditions.choose(full=300, quick=150))
    task = _Task(study, conditions.control == RANDOM_FEATURES)
    found = np.array(conditions.run(_attack, [task] * conditions.repeat(full=100, quick=110), title="learners"))
    medians = np.median(found, axis=0)
    checks = (
        self_consistent(
            "under full disclosure regression and lasso overfit", [usually(found[:, 0, one] < 0) for one in (0, 1)]
        ),
        self_consistent(
            "under the Ladder every learner overfits less than regression under full disclosure",
            [usually(found[:, 1, one] > found[:, 0, 0]) for one in range(len(LEARNERS))],
        ),
    )
    listed = [", ".join(f"{name} {value:.3f}" for name, value in zip(LEARNERS, row, strict=True)) for row in medians]
    sentence = (
        f"Median ΔMSE with {KEPT} features kept: under full disclosure {listed[0]}; under the Ladder (α = .15) "
        f"{listed[1]}."
    )
    rows: list[tuple[Cell, ...]] = [
        (mechanism, learner, float(medians[row, column]), len(found))
        for row, mechanism in enumerate(("full disclosure", "Ladder"))
        for column, learner in enumerate(LEARNERS)
    ]

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for row, (name, colour) in enumerate((("full disclosure", RED), ("Ladder, α = .15", BLUE))):
            axes.bar(np.arange(4) + 0.4 * (row - 0.5), medians[row], width=0.38, color=colour, label=name)
        axes.set_xticks(range(4), LEARNERS)
        axes.set_ylabel("median ΔMSE")
        axes.legend()

    numbers = {f"full disclosure, {name}": median_of(found[:, 0, one]) for one, name in enumerate(LEARNERS)}
    table = ResultTable(("mechanism", "learner", "median_delta", "repetitions"), rows)
    raw = list_repetitions(found, "delta", mechanism=("full disclosure", "Ladder"), learner=LEARNERS)
    return ExperimentResult(table, draw, Verdict(checks, sentence, numbers), size=(6.5, 3.8), raw=raw)


def _attack(task: _Task, seed: np.random.SeedSequence) -> FloatArray:
    """Mechanisms × learners: ΔMSE."""
    rng = np.random.default_rng(seed)
    problem = task.study.repetition(rng).problem()
    board_seed = int(rng.integers(2**62))
    rows = []
    for mechanism in (DISCLOSED.mechanism, lb.SignificanceLadder(0.15)):
        fits = fits_for(problem.briefing)
        participant = problem.open_board(mechanism, seed=board_seed)
        order = best_released(participant, fits, budget=len(fits.candidates))
        order = rng.permutation(order) if task.is_random else order
        fits.choose(*order[:KEPT])
        predictions = [fits.predictions] + [
            fit_learner(learner, problem.briefing, order[:KEPT], seed=0) for learner in LEARNERS[1:]
        ]
        rows.append([np.subtract(*both_losses(problem, given)) for given in predictions])
    return np.array(rows)
