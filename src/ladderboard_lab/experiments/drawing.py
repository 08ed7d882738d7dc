"""Drawing functions shared by several figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ladderboard_lab.experiments.writing import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREEN, AMBER, PURPLE, TEAL, BROWN = COLOURS
MUTED = "#8a929b"
"""For what stands beside the subject: a paper's own points, a bound, a line of equality."""

MECHANISM_COLOURS = {
    "full_disclosure": RED,
    "ladder": AMBER,
    "parameter_free_ladder": BLUE,
    "shaky_ladder": BROWN,
    "spending_ladder": PURPLE,
    "witness_ladder": GREEN,
}
MECHANISM_NAMES = {
    "full_disclosure": "full disclosure",
    "ladder": "Ladder",
    "parameter_free_ladder": "parameter-free Ladder",
    "shaky_ladder": "Shaky Ladder",
    "spending_ladder": "Spending Ladder",
    "witness_ladder": "Witness Ladder",
}


def label_end(
    axes: "Axes", x: Sequence[float], y: Sequence[float], text: str, colour: str = INK, *, shift: float = 0.0
) -> None:
    """Write ``text`` at the right end of a line, ``shift`` points above it."""
    axes.annotate(
        text, (x[-1], y[-1]), xytext=(5, shift), textcoords="offset points", color=colour, va="center", size=8
    )


def title_left(axes: "Axes", text: str) -> None:
    """Set a panel's title, flush left."""
    axes.set_title(text, loc="left")


def band(axes: "Axes", x: Sequence[float], low: Any, high: Any, colour: str) -> None:
    """Shade the region where a mean of as many runs as the paper's is expected."""
    axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
