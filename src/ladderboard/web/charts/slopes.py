"""The shake-up: public ranks on the left, private ranks on the right, a line for each team."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ladderboard.web.charts.drawing import picture, tag, together

WIDTH, LEFT, RIGHT = 720, 250, 250
STEP, TOP = 22, 34
MOST_LABEL = 26


@dataclass(frozen=True)
class Shift:
    """A team's rank on the public board and on the private one."""

    team: str
    public_rank: int
    private_rank: int
    is_baseline: bool = False


def shake_up(shifts: Sequence[Shift], *, most: int = 30) -> Markup:
    """The slope chart of the ``most`` best teams of the private board. Ties share a rank and lie below one another."""
    chosen = sorted(shifts, key=lambda s: (s.private_rank, s.public_rank, s.team))[:most]
    if not chosen:
        return Markup("")
    left = sorted(chosen, key=lambda s: (s.public_rank, s.private_rank, s.team))
    heights = {shift.team: i for i, shift in enumerate(left)}
    lines = [_slope(shift, heights[shift.team], i) for i, shift in enumerate(chosen)]
    heads = tag("text", "public board", x=LEFT - 14, y=14, text_anchor="end", class_="ch-label")
    heads += tag("text", "private board", x=WIDTH - RIGHT + 14, y=14, class_="ch-label")
    moved = max(chosen, key=lambda s: abs(s.public_rank - s.private_rank))
    return picture(
        WIDTH,
        TOP + STEP * len(chosen),
        [heads, *lines],
        title=f"From public to private rank, {len(chosen)} teams",
        description=f"The largest move: {moved.team}, from {moved.public_rank} to {moved.private_rank}.",
        class_="ch ch-wide",
    )


def _slope(shift: Shift, from_row: int, to_row: int) -> Markup:
    start, end = TOP + STEP * from_row, TOP + STEP * to_row
    up = shift.private_rank < shift.public_rank
    kind = "ch-level" if shift.private_rank == shift.public_rank else "ch-rise" if up else "ch-fall"
    name = shift.team if len(shift.team) <= MOST_LABEL else shift.team[: MOST_LABEL - 1] + "…"
    weight = "ch-name ch-muted" if shift.is_baseline else "ch-name"
    return together(
        [
            tag("path", d=f"M{LEFT} {start}L{WIDTH - RIGHT} {end}", class_=f"ch-slope {kind}"),
            tag("circle", cx=LEFT, cy=start, r=3, class_="ch-dot"),
            tag("circle", cx=WIDTH - RIGHT, cy=end, r=3, class_="ch-dot"),
            tag("text", f"{name}  {shift.public_rank}", x=LEFT - 14, y=start + 4, text_anchor="end", class_=weight),
            tag("text", f"{shift.private_rank}  {name}", x=WIDTH - RIGHT + 14, y=end + 4, class_=weight),
        ]
    )
