"""The slides' paired t-tests of ranks 2 to 10 against the top submission."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Check,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    check_number,
    experiment,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import Played, RealBoard, play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_pairs
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMPARISONS = 9
LEVEL = 0.05
PAPER_BOARD = "Photo Quality, published p-values"
PAPER_P_VALUES = (0.536, 0.886, 0.0065, 0.0115, 0.0142, 0.0667, 0.0048, 0.0025, 0.1037)
"""Ranks 2 to 10 against rank 1, paired t-tests on the 8400 private items (csvs/top10pvals.csv of Ladder.jl, MIT)."""

SHIFTED = "p-values divided by ten"
SHUFFLED = "the Ladder's scores in random order"


@dataclass(frozen=True, eq=False)
class _Tests:
    """Two-sided p-values of ranks 2 to 10 against rank 1; ``exact`` by McNemar where the losses are known.

    ``exchanged`` counts, for each split, pairs of the top ten whose order the Ladder changes, and those whose order the
    private items change, where the losses are known; ``differing`` the decisions that differ between the two tests.
    """

    board: str
    p_values: FloatArray
    exact: FloatArray | None = None
    exchanged: tuple[tuple[int, int], ...] = ()
    differing: tuple[int, ...] = ()

    @property
    def corrected(self) -> FloatArray:
        """Bonferroni over nine comparisons, at most 1 (the published file goes up to 8)."""
        return np.minimum(1.0, COMPARISONS * self.p_values)


@experiment(
    id="slides-ttest",
    title="Paired t-tests of ranks 2 to 10 against the top submission",
    paper="Slides",
    claim="Paired t-tests between the top submission and ranks 2 to 10 show that the perturbations are within normal "
    "fluctuation, below the level of statistical significance.",
    stand_in="the published p-values with `--shared`; the same tests on 120 scikit-learn models of 30 teams",
    controls=(SHIFTED, SHUFFLED),
)
def slides_ttest(conditions: Conditions) -> ExperimentResult:
    """The published p-values where they are at hand, and the same tests on real submissions."""
    rng = np.random.default_rng([conditions.seed, 5])
    splits = conditions.repeat(full=60, quick=60)
    tests = [_tests(board, splits, conditions.control, rng) for board in real_boards(conditions)]
    published = _read_published(conditions)
    if published is not None:
        tests.insert(0, _Tests(PAPER_BOARD, published / (10 if conditions.control == SHIFTED else 1)))
    draw = partial(_draw, tests=[tests[0], tests[-1]])
    return ExperimentResult(_table(tests), draw, _verdict(tests), size=(9.0, 3.9), raw=_raw(tests))


def _read_published(conditions: Conditions) -> FloatArray | None:
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is None:
        return None
    return np.array([p for rank, p in read_pairs(folder / "top10pvals.csv") if rank > 1])


def _tests(board: RealBoard, splits: int, control: str | None, rng: np.random.Generator) -> _Tests:
    """One split's p-values, and the exchanged pairs of all splits."""
    found = [_test_split(play(board, rng), control, rng) for _ in range(splits)]
    exchanged = tuple(pair for one in found for pair in one.exchanged)
    return replace(found[0], exchanged=exchanged, differing=tuple(_differing(one) for one in found))


def _test_split(played: Played, control: str | None, rng: np.random.Generator) -> _Tests:
    """The leaders of the ten best public scores, compared on the private items."""
    order = np.argsort(played.public["Kaggle"], kind="stable")[: COMPARISONS + 1]
    losses = played.losses[:, order]
    by_t, exact = (lb.compare_systems(losses, reference=0, test=test) for test in ("t", "mcnemar"))
    ladder = played.public["Ladder"][order]
    ladder = rng.permutation(ladder) if control == SHUFFLED else ladder
    exchanged = ((_count_exchanged(ladder), _count_exchanged(played.private["Kaggle"][order])),)
    divisor = 10 if control == SHIFTED else 1
    p_values = np.array([one.p_value for one in by_t]) / divisor
    return _Tests(played.board.name, p_values, np.array([one.p_value for one in exact]), exchanged)


def _count_exchanged(scores: FloatArray) -> int:
    """Pairs whose order differs from the given one."""
    return sum(int(np.count_nonzero(scores[i] > scores[i + 1 :])) for i in range(len(scores)))


def _table(tests: list[_Tests]) -> ResultTable:
    return ResultTable(
        ("board", "rank", "p_value", "bonferroni", "exact_mcnemar"),
        [
            (one.board, rank, float(p), float(c), None if one.exact is None else float(one.exact[rank - 2]))
            for one in tests
            for rank, (p, c) in enumerate(zip(one.p_values, one.corrected, strict=True), 2)
        ],
    )


def _raw(tests: list[_Tests]) -> ResultTable:
    return ResultTable(
        ("repetition", "board", "pairs_exchanged_by_the_ladder", "pairs_exchanged_by_private_items"),
        [(split, one.board, *pair) for one in tests for split, pair in enumerate(one.exchanged)],
    )


def _verdict(tests: list[_Tests]) -> Verdict:
    played = [one for one in tests if one.exact is not None]
    ladder, private = np.sum([one.exchanged for one in played], axis=0).T
    checks = [
        check_claim(
            "the Ladder's perturbations are within normal fluctuation: fewer pairs of the top tens change places than "
            "between public and private items, all boards together",
            usually(ladder < private),
        ),
        self_consistent(
            "on played boards the t-test and the exact test decide alike at .05 on at least 8 of 9 ranks",
            [usually(np.array(one.differing) <= 1) for one in played],
        ),
    ]
    words = [_words(one) for one in tests]
    if tests[0].exact is None:
        checks.append(_check_published(tests[0]))
    sentence = (
        f"Of ranks 2 to 10 so many differ from rank 1, at .05 and after Bonferroni: {' '.join(words)} The Ladder "
        f"exchanges {ladder.sum()} pairs of the top tens played here, a look at the private items {private.sum()}."
    )
    numbers = {f"{one.board}, rank {rank}": float(p) for one in tests for rank, p in enumerate(one.p_values, 2)}
    return Verdict(tuple(checks), sentence, numbers)


def _differing(one: _Tests) -> int:
    """How many of the nine decisions at .05 differ between the t-test and the exact test."""
    assert one.exact is not None
    return int(np.count_nonzero((one.p_values < LEVEL) != (one.exact < LEVEL)))


def _check_published(paper: _Tests) -> Check:
    is_same = np.allclose(paper.p_values, PAPER_P_VALUES, rtol=0.02)
    return check_number(
        "the published p-values: 5 of 9 below .05, 2 after Bonferroni (ranks 8 and 9)",
        is_same and (_count(paper.p_values), _count(paper.corrected)) == (5, 2),
    )


def _words(one: _Tests) -> str:
    return f"{one.board} {_count(one.p_values)} and {_count(one.corrected)}."


def _count(p_values: FloatArray) -> int:
    return int(np.count_nonzero(p_values < LEVEL))


def _draw(figure: "Figure", *, tests: list[_Tests]) -> None:
    panels = figure.subplots(1, len(tests), sharey=True)
    for axes, one in zip(panels, tests, strict=True):
        _panel(axes, one)
        title_left(axes, one.board)
    panels[0].set_ylabel("p-value against rank 1 (lowest line: below 1e-6)")
    panels[0].legend(loc="lower right")


def _panel(axes: "Axes", one: _Tests) -> None:
    ranks = np.arange(2, 2 + len(one.p_values))
    floor = 1e-6
    axes.axhline(LEVEL, linestyle="--", color=MUTED, linewidth=1.0)
    axes.plot(ranks, np.maximum(one.p_values, floor), "o", color=BLUE, markersize=5, label="paired t-test")
    axes.plot(
        ranks, np.maximum(one.corrected, floor), "s", color=RED, markersize=4, mfc="none", label="times 9 (Bonferroni)"
    )
    axes.set(yscale="log", xlabel="rank on the public board", xticks=ranks, ylim=(floor / 2, 1.5))
