"""Charts of the organiser's dashboard: how much of the test set is used up, and submissions by hour."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ladderboard.drawing.elements import Drawing, picture, tag
from ladderboard.drawing.scale import Linear, number_text, ticks
from ladderboard.server.app.text import short_date, short_moment

METER_WIDTH, METER_HEIGHT = 480, 64
METER_LEFT, METER_RIGHT, LINE = 8, 8, 26


def leakage_meter(bits: float, *, limit: float | None = None, overfit_bound: float | None = None) -> Drawing:
    """The gauge.

    Without a limit the rule ends at a round number beyond twice as much: a bar that is nearly full would speak of a
    limit where there is none.
    """
    end = limit if limit else _round_up(2 * bits)
    across = Linear(0, end, METER_LEFT, METER_WIDTH - METER_RIGHT)
    here = across(min(bits, end))
    share = bits / end if end else 1.0
    level = "ch-spent" if limit and share >= 1 else "ch-warm" if limit and share >= 0.75 else ""
    parts = [
        tag(
            "rect",
            x=METER_LEFT,
            y=LINE - 7,
            width=METER_WIDTH - METER_LEFT - METER_RIGHT,
            height=14,
            rx=7,
            class_="ch-trough",
        ),
    ]
    if bits > 0:
        wide = max(14.0, here - METER_LEFT)
        parts.append(
            tag("rect", x=METER_LEFT, y=LINE - 7, width=wide, height=14, rx=7, class_=f"ch-fill {level}".strip())
        )
    for value in ticks(0, end, most=5):
        anchor = "start" if value == 0 else "end" if value == end else "middle"
        parts.append(tag("text", number_text(value), x=across(value), y=52, text_anchor=anchor, class_="ch-tick"))
    return picture(
        METER_WIDTH,
        METER_HEIGHT,
        parts,
        title=_title(bits, limit),
        description=_words(overfit_bound),
        class_="ch ch-meter",
    )


def _round_up(bits: float) -> float:
    step = next(s for e in range(12) for s in (10**e, 2 * 10**e, 5 * 10**e) if s > bits)
    return float(max(step, 10))


def _title(bits: float, limit: float | None) -> str:
    if limit:
        return f"{bits:,.0f} of at most {limit:,.0f} bits released"
    return f"{bits:,.0f} bits released"


def _words(overfit_bound: float | None) -> str:
    if overfit_bound is None:
        return ""
    said = "No submission's score is further than {bound} from its true score, with probability 95 %."
    return said.format(bound=f"{overfit_bound:.3f}")


WIDTH, HEIGHT = 560, 170
LEFT, RIGHT, TOP, BOTTOM = 44, 6, 14, 32
NAMED = 12
"""Hours of a day that must be on the chart for its name to have room."""


@dataclass(frozen=True)
class HourBar:
    """The submissions that arrived in the hour that begins at ``start`` (in the zone in which it is to be written)."""

    start: datetime
    scored: int
    accepted: int


def submissions_per_hour(hours: Sequence[HourBar]) -> Drawing:
    """The chart, oldest hour on the left. Empty where there is no hour."""
    if not hours:
        return Drawing("")
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
        description=f"{total} in all; the most in one hour was {busiest.scored}, at {short_moment(busiest.start)}.",
        class_="ch ch-wide",
    )


def _rungs(most: int, up: Linear) -> list[Drawing]:
    parts = []
    for value in ticks(0, most, most=3):
        if value == int(value):
            parts.append(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
            label = f"{value:.0f}"
            parts.append(tag("text", label, x=LEFT - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick"))
    return parts


def _bars(hours: Sequence[HourBar], up: Linear, slot: float) -> list[Drawing]:
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


def _labels(hours: Sequence[HourBar], slot: float) -> list[Drawing]:
    """The days, each named in its middle; every other one can be left out where there is little room."""
    days: dict[date, list[int]] = {}
    for i, hour in enumerate(hours):
        days.setdefault(hour.start.date(), []).append(i)
    parts = []
    for n, (day, places) in enumerate(days.items()):
        if n:
            x = LEFT + places[0] * slot
            parts.append(tag("path", d=f"M{x:.1f} {HEIGHT - BOTTOM}v5", class_="ch-axis"))
        if len(places) >= NAMED:
            middle = LEFT + (places[0] + places[-1] + 1) / 2 * slot
            kind = "ch-tick ch-odd" if n % 2 else "ch-tick"
            parts.append(tag("text", short_date(day), x=middle, y=HEIGHT - 8, text_anchor="middle", class_=kind))
    return parts
