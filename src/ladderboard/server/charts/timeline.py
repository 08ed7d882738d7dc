"""A competition's dates as a timeline, filled up to now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ladderboard.drawing.elements import Drawing, picture, tag
from ladderboard.drawing.scale import Linear
from ladderboard.server.app.text import moment as written

WIDTH, HEIGHT, LEFT, RIGHT = 560, 62, 8, 8
RAILS = (14, 26)
LABEL_ROOM = 100
"""A name nearer than this to the next one is left out; the dates stand below the chart anyway."""


@dataclass(frozen=True)
class Moment:
    """A named time: opens, deadline, reveal."""

    name: str
    at: datetime


def timeline(moments: Sequence[Moment], *, now: datetime) -> Drawing:
    """The line from the first date to the last, with ``now`` marked. Needs at least two dates."""
    ordered = sorted(moments, key=lambda moment: moment.at)
    if len(ordered) < 2 or ordered[0].at == ordered[-1].at:
        return Drawing("")
    across = Linear(ordered[0].at.timestamp(), ordered[-1].at.timestamp(), LEFT, WIDTH - RIGHT)
    here = min(max(across(now.timestamp()), LEFT), WIDTH - RIGHT)
    upper, lower = RAILS
    rungs = "".join(f"M{LEFT + i * (WIDTH - LEFT - RIGHT) / 36:.1f} {upper}V{lower}" for i in range(37))
    parts = [
        tag("path", d=f"M{LEFT} {upper}H{WIDTH - RIGHT}M{LEFT} {lower}H{WIDTH - RIGHT}{rungs}", class_="ch-rung"),
        tag("path", d=f"M{LEFT} {upper}H{here:.1f}M{LEFT} {lower}H{here:.1f}", class_="ch-line"),
    ]
    for i, moment in enumerate(ordered):
        x = across(moment.at.timestamp())
        anchor = "start" if i == 0 else "end" if i == len(ordered) - 1 else "middle"
        kind = "ch-passed" if moment.at <= now else "ch-coming"
        parts.append(tag("path", d=f"M{x:.1f} {upper - 6}V{lower + 6}", class_=f"ch-moment {kind}"))
        following = across(ordered[i + 1].at.timestamp()) if i + 1 < len(ordered) else WIDTH + LABEL_ROOM
        if following - x >= LABEL_ROOM:
            parts.append(tag("text", moment.name, x=x, y=54, text_anchor=anchor, class_="ch-tick"))
    if all(abs(across(moment.at.timestamp()) - here) >= LABEL_ROOM for moment in ordered):
        parts.append(tag("text", "now", x=here, y=54, text_anchor="middle", class_="ch-tick"))
    parts.append(tag("circle", cx=here, cy=(upper + lower) / 2, r=5, class_="ch-step"))
    words = "; ".join(f"{moment.name} {written(moment.at)}" for moment in ordered)
    share = (here - LEFT) / (WIDTH - LEFT - RIGHT)
    return picture(
        WIDTH,
        HEIGHT,
        parts,
        title=f"{share:.0%} of the time has passed",
        description=words,
        class_="ch ch-wide ch-time",
    )
