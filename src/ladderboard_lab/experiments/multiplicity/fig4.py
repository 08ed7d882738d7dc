"""The Multiplicity paper's Figure 4: failures of classifiers that resemble each other, and how alike real ones are."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Outcome, Table, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import RealBoard, real_boards
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACY,
    CLASSIFIERS,
    CORRELATION,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
)
from ladderboard_lab.participant import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMILARITY, SIMILAR_ACCURACY = 0.85, 0.756
"""What the paper takes from Mania et al. 2019: two ImageNet models are right or wrong together on 85 % of items."""
SD_INDEPENDENT = float(np.sqrt(TEST_SIZE * ACCURACY * (1 - ACCURACY)))
BROKEN, REPAIRED = (1 - ACCURACY) * (1 - CORRELATION), ACCURACY * (1 - CORRELATION)
"""p(1→0) = .04 and p(0→1) = .36: how often a classifier of the reference's accuracy departs from it."""
SD_DEPENDENT = float(
    np.sqrt(TEST_SIZE * (ACCURACY * BROKEN * (1 - BROKEN) + (1 - ACCURACY) * REPAIRED * (1 - REPAIRED)))
)


@experiment(
    id="multiplicity-fig4",
    title="Figure 4: failures of 1000 classifiers that resemble each other",
    paper=PAPER,
    claim="Classifiers tend to be right and wrong on the same items; the paper models it by a correlation of .6 with a "
    "reference classifier.",
)
def multiplicity_fig4(conditions: Conditions) -> Outcome:
    """One simulated board of each kind, and the correlations of real classifiers."""
    rng = np.random.default_rng([conditions.seed, 8])
    independent = rng.binomial(TEST_SIZE, 1 - ACCURACY, CLASSIFIERS)
    dependent = _dependent_failures(rng)
    board = max(real_boards(conditions), key=lambda one: len(one.labels))
    correlations = _pair_correlations(board)
    alike = lb.sota(CLASSIFIERS, TEST_SIZE, SIMILAR_ACCURACY, similarity=SIMILARITY)
    expected: Expected = {
        "ρ of two at similarity .85": (_correlation(SIMILARITY, SIMILAR_ACCURACY), 0.593, 3),
        "ρ₀ = √ρ": (float(np.sqrt(_correlation(SIMILARITY, SIMILAR_ACCURACY))), 0.77, 2),
    }
    words = (
        f"On one board 1000 classifiers with correlation .6 to a fixed reference have {dependent.mean():.1f} failures "
        f"(sd {dependent.std(ddof=1):.1f}, expected 300 and {SD_DEPENDENT:.1f}), independent ones "
        f"{independent.mean():.1f} (sd {independent.std(ddof=1):.1f}, expected {SD_INDEPENDENT:.1f}). Similarity .85 "
        f"at accuracy .756 means a correlation of {expected['ρ of two at similarity .85'][0]:.3f} (the printed .36 is "
        f"a slip), and independence given a reference needs ρ₀ = {expected['ρ₀ = √ρ'][0]:.2f}. Real classifiers "
        f"({board.name}): mean correlation of two {correlations.mean():.3f}. (Which histograms the figure has is taken "
        f"from the authors' scripts; its printed form could not be checked.)"
    )
    verdict = agreement(expected, words, also=_is_as_expected(dependent, independent) and _is_same(alike))
    table = Table(
        ("classifier", "independent_failures", "dependent_failures"),
        [(j, int(a), int(b)) for j, (a, b) in enumerate(zip(independent, dependent, strict=True), 1)],
    )
    draw = partial(_draw, failures=(independent, dependent), correlations=correlations, name=board.name)
    return Outcome(table, draw, verdict, size=(9.0, 3.8))


def _dependent_failures(rng: np.random.Generator) -> IntArray:
    """Failures of classifiers that each flip answers of one reference with exactly 2700 right."""
    right = round(ACCURACY * TEST_SIZE)
    wrong = rng.binomial(right, BROKEN, CLASSIFIERS) + rng.binomial(TEST_SIZE - right, 1 - REPAIRED, CLASSIFIERS)
    return np.asarray(wrong, dtype=np.intp)


def _correlation(similarity: float, accuracy: float) -> float:
    """ρ from similarity = p² + (1−p)² + 2ρp(1−p)."""
    return (similarity - accuracy**2 - (1 - accuracy) ** 2) / (2 * accuracy * (1 - accuracy))


def _is_same(alike: "lb.BestScore") -> bool:
    """Whether the analysis that ships turns the similarity into the same distribution as ρ₀ = √ρ given outright."""
    reference = float(np.sqrt(_correlation(SIMILARITY, SIMILAR_ACCURACY)))
    outright = lb.sota(CLASSIFIERS, TEST_SIZE, SIMILAR_ACCURACY, correlation=reference)
    return abs(alike.mean - outright.mean) < 1e-9


def _is_as_expected(dependent: IntArray, independent: IntArray) -> bool:
    """Means within 4 standard errors and sds within 4 of theirs: a correct simulation fails once in 4000 seeds."""
    pairs = ((dependent, SD_DEPENDENT), (independent, SD_INDEPENDENT))
    means = all(abs(own.mean() - 300) <= 4 * sd / np.sqrt(CLASSIFIERS) for own, sd in pairs)
    return means and all(abs(own.std(ddof=1) - sd) <= 4 * sd / np.sqrt(2 * CLASSIFIERS) for own, sd in pairs)


def _pair_correlations(board: RealBoard) -> FloatArray:
    """The correlation of right answers of every pair of submissions."""
    right = (board.predictions == board.labels[:, None]).astype(np.float32)
    matrix = np.corrcoef(right, rowvar=False)
    return np.asarray(matrix[np.triu_indices_from(matrix, k=1)], dtype=np.float64)


def _draw(figure: "Figure", *, failures: tuple[IntArray, IntArray], correlations: FloatArray, name: str) -> None:
    left, right = figure.subplots(1, 2)
    bins = np.arange(240, 366, 6).tolist()
    left.hist(failures[0], bins, color=MUTED, alpha=0.55, label="independent")
    left.hist(failures[1], bins, color=BLUE, alpha=0.55, label="ρ₀ = .6 with a fixed reference")
    left.set(xlabel="failures of a classifier", ylabel="classifiers", ylim=(0, 235))
    left.legend(loc="upper left")
    title_left(left, "one board of 1000 classifiers")
    right.hist(correlations, 30, color=BLUE, alpha=0.7)
    right.axvline(_correlation(SIMILARITY, SIMILAR_ACCURACY), color=RED, linewidth=1.2)
    right.set_ylim(0, 1.18 * right.get_ylim()[1])
    top = (_correlation(SIMILARITY, SIMILAR_ACCURACY), 0.96 * right.get_ylim()[1])
    right.annotate(
        "similarity .85 at .756", top, xytext=(-5, 0), textcoords="offset points", size=8, color=RED, ha="right"
    )
    right.set(xlabel="correlation of two classifiers", ylabel="pairs")
    title_left(right, name)
