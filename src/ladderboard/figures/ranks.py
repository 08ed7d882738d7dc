"""Rank ranges as horizontal bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.figures.canvas import ACCENT, MUTED, SECOND, new_axes, save
from ladderboard.inference.measure import Measure
from ladderboard.inference.rank_ranges import RankRange

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Column:
    """The ranges of one board, to be drawn beside those of another on the same systems."""

    name: str
    ranges: Sequence[RankRange]


def save_rank_ranges(ranges: Sequence[RankRange], path: Path, *, measure: Measure, confidence: float) -> None:
    """Draw one bar for each system, the best on top, its observed rank marked, and write the figure."""
    figure, axes = new_axes(7.0, 1.2 + 0.19 * len(ranges))
    for row, one in enumerate(ranges):
        axes.plot([one.best - 0.3, one.worst + 0.3], [row, row], color=ACCENT, linewidth=5, solid_capstyle="butt")
        axes.plot(one.rank, row, "o", color="white", markeredgecolor=ACCENT, markersize=5)
    labels = [f"{one.system}  {measure.format_score(measure.score(one.score))}" for one in ranges]
    axes.set_yticks(range(len(ranges)), labels, fontsize=8, parse_math=False)
    axes.set_ylim(len(ranges) - 0.5, -0.5)
    _rank_axis(axes)
    title = f"Rank ranges, {100 * confidence:g} % confidence that all hold"
    axes.set_title(title, fontsize=10, loc="left")
    save(figure, path, title=title)


def save_two_boards(first: Column, second: Column, path: Path, *, title: str) -> None:
    """Draw the ranges of the same systems on two boards, in the order of the first."""
    order = sorted(range(len(first.ranges)), key=lambda j: (first.ranges[j].rank, first.ranges[j].best))
    figure, axes = new_axes(7.0, 1.4 + 0.16 * len(order))
    for board, colour, offset in ((first, ACCENT, -0.2), (second, SECOND, 0.2)):
        for row, one in enumerate(board.ranges[j] for j in order):
            span = [one.best - 0.3, one.worst + 0.3]
            label = board.name if row == 0 else None
            axes.plot(span, [row + offset] * 2, color=colour, linewidth=3, solid_capstyle="butt", label=label)
    axes.set_yticks(range(len(order)), [first.ranges[j].system for j in order], fontsize=7, parse_math=False)
    axes.set_ylim(len(order) - 0.5, -0.5)
    _rank_axis(axes)
    axes.legend(loc="upper right", frameon=False)
    axes.set_title(title, fontsize=10, loc="left")
    save(figure, path, title=title)


def _rank_axis(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("rank")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x", color=MUTED, alpha=0.25)
