"""How often rank ranges from a biased judge are true: corrected by human scores, by the judge's word, by humans alone.

python -m tests.claims.judge_coverage        # the table of docs/guide/judges.md: half a minute
"""

from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.judges import correct_judge
from ladderboard.inference.rank_ranges import RankRange, rank_ranges

TRUTH = np.array([0.3, 0.3, 0.4, 0.4, 0.6])
BIAS = np.array([0.1, -0.1, 0.0, 0.05, -0.05])
"""What the judge adds to each system's losses."""
MIXED = np.random.default_rng(0).random((200_000, 2)).mean(axis=1)
"""The law of an item's hardness and a system's luck, whose quantiles give the true losses."""


@dataclass(frozen=True)
class JudgeCoverage:
    """Shares of boards on which all ranges are true, and the mean widths of a range."""

    corrected: float
    naive: float
    human: float
    corrected_width: float
    human_width: float


def draw_board(
    rng: np.random.Generator, items: int, labelled: int, *, apart: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Judgements with favourites, and human losses of the same items for all systems, or of others for each."""
    hardness = rng.random((items, 1))
    losses = ((hardness + rng.random((items, 5))) / 2 < np.quantile(MIXED, TRUTH)).astype(float)
    judged = np.clip(losses + BIAS + rng.normal(0, 0.6, losses.shape), 0, 1)
    human = np.full(losses.shape, np.nan)
    rows = rng.permutation(items)[:labelled]
    for column in range(len(TRUTH)):
        rows = rng.permutation(items)[:labelled] if apart else rows
        human[rows, column] = losses[rows, column]
    return judged, human


def measure_judge(
    items: int, labelled: int, *, apart: bool = False, boards: int = 200, seed: int = 11
) -> JudgeCoverage:
    """Draw boards and count on how many all ranges are true."""
    rng = np.random.default_rng(seed)
    true = np.zeros(3)
    widths = np.zeros(2)
    for _ in range(boards):
        judged, human = draw_board(rng, items, labelled, apart=apart)
        corrected = _rank(correct_judge(judged, human).losses)
        alone = corrected if apart else _rank(human[np.isfinite(human[:, 0])])
        true += [_covers(corrected), _covers(_rank(judged)), _covers(alone)]
        widths += [_mean_width(corrected), _mean_width(alone)]
    shares, means = true / boards, widths / boards
    human_share, human_width = (float("nan"),) * 2 if apart else (float(shares[2]), float(means[1]))
    return JudgeCoverage(float(shares[0]), float(shares[1]), human_share, float(means[0]), human_width)


def _rank(losses: FloatArray) -> list[RankRange]:
    return rank_ranges(losses, replicates=500)


def _covers(ranges: list[RankRange]) -> bool:
    return all(
        one.best <= 1 + np.sum(loss > TRUTH) and one.worst >= len(TRUTH) - np.sum(loss < TRUTH)
        for one, loss in zip(ranges, TRUTH, strict=True)
    )


def _mean_width(ranges: list[RankRange]) -> float:
    return float(np.mean([1 + one.worst - one.best for one in ranges]))


def _print_table() -> None:
    print("| items | human scores | corrected | naive | human | width | width, human |\n|---|---|---|---|---|---|---|")  # noqa: T201 a script
    for items, labelled in ((300, 20), (300, 30), (1000, 50), (1000, 200), (2000, 500)):
        for apart in (False, True):
            one = measure_judge(items, labelled, apart=apart)
            of = "others for each system" if apart else "of the same items"
            human = ("–", "–") if apart else (f"{one.human:.3f}", f"{one.human_width:.2f}")
            print(  # noqa: T201 a script
                f"| {items:,} | {labelled}, {of} | {one.corrected:.3f} | {one.naive:.3f} | {human[0]} | "
                f"{one.corrected_width:.2f} | {human[1]} |"
            )


if __name__ == "__main__":
    _print_table()
