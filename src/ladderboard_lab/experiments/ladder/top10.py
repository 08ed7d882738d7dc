"""The Ladder paper's top-ten table: how much a public board of either kind perturbs the order of the best ten."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_pairs
from ladderboard_lab.participant import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP = 10
PAPER_BOARD = "Photo Quality, published scores"


@dataclass(frozen=True, eq=False)
class _Perturbation:
    """For the best ten by private score: their ranks by public score, under each mechanism."""

    board: str
    kaggle: IntArray
    ladder: IntArray

    def measure_moves(self, ranks: IntArray) -> float:
        """How many places a team of the private top ten is away from its private rank, on average."""
        return float(np.abs(ranks - np.arange(1, len(ranks) + 1)).mean())


@experiment(
    id="ladder-top10",
    title="The top ten: private ranks against the ranks on either public board",
    paper="Ladder",
    claim="The Ladder perturbs the top of the board no more than Kaggle's mechanism does; what changes is within the "
    "noise of the split.",
)
def ladder_top10(conditions: Conditions) -> Outcome:
    """The published scores where they are at hand, and real boards with several submissions for each team."""
    rng = np.random.default_rng([conditions.seed, 4])
    played = [play(board, rng) for board in real_boards(conditions) if board.has_repeats]
    found = [
        _Perturbation(
            one.board.name, *(_public_ranks(one.public[name], one.private[name]) for name in ("Kaggle", "Ladder"))
        )
        for one in played
    ]
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is not None:
        pairs = [np.array(read_pairs(folder / f"top50{name}-private.csv")).T for name in ("kaggle", "ladder")]
        found.insert(0, _Perturbation(PAPER_BOARD, *(_public_ranks(*both) for both in pairs)))
    shown = [one for one in found if one.board == PAPER_BOARD or one is found[-1]]
    return Outcome(_table(found), partial(_draw, found=shown), _verdict(found), size=(4.6 * len(shown), 4.0))


def _public_ranks(public: FloatArray, private: FloatArray) -> IntArray:
    """Equal scores share a rank; equal private scores keep the order they come in."""
    best = np.argsort(private, kind="stable")[:TOP]
    return np.array([1 + np.count_nonzero(public < public[team]) for team in best])


def _table(found: list[_Perturbation]) -> Table:
    return Table(
        ("board", "rank_by_private_score", "rank_on_kaggles_board", "rank_on_the_ladder"),
        [
            (one.board, rank, int(kaggle), int(ladder))
            for one in found
            for rank, (kaggle, ladder) in enumerate(zip(one.kaggle, one.ladder, strict=True), 1)
        ],
    )


def _verdict(found: list[_Perturbation]) -> Verdict:
    moved = {one.board: (one.measure_moves(one.kaggle), one.measure_moves(one.ladder)) for one in found}
    words = [
        f"{board}: a team of the private top ten stands {kaggle:.1f} places off on Kaggle's public board and "
        f"{ladder:.1f} on the Ladder's."
        for board, (kaggle, ladder) in moved.items()
    ]
    same = {one.board: int(np.count_nonzero(one.kaggle == one.ladder)) for one in found}
    counts = ", ".join(f"{count} of {TOP} ({board})" for board, count in same.items())
    return Verdict(
        # One place on average is less than what the split itself does to either board.
        holds=all(ladder <= kaggle + 1 for kaggle, ladder in moved.values()),
        sentence=f"{' '.join(words)} Same public rank under both: {counts}.",
        numbers={f"{board}: places off, Kaggle": kaggle for board, (kaggle, _) in moved.items()}
        | {f"{board}: places off, Ladder": ladder for board, (_, ladder) in moved.items()},
    )


def _draw(figure: "Figure", *, found: list[_Perturbation]) -> None:
    panels = np.atleast_1d(figure.subplots(1, len(found)))
    for axes, one in zip(panels, found, strict=True):
        _panel(axes, one)
        title_left(axes, one.board)
    panels[0].set_ylabel("rank by public score")
    panels[0].legend(loc="upper left")


def _panel(axes: "Axes", one: _Perturbation) -> None:
    ranks = np.arange(1, len(one.kaggle) + 1)
    axes.plot(ranks, ranks, "--", color=MUTED, linewidth=1.0)
    axes.plot(ranks - 0.12, one.kaggle, "s", color=RED, markersize=6, label="Kaggle")
    axes.plot(ranks + 0.12, one.ladder, "o", color=BLUE, markersize=6, label="Ladder")
    axes.set(xlabel="rank by private score", xticks=ranks, ylim=(0, max(one.kaggle.max(), one.ladder.max()) + 1))
