"""The figure of a drill: the gain of each attack beside its stated bound."""

from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard_lab.drill.run import DrillReport
from ladderboard_lab.experiments.writing import COLOURS, INK, draw_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, RED = COLOURS[0], COLOURS[1]
ROW_HEIGHT = 0.32


def write_figure(report: DrillReport, path: Path) -> None:
    """Write the figure; the name ends in .svg or .png."""
    size = (7.5, 1.6 + ROW_HEIGHT * max(1, len(report.attacks)))
    path.write_bytes(draw_figure(lambda figure: draw(report, figure), size=size, salt="drill")[path.suffix[1:]])


def draw(report: DrillReport, figure: "Figure") -> None:
    """Draw a bar per attack, red if it breaks its bound or climbs; the bound is a line across."""
    axes = figure.add_subplot()
    attacks = [one for one in report.attacks if one.overfit is not None][::-1]
    places = range(len(attacks))
    colours = [RED if one.breaks_bound or one.climbs else BLUE for one in attacks]
    axes.barh(places, [one.overfit or 0.0 for one in attacks], color=colours, height=0.6)
    for place, one in zip(places, attacks, strict=True):
        if one.bound is not None:
            axes.plot([one.bound] * 2, [place - 0.4, place + 0.4], color=INK, linewidth=1.6)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(places, [one.attack.replace("_", " ") for one in attacks])
    axes.set_xlabel(f"overfit gained ({report.metric.replace('_', ' ')}); dark line: the stated bound")
    axes.set_title(f"{report.title}: {report.mechanism.replace('_', ' ')} under attack", loc="left")
