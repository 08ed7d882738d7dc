"""Submissions per hour as bars: accepted below, the rest above, so that a burst of probing is seen at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from ladderboard.web.charts.drawing import picture, tag
from ladderboard.web.charts.scale import Linear, ticks

WIDTH, HEIGHT = 720, 180
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 30
LABELS = 6


@dataclass(frozen=True)
class HourBar:
    """The submissions that arrived in the hour that begins at ``start`` (in the zone in which it is to be written)."""

    start: datetime
    scored: int
    accepted: int


def submissions_per_hour(hours: Sequence[HourBar]) -> Markup:
    """The chart, oldest hour on the left. Empty where there is no hour."""
    if not hours:
        return Markup("")
    most = max(1, *(hour.scored for hour in hours))
    up = Linear(0, most, HEIGHT - BOTTOM, TOP)
    slot = (WIDTH - LEFT - RIGHT) / len(hours)
    total = sum(hour.scored for hour in hours)
    busiest = max(hours, key=lambda hour: hour.scored)
    return picture(
        WIDTH,
        HEIGHT,
        [*_rungs(most, up), *_bars(hours, up, slot), *_labels(hours, slot)],
        title=f"Submissions in each of the last {len(hours)} hours",
        description=f"{total} in all; the most, {busiest.scored}, in the hour of {busiest.start:%d %b %H:%M}.",
        class_="ch ch-wide",
    )


def _rungs(most: int, up: Linear) -> list[Markup]:
    parts = []
    for value in ticks(0, most, most=3):
        if value == int(value):
            parts.append(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
            label = f"{value:.0f}"
            parts.append(tag("text", label, x=LEFT - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick"))
    return parts


def _bars(hours: Sequence[HourBar], up: Linear, slot: float) -> list[Markup]:
    floor, wide = up(0), max(1.0, slot * 0.72)
    parts = []
    for i, hour in enumerate(hours):
        x = LEFT + i * slot + (slot - wide) / 2
        if hour.scored:
            parts.append(
                tag("rect", x=x, y=up(hour.scored), width=wide, height=floor - up(hour.scored), class_="ch-bar")
            )
        if hour.accepted:
            top = up(hour.accepted)
            parts.append(tag("rect", x=x, y=top, width=wide, height=floor - top, class_="ch-bar ch-strong"))
    return parts


def _labels(hours: Sequence[HourBar], slot: float) -> list[Markup]:
    stride = max(1, len(hours) // LABELS)
    return [
        tag("text", f"{hour.start:%d %b %H:%M}", x=LEFT + (i + 0.5) * slot, y=HEIGHT - 8, class_="ch-tick")
        for i, hour in enumerate(hours)
        if i % stride == 0 and LEFT + (i + 0.5) * slot < WIDTH - 70
    ]
