"""The step-forward attack on the AD data in Neto et al.: Fig. 4 and S2 (Ladder), Fig. 6 and S3–S5 (LadderBoot)."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from ladderboard_lab.experiments.base import Conditions, ExperimentResult, Verdict, check_claim, experiment
from ladderboard_lab.experiments.deciding import usually, usually_positive
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN, PURPLE
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import make_study
from ladderboard_lab.experiments.neto.measured import PUBLIC, RELEASED, Measured, draw_grid
from ladderboard_lab.experiments.neto.mechanisms import (
    ALPHAS,
    NO_NOISE,
    NOT_ON_STAND_IN,
    PAPER,
    RANDOM_FEATURES,
    REPLICATES,
    SMALL_DIFFERENCE,
    STAND_IN,
    Panel,
    grid_panels,
    ladder_panel,
)
from ladderboard_lab.participant import FloatArray

ITERATIONS = (2, 3, 4, 5)
LAST = ITERATIONS[-1]
COLOURS = (AMBER, GREEN, BLUE, PURPLE)


@experiment(
    id="neto-fig4",
    title="Overfitting of the Ladder by iterations of the step-forward attack, permuted responses",
    paper=PAPER,
    claim="The overfitting increases with the iterations (2 to 5), and considerably with α. (100 permutations, 300 "
    "features.)",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def fig4(conditions: Conditions) -> ExperimentResult:
    """ΔMSE after 2 to 5 iterations at three levels."""
    found = _measure_ladder(conditions, permuted=True)
    return _ladder_outcome(found)


@experiment(
    id="neto-s2",
    title="Overfitting of the Ladder by iterations of the step-forward attack, random splits",
    paper=PAPER,
    claim="Random splits give similar results: more overfitting with more iterations and larger α.",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def s2(conditions: Conditions) -> ExperimentResult:
    """The same on random splits."""
    found = _measure_ladder(conditions, permuted=False)
    return _ladder_outcome(found, caveat=SMALL_DIFFERENCE)


@experiment(
    id="neto-fig6",
    title="ΔMSE of Ladder and LadderBoot under the step-forward attack, permuted responses",
    paper=PAPER,
    claim="LadderBoot outperforms the Ladder for every α and b. For larger b it can be overfitted too, especially at "
    "large α. (100 permutations, 300 features; the number of iterations is not printed, ours are Fig. 4's.)",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE, RANDOM_FEATURES),
)
def fig6(conditions: Conditions) -> ExperimentResult:
    """ΔMSE of the twelve mechanisms."""
    found = _measure_grid(conditions, permuted=True)
    ladder, boot = _delta(found)
    each = _by_level(found.delta)
    checks = (
        check_claim(
            "LadderBoot overfits less than the Ladder for every b at α = .15 and .5",
            [usually(each[:, level, b] > each[:, level, 0]) for level in (1, 2) for b in (1, 2, 3)],
        ),
        check_claim(
            "LadderBoot overfits more with b = 1000 than with b = 10 (mean over α)",
            usually(each[:, :, 1].mean(axis=1) < each[:, :, 3].mean(axis=1)),
        ),
        check_claim("the Ladder overfits at α = .5", usually(each[:, 2, 0] < 0)),
        check_claim(
            "where they differ, LadderBoot overfits less than the Ladder at α = .01 too (mean over b)",
            usually_positive(each[:, 0, 1:].mean(axis=1) - each[:, 0, 0]),
            caveat=SMALL_DIFFERENCE,
        ),
    )
    return _grid_outcome(found, Verdict(checks, _delta_sentence(ladder, boot), found.numbers(LAST)), part=None)


@experiment(
    id="neto-s3",
    title="ΔMSE of Ladder and LadderBoot under the step-forward attack, random splits",
    paper=PAPER,
    claim="Random splits give similar results: LadderBoot outperforms the Ladder.",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE,),
)
def s3(conditions: Conditions) -> ExperimentResult:
    """The same on random splits."""
    found = _measure_grid(conditions, permuted=False)
    ladder, boot = _delta(found)
    each = _by_level(found.delta)
    checks = (
        check_claim(
            "LadderBoot with b = 1000, 100 and 10 overfits less than the Ladder (mean over α = .15 and .5)",
            [usually(each[:, 1:, b].mean(axis=1) > each[:, 1:, 0].mean(axis=1)) for b in (1, 2, 3)],
        ),
        check_claim(
            "where they differ, LadderBoot overfits less than the Ladder at α = .01 too (mean over b)",
            usually_positive(each[:, 0, 1:].mean(axis=1) - each[:, 0, 0]),
        ),
    )
    return _grid_outcome(found, Verdict(checks, _delta_sentence(ladder, boot), found.numbers(LAST)), part=None)


@experiment(
    id="neto-s4",
    title="MSE released by Ladder and LadderBoot under the step-forward attack, permuted responses",
    paper=PAPER,
    claim="MSE values close to 1 indicate little overfitting: what LadderBoot releases is closer to 1.",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE, RANDOM_FEATURES),
)
def s4(conditions: Conditions) -> ExperimentResult:
    """What the board releases at the end of an iteration, same runs as Fig. 6."""
    found = _measure_grid(conditions, permuted=True)
    ladder, boot = _released(found)
    checks = tuple(
        check_claim(
            f"the {words} is closer to 1 under LadderBoot at α = .15 and .5 (mean over b)",
            [usually(np.abs(away[:, level, 1:] - 1).mean(axis=1) < np.abs(away[:, level, 0] - 1)) for level in (1, 2)],
        )
        for words, away in _readings(found)
    )
    verdict = Verdict(checks, _released_sentence(ladder, boot), _released_numbers(found))
    return _grid_outcome(found, verdict, part=RELEASED)


@experiment(
    id="neto-s5",
    title="MSE released by Ladder and LadderBoot under the step-forward attack, random splits",
    paper=PAPER,
    claim="In all cases the MSE is larger under LadderBoot. Its spread tended to exceed the Ladder's for larger b, and "
    "grew as b went from 10 to 1000: the noise did not hide the features in some repetitions.",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE,),
)
def s5(conditions: Conditions) -> ExperimentResult:
    """What the board releases at the end of an iteration, same runs as S3."""
    found = _measure_grid(conditions, permuted=False)
    ladder, boot = _released(found)
    readings = _readings(found)
    spread = readings[0][1].std(axis=0, ddof=1).mean(axis=0)
    away = np.abs(readings[0][1] - np.median(readings[0][1], axis=0)).mean(axis=1)
    checks = (
        *(
            check_claim(
                f"the {words} is larger under LadderBoot at α = .15 and .5 (mean over b)",
                [usually(each[:, level, 1:].mean(axis=1) > each[:, level, 0]) for level in (1, 2)],
            )
            for words, each in readings
        ),
        *(
            check_claim(
                f"the {words} is larger under LadderBoot in all nine cases",
                [usually(each[:, level, b] > each[:, level, 0]) for level in (0, 1, 2) for b in (1, 2, 3)],
                caveat=NOT_ON_STAND_IN,
            )
            for words, each in readings
        ),
        check_claim(
            "the released MSE varies more with b = 1000 than with b = 10 (distance to the median, mean over α)",
            usually(away[:, 1] > away[:, 3]),
            caveat=NOT_ON_STAND_IN,
        ),
    )
    sentence = (
        f"{_released_sentence(ladder, boot)} The standard deviation of the released MSE over repetitions is "
        f"{spread[0]:.3f} for the Ladder and {_join(spread[1:].tolist())} for LadderBoot with b = 1000/100/10 (mean "
        "over α)."
    )
    return _grid_outcome(found, Verdict(checks, sentence, _released_numbers(found)), part=RELEASED)


def _measure_ladder(conditions: Conditions, *, permuted: bool) -> Measured:
    panels = tuple(ladder_panel(alpha, conditions) for alpha in ALPHAS)
    return _run(conditions, panels, permuted=permuted, features=300, repetitions=conditions.repeat(full=150, quick=150))


@cache
def _measure_grid(conditions: Conditions, *, permuted: bool) -> Measured:
    features = conditions.choose(full=300, quick=100)
    repetitions = conditions.repeat(full=200, quick=150)
    panels = tuple(grid_panels(conditions))
    return _run(conditions, panels, permuted=permuted, features=features, repetitions=repetitions)


def _run(
    conditions: Conditions, panels: tuple[Panel, ...], *, permuted: bool, features: int, repetitions: int
) -> Measured:
    study = make_study(conditions, permuted=permuted, features=features)
    campaign = Campaign(study, panels, ITERATIONS, is_random=conditions.control == RANDOM_FEATURES)
    found = conditions.run(run_step_forward, [campaign] * repetitions, title="step-forward attack")
    return Measured(panels, "iterations", ITERATIONS, np.array(found))


def _ladder_outcome(found: Measured, *, caveat: str = "") -> ExperimentResult:
    medians, first, last = np.median(found.delta, axis=0), found.delta[:, :, 0], found.delta[:, :, -1]
    checks = (
        check_claim(
            "ΔMSE is lower after 5 iterations than after 2 at α = .15 and .5",
            [usually(last[:, level] < first[:, level]) for level in (1, 2)],
        ),
        check_claim(
            "after 5 iterations the overfitting is smaller with α = .01 than with .5", usually(last[:, 0] > last[:, 2])
        ),
        check_claim(
            "after 5 iterations it is smaller with α = .01 than with .15, and with .15 than with .5",
            [usually(last[:, level] > last[:, level + 1]) for level in (0, 1)],
            caveat=caveat,
        ),
    )
    sentence = (
        f"Median ΔMSE for α = .01/.15/.5: {_join(medians[:, 0].tolist())} after 2 iterations, "
        f"{_join(medians[:, -1].tolist())} after 5."
    )
    return ExperimentResult(
        found.table(),
        lambda figure: draw_grid(figure, found, part=None, label="ΔMSE", colours=COLOURS),
        Verdict(checks, sentence, found.numbers(LAST)),
        size=(4.5, 7.0),
        raw=found.raw(),
    )


def _grid_outcome(found: Measured, verdict: Verdict, *, part: int | None) -> ExperimentResult:
    label = "ΔMSE" if part is None else "released MSE"
    return ExperimentResult(
        found.table(),
        lambda figure: draw_grid(figure, found, part=part, label=label, colours=COLOURS),
        verdict,
        size=(9.5, 7.0),
        raw=found.raw(),
    )


def _by_level(values: FloatArray) -> FloatArray:
    """What was measured after the last iteration: repetitions × α × (Ladder, then LadderBoot by b)."""
    return np.asarray(values[:, :, -1].reshape(len(values), len(ALPHAS), -1))


def _readings(found: Measured) -> list[tuple[str, FloatArray]]:
    """What S4 and S5 may show: captions say the released scores, the text says the public MSE scores."""
    parts = {"released MSE": RELEASED, "public MSE of the attacker's regression": PUBLIC}
    return [(words, _by_level(found.losses[..., part])) for words, part in parts.items()]


def _delta(found: Measured) -> tuple[dict[float, float], dict[tuple[float, int], float]]:
    """Median ΔMSE after the last iteration: of the Ladder by α, of LadderBoot by α and b."""
    return _medians(found, None)


def _released(found: Measured) -> tuple[dict[float, float], dict[tuple[float, int], float]]:
    return _medians(found, RELEASED)


def _medians(found: Measured, part: int | None) -> tuple[dict[float, float], dict[tuple[float, int], float]]:
    ladder = {alpha: found.median(found.find(alpha), LAST, part) for alpha in ALPHAS}
    boot = {(alpha, b): found.median(found.find(alpha, b), LAST, part) for alpha in ALPHAS for b in REPLICATES}
    return ladder, boot


def _released_numbers(found: Measured) -> dict[str, float]:
    return {panel.title: median_of(found.at(index, LAST, RELEASED)) for index, panel in enumerate(found.panels)}


def _delta_sentence(ladder: dict[float, float], boot: dict[tuple[float, int], float]) -> str:
    return f"Median ΔMSE after 5 iterations, α = .01/.15/.5: {_both(ladder, boot)}."


def _released_sentence(ladder: dict[float, float], boot: dict[tuple[float, int], float]) -> str:
    return f"Median released MSE after 5 iterations, α = .01/.15/.5: {_both(ladder, boot)}."


def _both(ladder: dict[float, float], boot: dict[tuple[float, int], float]) -> str:
    noisy = "; ".join(f"b = {b} {_join([boot[alpha, b] for alpha in ALPHAS])}" for b in REPLICATES)
    return f"Ladder {_join(list(ladder.values()))}; LadderBoot {noisy}"


def _join(values: Sequence[float]) -> str:
    return "/".join(f"{value:.3f}" for value in values)
