"""The Ladder paper's Figure 3: public and private scores when the private holdout is split in half, 20 times."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    experiment,
)
from ladderboard_lab.experiments.deciding import agrees, usually
from ladderboard_lab.experiments.drawing import MUTED, RED, title_left
from ladderboard_lab.experiments.estimates import mean_of
from ladderboard_lab.experiments.ladder.real_boards import PUBLIC_SHARE, RealBoard, real_boards
from ladderboard_lab.participant import Array, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPLITS, TOP = 20, 50
JUDGED = 4000
"""The splits behind a verdict. A submission's gap on the original split has √(1/.3 + 1/.7) = 2.18 standard deviations
of one loss over √n, and √2 of its scores on halves of the private part are √(1/.35) = 1.69 of them: Φ says 56 % within,
so that most splits are, if submissions move as one, with a probability of .56, which 3800 splits decide."""
CHUNK = 50
HARD_HALF = "halves by difficulty instead of at random"
INDEPENDENT = "items shuffled for every submission, so that no two fail on the same ones"


@dataclass(frozen=True, eq=False)
class _Halves:
    """Kaggle's scores of the best submissions of a board on both halves: splits × submissions."""

    board: str
    public: FloatArray
    private: FloatArray
    original_gap: FloatArray
    """Public minus private score on splits as the original one, 30 % and 70 %: splits × submissions."""

    def first(self, splits: int) -> "_Halves":
        """As the paper has them: for the table and the picture."""
        return _Halves(self.board, self.public[:splits], self.private[:splits], self.original_gap)

    @property
    def sd(self) -> FloatArray:
        """Of a submission's score on a half, over the splits."""
        return np.asarray(np.concatenate([self.public, self.private]).std(axis=0, ddof=1))

    @property
    def together(self) -> FloatArray:
        """The share of submissions on the side of the diagonal where most are, for each split: ½ to 1."""
        above = (self.public > self.private).mean(axis=1)
        return np.asarray(np.maximum(above, 1 - above))

    @property
    def within(self) -> FloatArray:
        """The share of submissions whose gap is within one standard deviation (of a difference), for each split."""
        return np.asarray((np.abs(self.original_gap) <= np.sqrt(2) * self.sd).mean(axis=1))

    @property
    def off_the_diagonal(self) -> float:
        """The distance of the mean scores from it in standard errors; those of one split count once."""
        gaps = (self.public - self.private).mean(axis=1)
        error = float(gaps.std(ddof=1)) / np.sqrt(len(gaps))
        return float(gaps.mean() / max(error, np.finfo(float).tiny))


@experiment(
    id="ladder-fig3",
    title="Behaviour of private and public scores under fresh splits",
    paper="Ladder",
    claim="The private holdout is split into two halves at random, 20 times. The standard deviations of the scores are "
    "large relative to the differences: the means cluster close to the diagonal, and the underfitting of the original "
    "split is within one standard deviation. The top 50 move together: in a split they are mostly above or mostly "
    "below the diagonal.",
    stand_in="real submissions of other boards: those of the Photo Quality competition are not public",
    controls=(HARD_HALF, INDEPENDENT),
)
def ladder_fig3(conditions: Conditions) -> ExperimentResult:
    """The best 50 submissions of every board that can be played here."""
    found = [_split(board, conditions) for board in real_boards(conditions) if len(board.teams) >= 20]
    off = {one.board: one.off_the_diagonal for one in found}
    checks = (
        check_claim("the mean scores lie on the diagonal, but for chance", agrees([*off.values()], degrees=JUDGED - 1)),
        check_claim(
            "the gap of a split as the original one is mostly within one standard deviation (of a difference)",
            [usually(one.within > 1 / 2) for one in found],
        ),
        check_claim(
            "the best submissions move together: in most splits two thirds or more are on one side of the diagonal",
            [usually(one.together >= 2 / 3) for one in found],
        ),
    )
    words = [
        f"{one.board}: the gap of a split as the original one is within one standard deviation in "
        f"{one.within.mean():.0%} of cases; the means are {off[one.board]:.2f} standard errors off the diagonal; "
        f"{one.together.mean():.0%} are on the same side of it in a split."
        for one in found
    ]
    numbers = {f"{one.board}: share on one side": mean_of(one.together) for one in found}
    verdict = Verdict(checks, " ".join(words), numbers)
    shown = [one.first(conditions.repeat(full=SPLITS, quick=SPLITS)) for one in found]
    draw, size = partial(_draw, found=shown[:2]), (5.0 * len(shown[:2]), 4.2)
    return ExperimentResult(_table(shown), draw, verdict, size=size, raw=_raw(shown))


def _split(board: RealBoard, conditions: Conditions) -> _Halves:
    rng = np.random.default_rng([conditions.seed, 3])
    wrong = (board.predictions != board.labels[:, None]).astype(float)
    private = rng.permutation(len(wrong))[round(PUBLIC_SHARE * len(wrong)) :]
    best = np.argsort(wrong[private].mean(axis=0), kind="stable")[:TOP]
    if conditions.control == INDEPENDENT:
        wrong = rng.permuted(wrong, axis=0)
    held = wrong[np.ix_(private, best)]
    if conditions.control == HARD_HALF:
        held = held[np.argsort(-held.mean(axis=1), kind="stable")]
        public_score, private_score = _score_parts(held, np.tile(np.arange(len(held)) < len(held) // 2, (JUDGED, 1)))
        return _Halves(board.name, public_score, private_score, public_score - private_score)
    original = _score_splits(wrong[:, best], PUBLIC_SHARE, rng)
    return _Halves(board.name, *_score_splits(held, 1 / 2, rng), original[0] - original[1])


def _score_splits(wrong: FloatArray, share: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """The mean losses on both parts of every judged split, a chunk of splits at a time."""
    size = round(share * len(wrong))
    parts = []
    for _ in range(JUDGED // CHUNK):
        inside = np.zeros((CHUNK, len(wrong)), dtype=bool)
        for one in inside:
            one[rng.permutation(len(wrong))[:size]] = True
        parts.append(_score_parts(wrong, inside))
    first, second = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second)


def _score_parts(wrong: FloatArray, inside: Array) -> tuple[FloatArray, FloatArray]:
    summed, size = inside @ wrong, inside.sum(axis=1, keepdims=True)
    return summed / size, (wrong.sum(axis=0) - summed) / (len(wrong) - size)


def _table(found: list[_Halves]) -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        means = one.public.mean(axis=0), one.private.mean(axis=0)
        for rank, (public, private, sd, gap) in enumerate(zip(*means, one.sd, one.original_gap[0], strict=True), 1):
            rows.append((one.board, rank, len(one.public), float(public), float(private), float(sd), float(gap)))
    columns = ("board", "rank_by_private_score", "splits", "mean_public", "mean_private", "sd", "original_gap")
    return ResultTable(columns, rows)


def _raw(found: list[_Halves]) -> ResultTable:
    return ResultTable(
        ("repetition", "board", "rank_by_private_score", "public", "private"),
        [
            (split, one.board, place + 1, float(one.public[split, place]), float(one.private[split, place]))
            for one in found
            for split, place in np.ndindex(one.public.shape)
        ],
    )


def _draw(figure: "Figure", *, found: list[_Halves]) -> None:
    for axes, one in zip(np.atleast_1d(figure.subplots(1, len(found))), found, strict=True):
        _panel(axes, one)
        title_left(axes, one.board)
        axes.set(xlabel="public score (one half)", ylabel="private score (the other half)")


def _panel(axes: "Axes", one: _Halves) -> None:
    x, y = one.public.mean(axis=0), one.private.mean(axis=0)
    axes.errorbar(x, y, xerr=one.sd, yerr=one.sd, fmt="o", color=RED, markersize=3, elinewidth=0.6, alpha=0.7)
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    axes.plot(ends, ends, "--", color=MUTED, linewidth=1.0)
    axes.locator_params(nbins=5)
