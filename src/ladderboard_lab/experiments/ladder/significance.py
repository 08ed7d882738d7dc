"""The Ladder paper's significance tests of ranks 2 to 10 against the winner."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import Played, play, real_boards
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


@dataclass(frozen=True, eq=False)
class _Tests:
    """Two-sided p-values of ranks 2 to 10 against rank 1; ``exact`` by McNemar where the losses are known."""

    board: str
    p_values: FloatArray
    exact: FloatArray | None = None

    @property
    def corrected(self) -> FloatArray:
        """Bonferroni over nine comparisons, at most 1 (the paper's file goes up to 8)."""
        return np.minimum(1.0, COMPARISONS * self.p_values)


@experiment(
    id="ladder-significance",
    title="Are ranks 2 to 10 significantly worse than the winner?",
    paper="Ladder",
    claim="Paired t-tests on 8400 private items: few of ranks 2 to 10 differ significantly from rank 1 once nine "
    "comparisons are corrected for; differences between two kinds of board are smaller than that.",
)
def ladder_significance(conditions: Conditions) -> Outcome:
    """The published p-values, and the same tests on real submissions."""
    rng = np.random.default_rng([conditions.seed, 5])
    tests = [_tests(play(board, rng)) for board in real_boards(conditions)]
    tests.insert(0, _Tests(PAPER_BOARD, _read_published(conditions)))
    return Outcome(_table(tests), partial(_draw, tests=[tests[0], tests[-1]]), _verdict(tests), size=(9.0, 3.9))


def _read_published(conditions: Conditions) -> FloatArray:
    """The file where it is at hand, else the rounded values above."""
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is None:
        return np.array(PAPER_P_VALUES)
    return np.array([p for rank, p in read_pairs(folder / "top10pvals.csv") if rank > 1])


def _tests(played: Played) -> _Tests:
    """The leaders of the ten best public scores, compared on the private items."""
    order = np.argsort(played.public["Kaggle"], kind="stable")[: COMPARISONS + 1]
    losses = played.losses[:, order]
    by_t, exact = (lb.compare_systems(losses, reference=0, test=test) for test in ("t", "mcnemar"))
    return _Tests(played.board.name, np.array([one.p_value for one in by_t]), np.array([one.p_value for one in exact]))


def _table(tests: list[_Tests]) -> Table:
    return Table(
        ("board", "rank", "p_value", "bonferroni", "exact_mcnemar"),
        [
            (one.board, rank, float(p), float(c), None if one.exact is None else float(one.exact[rank - 2]))
            for one in tests
            for rank, (p, c) in enumerate(zip(one.p_values, one.corrected, strict=True), 2)
        ],
    )


def _verdict(tests: list[_Tests]) -> Verdict:
    paper, *played = tests
    plain, corrected = _count(paper.p_values), _count(paper.corrected)
    words = [
        f"{one.board}: {_count(one.p_values)} and {_count(one.corrected)} of {len(one.p_values)}." for one in played
    ]
    return Verdict(
        holds=(
            bool(np.allclose(paper.p_values, PAPER_P_VALUES, rtol=0.02))
            and (plain, corrected) == (5, 2)
            # The t-test the paper uses on losses decides as the exact test does, give or take one comparison.
            and all(abs(_count(one.corrected) - _count(_correct_p_values(one))) <= 1 for one in played)
        ),
        sentence=(
            f"Of the published p-values {plain} of 9 are below .05, and {corrected} after Bonferroni (ranks 8 and 9): "
            f"most of the top ten cannot be told from the winner. The same tests on real boards, below .05 before and "
            f"after Bonferroni: {' '.join(words)}"
        ),
        numbers={f"{one.board}, rank {rank}": float(p) for one in tests for rank, p in enumerate(one.p_values, 2)},
    )


def _count(p_values: FloatArray) -> int:
    return int(np.count_nonzero(p_values < LEVEL))


def _correct_p_values(one: _Tests) -> FloatArray:
    assert one.exact is not None
    return np.minimum(1.0, COMPARISONS * one.exact)


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
