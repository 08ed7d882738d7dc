"""The grid of box plots of Neto et al.: a row for each level, a column for each release, boxes by submissions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Cell, Table
from ladderboard_lab.experiments.neto.setting import Panel
from ladderboard_lab.experiments.writing import COLOURS, INK
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRID_SIZE = (9.0, 6.4)


def draw_grid(
    figure: "Figure", panels: Sequence[Panel], values: FloatArray, submissions: Sequence[int], *, label: str
) -> None:
    """``values``: repetitions × panels × numbers of submissions."""
    rows = list(dict.fromkeys(panel.alpha for panel in panels))
    columns = list(dict.fromkeys(panel.name for panel in panels))
    axes = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for index, panel in enumerate(panels):
        row, column = rows.index(panel.alpha), columns.index(panel.name)
        cell = axes[row, column]
        draw_boxes(cell, values[:, index], submissions, COLOURS[column % len(COLOURS)])
        if row == 0:
            cell.set_title(panel.name)
        if column == 0:
            cell.set_ylabel(f"α = {panel.alpha:g}")
    figure.supxlabel("number of submissions", size=9, color=INK)
    figure.supylabel(label, size=9, color=INK)


def draw_boxes(axes: "Axes", values: FloatArray, submissions: Sequence[int], colour: str) -> None:
    """A box for each number of submissions (columns of ``values``).

    Whiskers reach to the 5th and 95th percentile, or over all values where there are few.
    """
    axes.axhline(0, color=INK, linewidth=0.8, alpha=0.6)
    drawn = axes.boxplot(
        values, whis=(5, 95) if len(values) >= 40 else (0, 100), showfliers=False, widths=0.6, patch_artist=True
    )
    for box in drawn["boxes"]:
        box.set(facecolor=colour, alpha=0.35, edgecolor=colour)
    for part in ("whiskers", "caps"):
        for line in drawn[part]:
            line.set(color=colour, linewidth=0.9)
    for line in drawn["medians"]:
        line.set(color=INK, linewidth=1.4)
    axes.set_xticks(range(1, len(submissions) + 1), [str(count) for count in submissions], rotation=45)


def boxes_table(panels: Sequence[Panel], delta: FloatArray, net: FloatArray, submissions: Sequence[int]) -> Table:
    """Quartiles of the overfit of each panel by number of submissions, and the median net of the split's luck."""
    rows: list[tuple[Cell, ...]] = []
    for index, panel in enumerate(panels):
        for step, count in enumerate(submissions):
            quartiles = np.percentile(delta[:, index, step], (25, 50, 75))
            rows.append(
                (
                    panel.alpha,
                    panel.name,
                    count,
                    float(quartiles[1]),
                    float(quartiles[0]),
                    float(quartiles[2]),
                    float(np.median(net[:, index, step])),
                    len(delta),
                )
            )
    names = ("median", "lower_quartile", "upper_quartile", "median_net_of_luck", "repetitions")
    return Table(("alpha", "mechanism", "submissions", *names), rows)
