"""The Ladder paper's real data, rank by rank: what Kaggle's mechanism and the Ladder reported for the best 50 teams."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.drawing import BLUE, GREEN, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_series
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_BOARD = "Photo Quality, published scores"
PAPER = {"rows that differ": 23, "mean |difference|": 0.000297, "Spearman": 0.9886}
"""Between the public scores of the two mechanisms, 50 teams (csvs/publicscore-top50.csv of Ladder.jl, MIT)."""
ROUNDING = 1.01e-5
"""Full disclosure rounds to 1e-5; smaller differences are no differences."""


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The best 50 teams by test score, best first; ``standard_error`` is that of a typical public score."""

    board: str
    test: FloatArray
    kaggle: FloatArray
    ladder: FloatArray
    standard_error: float | None = None

    def statistics(self) -> dict[str, float]:
        from scipy.stats import spearmanr

        gap = np.abs(self.kaggle - self.ladder)
        return {
            "rows that differ": float(np.count_nonzero(gap > ROUNDING)),
            "mean |difference|": float(gap.mean()),
            "Spearman": float(spearmanr(self.kaggle, self.ladder)[0]),
        }


@experiment(
    id="ladder-fig2",
    title="Real submissions: public scores of the best teams under Kaggle's mechanism and the Ladder",
    paper="Ladder",
    claim="On real submissions the Ladder is as useful as full disclosure: its public scores follow Kaggle's. (Of the "
    "competition only scores are published; which of its figures the paper numbers 2 and 3 could not be checked.)",
)
def ladder_fig2(conditions: Conditions) -> Outcome:
    """The published scores where they are at hand, and real submissions played in full."""
    rng = np.random.default_rng([conditions.seed, 2])
    played = [play(board, rng) for board in real_boards(conditions) if board.has_repeats]
    rankings = [_ranking(one.board.name, one.private["Kaggle"], one.public, one.public_items) for one in played]
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is not None:
        series = {label: np.array([*y.values()]) for label, y in read_series(folder / "publicscore-top50.csv").items()}
        rankings.insert(0, _Ranking(PAPER_BOARD, series["Test"], series["Kaggle"], series["Ladder"]))
    shown = [one for one in rankings if one.board == PAPER_BOARD or one is rankings[-1]]
    return Outcome(_table(rankings), partial(_draw, rankings=shown), _verdict(rankings), size=(5.0 * len(shown), 3.9))


def _ranking(board: str, test: FloatArray, public: dict[str, FloatArray], items: int) -> _Ranking:
    best = np.argsort(test, kind="stable")[:50]
    kaggle = public["Kaggle"][best]
    standard_error = float(np.sqrt(kaggle * (1 - kaggle) / items).mean())
    return _Ranking(board, test[best], kaggle, public["Ladder"][best], standard_error)


def _table(rankings: list[_Ranking]) -> Table:
    return Table(
        ("board", "rank_by_test_score", "test", "kaggle_public", "ladder_public"),
        [
            (one.board, rank, float(test), float(kaggle), float(ladder))
            for one in rankings
            for rank, (test, kaggle, ladder) in enumerate(zip(one.test, one.kaggle, one.ladder, strict=True), 1)
        ],
    )


def _verdict(rankings: list[_Ranking]) -> Verdict:
    statistics = {one.board: one.statistics() for one in rankings}
    played = [one for one in rankings if one.standard_error is not None]
    published = statistics.get(PAPER_BOARD)
    holds = all(_is_close(one, statistics[one.board]) for one in played)
    if published is not None:
        holds &= all(abs(published[name] - value) <= 1e-3 * value for name, value in PAPER.items())
    words = [_describe_published(published), *(_describe_played(one, statistics[one.board]) for one in played)]
    return Verdict(
        holds=bool(holds),
        sentence=" ".join(words),
        numbers={f"{board}: {name}": value for board, found in statistics.items() for name, value in found.items()},
    )


def _is_close(one: _Ranking, found: dict[str, float]) -> bool:
    """On a played board: the two differ by less than half a standard error, and rank almost alike."""
    assert one.standard_error is not None
    return found["mean |difference|"] <= one.standard_error / 2 and found["Spearman"] >= 0.95


def _describe_published(found: dict[str, float] | None) -> str:
    if found is None:
        return "The published scores are not at hand and were not compared."
    return (
        f"Published public scores of 50 teams: Kaggle's and the Ladder's differ in {found['rows that differ']:.0f} "
        f"rows (23 expected), by {found['mean |difference|']:.6f} on average (.000297), Spearman "
        f"{found['Spearman']:.4f} (.9886)."
    )


def _describe_played(one: _Ranking, found: dict[str, float]) -> str:
    return (
        f"Played here, {one.board}: {found['rows that differ']:.0f} of {len(one.test)} teams differ, by "
        f"{found['mean |difference|']:.5f} on average (a standard error is {one.standard_error:.4f}), Spearman "
        f"{found['Spearman']:.4f}."
    )


def _draw(figure: "Figure", *, rankings: list[_Ranking]) -> None:
    panels = np.atleast_1d(figure.subplots(1, len(rankings)))
    for axes, one in zip(panels, rankings, strict=True):
        ranks = np.arange(1, len(one.test) + 1)
        for values, colour, text in (
            (one.test, GREEN, "test"),
            (one.kaggle, RED, "Kaggle"),
            (one.ladder, BLUE, "Ladder"),
        ):
            axes.plot(ranks, values, "o-", color=colour, markersize=2.5, linewidth=1.0, label=text)
        axes.set(xlabel="rank by test score", xlim=(0, len(ranks) + 1))
        title_left(axes, one.board)
    panels[0].set_ylabel("reported score (lower is better)")
    panels[0].legend(loc="upper left")
