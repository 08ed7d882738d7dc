"""The Ladder paper's real data, public against private: how far each mechanism's score is from the private one."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED, title_left
from ladderboard_lab.experiments.ladder.real_boards import RealBoard, play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_pairs
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MECHANISMS = {"Kaggle": RED, "Ladder": BLUE}
PAPER_BOARD = "Photo Quality, published scores"


@dataclass(frozen=True, eq=False)
class _Cloud:
    """Public and private scores of the best 50 teams by private score: splits × teams."""

    board: str
    mechanism: str
    public: FloatArray
    private: FloatArray

    @property
    def deviation(self) -> float:
        """Root mean square of public − private."""
        return float(np.sqrt(np.mean(np.square(self.public - self.private))))


@experiment(
    id="ladder-fig3",
    title="Real submissions: public against private scores, under Kaggle's mechanism and the Ladder",
    paper="Ladder",
    claim="The Ladder's public scores agree with private scores as well as Kaggle's do, on the original split and on "
    "fresh ones. (The submissions themselves are not published; fresh splits are of other real boards.)",
)
def ladder_fig3(conditions: Conditions) -> Outcome:
    """The published split where it is at hand, and real submissions on 20 fresh splits."""
    splits = conditions.choose(full=20, quick=5)
    boards = [board for board in real_boards(conditions) if board.has_repeats]
    clouds = [cloud for board in boards for cloud in _fresh_splits(board, splits, conditions.seed)]
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is not None:
        points = {
            name: np.array(read_pairs(folder / f"top50{name.lower()}-private.csv")).T[:, None] for name in MECHANISMS
        }
        clouds = [*(_Cloud(PAPER_BOARD, name, *both) for name, both in points.items()), *clouds]
    shown = [cloud for cloud in clouds if cloud.board in (PAPER_BOARD, boards[-1].name)]
    return Outcome(_table(clouds), partial(_draw, clouds=shown), _verdict(clouds), size=(7.5, 1.8 * len(shown)))


def _fresh_splits(board: RealBoard, splits: int, seed: int) -> list[_Cloud]:
    played = [play(board, np.random.default_rng([seed, 3, split])) for split in range(splits)]
    best = np.argsort(np.mean([one.private["Kaggle"] for one in played], axis=0), kind="stable")[:50]
    return [
        _Cloud(
            board.name,
            name,
            np.stack([one.public[name][best] for one in played]),
            np.stack([one.private[name][best] for one in played]),
        )
        for name in MECHANISMS
    ]


def _table(clouds: list[_Cloud]) -> Table:
    return Table(
        ("board", "mechanism", "rank_by_private_score", "splits", "public", "sd_public", "private", "sd_private"),
        [
            (cloud.board, cloud.mechanism, rank, len(cloud.public), *_moments(public), *_moments(private))
            for cloud in clouds
            for rank, (public, private) in enumerate(zip(cloud.public.T, cloud.private.T, strict=True), 1)
        ],
    )


def _moments(values: FloatArray) -> tuple[float, float | None]:
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None


def _verdict(clouds: list[_Cloud]) -> Verdict:
    deviations = {(cloud.board, cloud.mechanism): cloud.deviation for cloud in clouds}
    boards = list(dict.fromkeys(cloud.board for cloud in clouds))
    ratios = {board: deviations[board, "Ladder"] / deviations[board, "Kaggle"] for board in boards}
    words = [
        f"{board}: public scores are {deviations[board, 'Kaggle']:.5f} (root mean square) from private ones under "
        f"Kaggle's mechanism and {deviations[board, 'Ladder']:.5f} under the Ladder."
        for board in boards
    ]
    return Verdict(
        holds=all(ratio <= 1.1 for ratio in ratios.values()),
        sentence=f"The Ladder's public scores are about as close to the private ones as Kaggle's. {' '.join(words)}",
        numbers={f"{board}: deviation, Ladder over Kaggle": ratio for board, ratio in ratios.items()},
    )


def _draw(figure: "Figure", *, clouds: list[_Cloud]) -> None:
    grid = figure.subplots(len(clouds) // 2, 2, squeeze=False, sharex="row", sharey="row")
    for axes, cloud in zip(grid.ravel(), clouds, strict=True):
        _panel(axes, cloud)
        title_left(axes, f"{cloud.mechanism}: {cloud.board}")
        axes.set(xlabel="public score", ylabel="private score")


def _panel(axes: "Axes", cloud: _Cloud) -> None:
    x, y = cloud.public.mean(axis=0), cloud.private.mean(axis=0)
    colour = MECHANISMS[cloud.mechanism]
    if len(cloud.public) > 1:
        spread = cloud.public.std(axis=0, ddof=1)
        axes.errorbar(x, y, xerr=spread, fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.6)
    axes.plot(x, y, "o", color=colour, markersize=3)
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    axes.plot(ends, ends, "--", color=MUTED, linewidth=1.0)
    axes.locator_params(nbins=5)
