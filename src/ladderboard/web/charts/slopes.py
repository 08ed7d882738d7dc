"""The shake-up: public ranks on the left, private ranks on the right, a line for each team."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ladderboard.web.charts.drawing import picture, tag, together

WIDTH, LEFT, RIGHT = 720, 250, 250
STEP, TOP = 22, 34
RANK_ROOM = 34
MOST_EMS = 13.0
"""How wide a name may be, in ems of its letters; it ends before the drawing does."""


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
        class_="ch ch-slopes",
    )


def _slope(shift: Shift, from_row: int, to_row: int) -> Markup:
    start, end = TOP + STEP * from_row, TOP + STEP * to_row
    up = shift.private_rank < shift.public_rank
    kind = "ch-level" if shift.private_rank == shift.public_rank else "ch-rise" if up else "ch-fall"
    name, weight = _fitting(shift.team), "ch-name ch-muted" if shift.is_baseline else "ch-name"
    left, right = LEFT - 14, WIDTH - RIGHT + 14
    # Rank and name apart: in one text a name that runs from right to left would take the rank to its other side.
    return together(
        [
            tag("path", d=f"M{LEFT} {start}L{WIDTH - RIGHT} {end}", class_=f"ch-slope {kind}"),
            tag("circle", cx=LEFT, cy=start, r=3, class_="ch-dot"),
            tag("circle", cx=WIDTH - RIGHT, cy=end, r=3, class_="ch-dot"),
            tag("text", f"{shift.public_rank}", x=left, y=start + 4, text_anchor="end", class_="ch-name"),
            tag("text", name, x=left - RANK_ROOM, y=start + 4, text_anchor="end", class_=weight),
            tag("text", f"{shift.private_rank}", x=right, y=end + 4, class_="ch-name"),
            tag("text", name, x=right + RANK_ROOM, y=end + 4, class_=weight),
        ]
    )


def _fitting(name: str) -> str:
    """The name, cut where it would not fit.

    >>> _fitting("Kernel Panic"), _fitting("W" * 40)
    ('Kernel Panic', 'WWWWWWWWWWWWW…')
    """
    wide = 0.0
    for i, letter in enumerate(name):
        wide += _ems(letter)
        if wide > MOST_EMS:
            return name[:i].rstrip() + "…"
    return name


def _ems(letter: str) -> float:
    """About how wide a letter is; rather too much than too little."""
    if unicodedata.east_asian_width(letter) in "WF" or letter in "WMmw@—…":
        return 1.0
    if letter in "ijltf.,:;'|! ()[]":
        return 0.35
    return 0.75 if letter.isupper() else 0.58
