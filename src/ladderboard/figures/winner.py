"""The winner's score before and after the correction."""

from pathlib import Path

from ladderboard.figures.canvas import ACCENT, MUTED, new_axes, save
from ladderboard.inference.measure import Measure
from ladderboard.inference.winner import WinnerEstimate


def save_winner(estimate: WinnerEstimate, path: Path, *, measure: Measure) -> None:
    """Draw the observed score and the corrected one with their intervals, and write the figure."""
    figure, axes = new_axes(6.0, 1.9)
    rows = (
        ("as observed", estimate.naive, estimate.naive_interval, MUTED),
        ("corrected", estimate.value, estimate.interval, ACCENT),
    )
    for row, (_, loss, interval, colour) in enumerate(rows):
        axes.plot([measure.score(end) for end in interval], [row, row], color=colour, linewidth=5)
        axes.plot(measure.score(loss), row, "o", color="white", markeredgecolor=colour, markersize=6)
    axes.set_yticks(range(2), [row[0] for row in rows])
    axes.set_ylim(1.6, -0.6)
    axes.set_xlabel(measure.name)
    title = f"{estimate.system}, {100 * estimate.confidence:g} % intervals"
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)
    save(figure, path, title=title)
