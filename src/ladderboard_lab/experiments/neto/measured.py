"""Measured campaigns of attacks: losses by repetition, mechanism and step, as tables and as grids of box plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Cell, ResultTable
from ladderboard_lab.experiments.drawing import BLUE, RED
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.mechanisms import Panel
from ladderboard_lab.experiments.writing import INK
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


PUBLIC, FINAL, RELEASED = range(3)
"""The parts of what is measured."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Losses, or concordances: repetitions × mechanisms × steps × parts.

    The parts are the attacker's model on the public and on the final set, and, where it was kept, what the board
    released. ``constant`` is what a constant prediction has: an MSE of 1, a concordance of 0.
    """

    panels: tuple[Panel, ...]
    step_name: str
    steps: tuple[int, ...]
    losses: FloatArray
    constant: float = 1.0

    @property
    def delta(self) -> FloatArray:
        """Public minus final, the paper's ΔMSE: a negative loss, or a positive concordance, flatters."""
        return np.asarray(self.losses[..., PUBLIC] - self.losses[..., FINAL])

    def median(self, panel: int, step: int, part: int | None = None) -> float:
        """The median ΔMSE of a mechanism at a step, or of one ``part``: PUBLIC, FINAL or RELEASED."""
        return float(np.median(self.at(panel, step, part)))

    def at(self, panel: int, step: int, part: int | None = None) -> FloatArray:
        """ΔMSE of every repetition at a step, or one ``part`` of it."""
        values = self.delta if part is None else self.losses[..., part]
        return np.asarray(values[:, panel, self.steps.index(step)])

    def over_steps(self, panel: int) -> FloatArray:
        """ΔMSE of every repetition, averaged over the steps."""
        return np.asarray(self.delta[:, panel].mean(axis=1))

    def mean_median(self, panel: int) -> float:
        """The median ΔMSE, averaged over the steps."""
        return float(np.median(self.delta[:, panel], axis=0).mean())

    def find(self, alpha: float | None, replicates: int | None = None) -> int:
        """The place of the mechanism with that α and b."""
        return next(i for i, one in enumerate(self.panels) if (one.alpha, one.replicates) == (alpha, replicates))

    def table(self) -> ResultTable:
        """Quartiles by mechanism and step."""
        rows: list[tuple[Cell, ...]] = []
        for index, panel in enumerate(self.panels):
            for place, step in enumerate(self.steps):
                parts = (*np.moveaxis(self.losses, -1, 0), self.delta)
                cells = [np.percentile(values[:, index, place], (25, 50, 75)) for values in parts]
                numbers = [float(number) for quartiles in cells for number in quartiles]
                rows.append((panel.name, self._level(panel), step, *numbers, len(self.losses)))
        names = [f"{part}_{which}" for part in (*self._part_names, "delta") for which in ("q25", "median", "q75")]
        return ResultTable((*self._axes, *names, "repetitions"), rows)

    def raw(self) -> ResultTable:
        """Every repetition."""
        rows: list[tuple[Cell, ...]] = [
            (repetition, panel.name, self._level(panel), step, *map(float, self.losses[repetition, index, place]))
            for repetition in range(len(self.losses))
            for index, panel in enumerate(self.panels)
            for place, step in enumerate(self.steps)
        ]
        return ResultTable(("repetition", *self._axes, *self._part_names), rows)

    def numbers(self, step: int) -> dict[str, float]:
        """The median ΔMSE of each mechanism at a step."""
        return {panel.title: median_of(self.at(index, step)) for index, panel in enumerate(self.panels)}

    @property
    def _axes(self) -> tuple[str, ...]:
        level = "alpha" if all(panel.odds is None for panel in self.panels) else "odds"
        return ("mechanism", level, self.step_name.replace(" ", "_"))

    def _level(self, panel: Panel) -> float | None:
        return panel.alpha if panel.odds is None else panel.odds

    @property
    def _part_names(self) -> tuple[str, ...]:
        return ("public", "final", "released")[: self.losses.shape[-1]]


def draw_public_and_final(axes: "Axes", measured: Measured, panel: int) -> None:
    """Boxes of the public (red) and the final (blue) loss, as in the paper."""
    for part, colour in ((FINAL, BLUE), (PUBLIC, RED)):
        draw_boxes(axes, measured.losses[:, panel, :, part], measured.steps, colour)
    axes.axhline(measured.constant, color=INK, linewidth=0.8, alpha=0.6)


def draw_delta(axes: "Axes", measured: Measured, panel: int, colour: str) -> None:
    """Boxes of ΔMSE."""
    draw_boxes(axes, measured.delta[:, panel], measured.steps, colour)
    axes.axhline(0, color=INK, linewidth=0.8, alpha=0.6)


def draw_boxes(
    axes: "Axes", values: FloatArray, steps: Sequence[int | str], colour: str, *, place: int = 0, of: int = 1
) -> None:
    """A box for each column of ``values``, quartiles with whiskers of 1.5 times the box; at a place ``of`` several."""
    width = 0.6 / of
    at = np.arange(1, len(steps) + 1) + width * 1.2 * (place - (of - 1) / 2)
    drawn = axes.boxplot(values, positions=at.tolist(), showfliers=False, widths=width, patch_artist=True)
    for box in drawn["boxes"]:
        box.set(facecolor=colour, alpha=0.35, edgecolor=colour)
    for part in ("whiskers", "caps"):
        for line in drawn[part]:
            line.set(color=colour, linewidth=0.9)
    for line in drawn["medians"]:
        line.set(color=colour, linewidth=1.6)
    every = max(1, len(steps) // 6)
    marked = [step for step in range(len(steps)) if len(steps) <= 8 or (step + 1) % every == 0 or step == 0]
    axes.set_xticks([step + 1 for step in marked], [str(steps[step]) for step in marked])


def draw_grid(figure: "Figure", measured: Measured, *, part: int | None, label: str, colours: Sequence[str]) -> None:
    """A row for each α and a column for each mechanism: ΔMSE, or with ``part`` −1 public and final losses."""
    rows = list(dict.fromkeys(panel.alpha for panel in measured.panels))
    columns = list(dict.fromkeys(panel.name for panel in measured.panels))
    grid = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for index, panel in enumerate(measured.panels):
        row, column = rows.index(panel.alpha), columns.index(panel.name)
        axes = grid[row, column]
        if part is None:
            draw_delta(axes, measured, index, colours[column % len(colours)])
        elif part < 0:
            draw_public_and_final(axes, measured, index)
        else:
            draw_boxes(axes, measured.losses[:, index, :, part], measured.steps, colours[column % len(colours)])
            axes.axhline(measured.constant, color=INK, linewidth=0.8, alpha=0.6)
        if row == 0:
            axes.set_title(panel.name)
        if column == 0:
            axes.set_ylabel(panel.level)
    figure.supxlabel(measured.step_name, size=9, color=INK)
    figure.supylabel(label, size=9, color=INK)
