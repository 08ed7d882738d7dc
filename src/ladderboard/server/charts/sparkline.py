"""A team's scores on the board as a sparkline. Up is better, whatever the metric."""

from collections.abc import Sequence

from ladderboard.core.score_format import ScoreFormat
from ladderboard.drawing.elements import Drawing, glyph, steps, tag
from ladderboard.drawing.scale import Linear

WIDTH, HEIGHT, MARGIN = 72, 20, 3


def sparkline(values: Sequence[float], scores: ScoreFormat, *, lower_is_better: bool) -> Drawing:
    """The released scores in their order; the last has a dot. Nothing where there is none.

    >>> sparkline([], ScoreFormat(), lower_is_better=True)
    ''
    """
    if not values:
        return Drawing("")
    low, high = min(values), max(values)
    best, worst = (low, high) if lower_is_better else (high, low)
    across = Linear(0, len(values), MARGIN, WIDTH - MARGIN - 1)
    up = Linear(worst, best, HEIGHT - MARGIN - 1, MARGIN + 1)
    points = [(across(i), up(value)) for i, value in enumerate(values)]
    points.append((across(len(values)), points[-1][1]))
    line = tag("path", d=steps(points), class_="ch-line")
    dot = tag("circle", cx=points[-1][0], cy=points[-1][1], r=2.2, class_="ch-dot")
    return glyph(WIDTH, HEIGHT, [line, dot], label=_label(values, scores), class_="ch ch-spark")


def _label(values: Sequence[float], scores: ScoreFormat) -> str:
    if len(values) == 1:
        return f"one score shown, {scores.write(values[0])}"
    return f"{len(values)} scores shown, from {scores.write(values[0])} to {scores.write(values[-1])}"
