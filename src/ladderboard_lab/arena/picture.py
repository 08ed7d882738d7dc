"""The picture of an arena: overfit under the worst attack against the error for honest teams."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import ladderboard as lb
from ladderboard_lab.arena.report import format_number
from ladderboard_lab.arena.summary import ArenaSummary, MechanismRow
from ladderboard_lab.experiments.writing import COLOURS, INK, draw_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLOOR = 1e-3
"""Where an overfit of nothing is drawn on the logarithmic axis."""
SIZE = (9.0, 5.2)
BLUE, RED, GREEN, AMBER, PURPLE, TEAL, _ = COLOURS
COLOURS_OF_FAMILIES: dict[str, str] = {
    "disclosure": RED,
    "step": AMBER,
    "significance": PURPLE,
    "bootstrap": BLUE,
    "noise": TEAL,
    "own": GREEN,
}
LABEL_HEIGHT = 0.036
"""Room a label needs, as a share of the height of the axes."""


def write_picture(summary: ArenaSummary, folder: Path) -> None:
    """Write arena.svg and arena.png into the folder."""
    drawn = draw_figure(lambda figure: draw(summary, figure), size=SIZE, salt="arena")
    for suffix in ("svg", "png"):
        (folder / f"arena.{suffix}").write_bytes(drawn[suffix])


def draw(summary: ArenaSummary, figure: "Figure") -> None:
    """Mechanisms as points with their name and their worst attack, √(log k/n) as a line."""
    plan = summary.arena.plan
    axes = figure.add_subplot()
    rows = [row for row in summary.mechanisms if row.honest_ratio is not None and row.worst_overfit is not None]
    axes.set(
        yscale="log",
        xscale="log",
        xlabel="mean error on honest streams, full disclosure = 1",
        ylabel="overfit under the worst attack (one account)",
    )
    axes.set_title(f"n = {plan.n:,} items, k = {plan.k:,} submissions: down and left is better", loc="left")
    _draw_bound(axes, plan.n, plan.k)
    colours = {name: COLOURS_OF_FAMILIES[one.family] for name, one in plan.make_mechanisms().items()}
    for row in rows:
        axes.plot(*_place(row), "o", color=colours[row.mechanism], markersize=6, zorder=3)
    _fit_axes(axes, rows)
    _label(axes, rows, colours)


def _draw_bound(axes: "Axes", n: int, k: int) -> None:
    bound = lb.bounds.lower_bound_rate(n=n, k=max(k, 2))
    axes.axhline(bound, color=INK, linewidth=0.9, linestyle=(0, (5, 4)), zorder=1)
    axes.annotate(
        f"√(log k/n) = {format_number(bound)}",
        (0.0, bound),
        xycoords=("axes fraction", "data"),
        xytext=(4, -10),
        textcoords="offset points",
        size=8,
        color=INK,
    )


def _fit_axes(axes: "Axes", rows: Sequence[MechanismRow]) -> None:
    """A little room around the points; ticks as plain numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    ratios, overfits = zip(*(_place(row) for row in rows), strict=True) if rows else ((1.0,), (0.1,))
    low, high = min(ratios) / 1.1, max(ratios) * 1.1
    bottom, top = min(*overfits, 0.02) / 1.4, max(*overfits, 0.1) * 1.4
    axes.set(xlim=(low, high), ylim=(bottom, top))
    for axis, ticks in (
        (axes.xaxis, [0.8, 1, 1.2, 1.5, 2, 3, 4, 6, 8, 12, 16]),
        (axes.yaxis, [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]),
    ):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter("{x:g}")


def _label(axes: "Axes", rows: Sequence[MechanismRow], colours: Mapping[str, str]) -> None:
    """Names beside the axes, in the order of their points, apart from each other, with a thin line to the point."""
    to_share = axes.transData + axes.transAxes.inverted()
    places = {row.mechanism: to_share.transform(_place(row)) for row in rows}
    heights = spread_apart({name: float(place[1]) for name, place in places.items()}, gap=LABEL_HEIGHT)
    for row in rows:
        colour, (x, y), height = colours[row.mechanism], places[row.mechanism], heights[row.mechanism]
        axes.plot([x, 1.01], [y, height], transform=axes.transAxes, clip_on=False, color=colour, lw=0.6, alpha=0.5)
        names = f"{row.mechanism}, {row.worst_attack}".replace("_", " ")
        words = f"{names} {format_number(row.worst_overfit)}"
        axes.text(1.015, height, words, transform=axes.transAxes, va="center", size=7.5, color=colour)


def spread_apart(heights: dict[str, float], *, gap: float) -> dict[str, float]:
    """The same heights, moved as little as needed to be ``gap`` apart: upwards from the lowest, then centred.

    >>> spread_apart({"a": 0.5, "b": 0.5, "c": 0.9}, gap=0.1)
    {'a': 0.45, 'b': 0.55, 'c': 0.9}
    """
    names = sorted(heights, key=heights.__getitem__)
    clusters: list[tuple[list[str], float]] = []
    for name in names:
        members, centre = [name], heights[name]
        # A cluster that would touch the one below joins it, about their common middle.
        while clusters and centre - gap * len(members) / 2 < clusters[-1][1] + gap * len(clusters[-1][0]) / 2 - 1e-12:
            below, middle = clusters.pop()
            centre = (middle * len(below) + centre * len(members)) / (len(below) + len(members))
            members = below + members
        clusters.append((members, centre))
    moved = {
        name: round(centre + gap * (index - (len(members) - 1) / 2), 6)
        for members, centre in clusters
        for index, name in enumerate(members)
    }
    return {name: moved[name] for name in heights}


def _place(row: MechanismRow) -> tuple[float, float]:
    assert row.honest_ratio is not None
    assert row.worst_overfit is not None
    return row.honest_ratio, max(row.worst_overfit, FLOOR)
