"""The Ladder paper's Figure 2: public scores of the best 50 teams under Kaggle's mechanism and under the Ladder."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Check,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    check_number,
    experiment,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, GREEN, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import PLAYS, RealBoard, play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_series
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_BOARD = "Photo Quality, published scores"
PUBLISHED = {"rows that differ": 23, "mean |difference|": 0.000297, "Spearman": 0.9886, "public above private": 48}
"""Between the public scores of the two mechanisms, 50 teams (csvs/publicscore-top50.csv of Ladder.jl, MIT)."""
ROUNDING = 1.01e-5
"""Full disclosure rounds to 1e-5; smaller differences are no differences."""

NO_LADDER = "full disclosure instead of the Ladder"
SHUFFLED = "the Ladder's rows in random order"


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The best 50 teams by private score, best first; ``standard_error`` is that of a typical public score."""

    board: str
    private: FloatArray
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
            "public above private": float(np.count_nonzero(self.kaggle > self.private)),
        }

    @property
    def is_close(self) -> bool:
        """Whether the two mechanisms show almost the same."""
        found = self.statistics()
        assert self.standard_error is not None
        return found["mean |difference|"] <= self.standard_error / 2 and found["Spearman"] >= 0.95


@experiment(
    id="ladder-fig2",
    title="Public scores of the best 50 teams under Kaggle's mechanism and the Ladder",
    paper="Ladder",
    claim="Of the top 50 submissions by private score the Ladder's public scores are almost identical to Kaggle's. "
    "Public losses tend to be slightly higher than private ones.",
    stand_in="the published scores of the Photo Quality competition with `--shared`; its submissions are not public, "
    "so 120 scikit-learn models of 30 teams are played beside them",
    controls=(NO_LADDER, SHUFFLED),
)
def ladder_fig2(conditions: Conditions) -> ExperimentResult:
    """The published scores where they are at hand, and real submissions played in full."""
    rng = np.random.default_rng([conditions.seed, 2])
    boards = [board for board in real_boards(conditions) if board.has_repeats]
    played = [[_play(board, conditions.control, rng) for _ in range(PLAYS)] for board in boards]
    rankings = [plays[0] for plays in played]
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is not None:
        series = {label: np.array([*y.values()]) for label, y in read_series(folder / "publicscore-top50.csv").items()}
        published = _Ranking(PAPER_BOARD, series["Test"], series["Kaggle"], series["Ladder"])
        rankings.insert(0, _sabotage(published, conditions.control, rng))
    return ExperimentResult(
        _table(rankings),
        partial(_draw, rankings=rankings[:1] + rankings[1:][-1:]),
        _verdict(rankings, played),
        size=(10.0, 3.9),
    )


def _sabotage(one: _Ranking, control: str | None, rng: np.random.Generator) -> _Ranking:
    ladder = {NO_LADDER: one.kaggle, SHUFFLED: rng.permutation(one.ladder)}.get(control or "", one.ladder)
    return _Ranking(one.board, one.private, one.kaggle, ladder, one.standard_error)


def _play(board: RealBoard, control: str | None, rng: np.random.Generator) -> _Ranking:
    one = play(board, rng)
    best = np.argsort(one.private["Kaggle"], kind="stable")[:50]
    kaggle, ladder = (one.public[name][best] for name in ("Kaggle", "Ladder"))
    standard_error = float(np.sqrt(kaggle * (1 - kaggle) / one.public_items).mean())
    return _sabotage(_Ranking(board.name, one.private["Kaggle"][best], kaggle, ladder, standard_error), control, rng)


def _verdict(rankings: list[_Ranking], played: list[list[_Ranking]]) -> Verdict:
    statistics = {one.board: one.statistics() for one in rankings}
    checks = [
        check_claim(
            "the two differ by less than half a standard error on average and rank almost alike (played boards)",
            [usually([one.is_close for one in plays]) for plays in played],
        ),
        check_claim(
            "but they are two mechanisms: on some played board some team's scores differ",
            usually(np.any([[one.statistics()["rows that differ"] > 0 for one in plays] for plays in played], axis=0)),
        ),
    ]
    words = [_describe_played(plays[0], statistics[plays[0].board]) for plays in played]
    if PAPER_BOARD in statistics:
        checks.append(_check_published(statistics[PAPER_BOARD]))
        words.insert(0, _describe_published(rankings[0], statistics[PAPER_BOARD]))
    numbers = {f"{board}: {name}": value for board, found in statistics.items() for name, value in found.items()}
    return Verdict(tuple(checks), " ".join(words), numbers)


def _check_published(found: dict[str, float]) -> Check:
    return check_number(
        "the published scores differ in 23 of 50 rows, by .000297 on average, Spearman .9886; public above private "
        "in 48",
        all(abs(found[name] - value) <= 1e-3 * value for name, value in PUBLISHED.items()),
    )


def _describe_published(one: _Ranking, found: dict[str, float]) -> str:
    return (
        f"Published public scores of 50 teams: Kaggle's and the Ladder's differ in {found['rows that differ']:.0f} "
        f"rows, by {found['mean |difference|']:.6f} on average, Spearman {found['Spearman']:.4f}. The public loss is "
        f"above the private one in {found['public above private']:.0f} of 50 rows, by "
        f"{float(np.mean(one.kaggle - one.private)):+.4f} on average."
    )


def _describe_played(one: _Ranking, found: dict[str, float]) -> str:
    return (
        f"Played here, {one.board}: {found['rows that differ']:.0f} of {len(one.private)} teams differ, by "
        f"{found['mean |difference|']:.5f} on average (a standard error is {one.standard_error:.4f}), Spearman "
        f"{found['Spearman']:.4f}; public above private for {found['public above private']:.0f}."
    )


def _table(rankings: list[_Ranking]) -> ResultTable:
    return ResultTable(
        ("board", "rank_by_private_score", "private", "kaggle_public", "ladder_public"),
        [
            (one.board, rank, float(private), float(kaggle), float(ladder))
            for one in rankings
            for rank, (private, kaggle, ladder) in enumerate(zip(one.private, one.kaggle, one.ladder, strict=True), 1)
        ],
    )


def _draw(figure: "Figure", *, rankings: list[_Ranking]) -> None:
    panels = np.atleast_1d(figure.subplots(1, len(rankings)))
    for axes, one in zip(panels, rankings, strict=True):
        ranks = np.arange(1, len(one.private) + 1)
        parts = ((one.private, GREEN, "private"), (one.kaggle, RED, "Kaggle"), (one.ladder, BLUE, "Ladder"))
        for values, colour, text in parts:
            axes.plot(ranks, values, "o-", color=colour, markersize=2.5, linewidth=1.0, label=text)
        axes.set(xlabel="rank by private score", xlim=(0, len(ranks) + 1))
        title_left(axes, one.board)
    panels[0].set_ylabel("reported score (lower is better)")
    panels[0].legend(loc="upper left")
