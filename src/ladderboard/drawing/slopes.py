"""The shake-up chart: public ranks on the left, private ranks on the right, a line for each team."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ladderboard.drawing.elements import Drawing, join, picture, tag

STEP, TOP = 22, 34
RANK_ROOM = 34


@dataclass(frozen=True)
class Sheet:
    """Where things are: the slopes lie between ``start`` and ``end``.

    ``most_ems`` is how wide a name may be, in ems of its letters; it ends before the drawing does.
    """

    width: int
    start: int
    end: int
    most_ems: float
    has_names_twice: bool
    class_: str


WIDE = Sheet(720, 250, 470, 13.0, True, "ch ch-slopes")
NARROW = Sheet(340, 36, 150, 10.0, False, "ch ch-slopes narrow")
"""For phones: the names stand at the private ranks only."""


@dataclass(frozen=True)
class Shift:
    """A team's rank on the public board and on the private one."""

    team: str
    public_rank: int
    private_rank: int
    is_baseline: bool = False


def shake_up(shifts: Sequence[Shift], *, most: int = 30, sheet: Sheet = WIDE) -> Drawing:
    """The slope chart of the ``most`` best teams of the private board.

    A rank is at the same height on both sides: equal ranks are level, and a line falls where a rank gets worse. Ties
    share a rank and lie below one another.
    """
    chosen = sorted(shifts, key=lambda s: (s.private_rank, s.public_rank, s.team))[:most]
    if not chosen:
        return Drawing("")
    rows, count = _place(chosen)
    lines = [_slope(shift, *rows[shift.team], sheet) for shift in chosen]
    anchored = {"x": sheet.start - 14, "text_anchor": "end"} if sheet.has_names_twice else {"x": 0}
    heads = tag("text", "public board", **anchored, y=14, class_="ch-label")
    heads += tag("text", "private board", x=sheet.end + 14, y=14, class_="ch-label")
    moved = max(chosen, key=lambda s: abs(s.public_rank - s.private_rank))
    return picture(
        sheet.width,
        TOP + STEP * count,
        [heads, *lines],
        title=f"From public to private rank, {len(chosen)} team{'' if len(chosen) == 1 else 's'}",
        description=f"The largest move: {moved.team}, from {moved.public_rank} to {moved.private_rank}.",
        class_=sheet.class_,
    )


def _place(shifts: Sequence[Shift]) -> tuple[dict[str, tuple[int, int]], int]:
    """The rows of each team on the left and on the right, and how many rows there are.

    Every rank has a block of rows, as high as the larger of its two ties; teams that keep their rank come first in it.
    """
    rows: dict[str, list[int]] = {shift.team: [0, 0] for shift in shifts}
    top = 0
    for rank in sorted({rank for shift in shifts for rank in (shift.public_rank, shift.private_rank)}):
        sides = (
            [shift for shift in shifts if shift.public_rank == rank],
            [shift for shift in shifts if shift.private_rank == rank],
        )
        for side, tied in enumerate(sides):
            ordered = sorted(tied, key=lambda s: (s.public_rank != s.private_rank, s.team))
            for row, shift in enumerate(ordered, start=top):
                rows[shift.team][side] = row
        top += max(map(len, sides))
    return {team: (left, right) for team, (left, right) in rows.items()}, top


def _slope(shift: Shift, from_row: int, to_row: int, sheet: Sheet) -> Drawing:
    start, end = TOP + STEP * from_row, TOP + STEP * to_row
    up = shift.private_rank < shift.public_rank
    kind = "ch-level" if shift.private_rank == shift.public_rank else "ch-rise" if up else "ch-fall"
    name, weight = _shorten(shift.team, sheet.most_ems), "ch-name ch-muted" if shift.is_baseline else "ch-name"
    left, right = sheet.start - 14, sheet.end + 14
    # Rank and name apart: in one text a name that runs from right to left would take the rank to its other side.
    first = tag("text", name, x=left - RANK_ROOM, y=start + 4, text_anchor="end", class_=weight)
    return join(
        [
            tag("path", d=f"M{sheet.start} {start}L{sheet.end} {end}", class_=f"ch-slope {kind}"),
            tag("circle", cx=sheet.start, cy=start, r=3, class_="ch-dot"),
            tag("circle", cx=sheet.end, cy=end, r=3, class_="ch-dot"),
            tag("text", f"{shift.public_rank}", x=left, y=start + 4, text_anchor="end", class_="ch-name"),
            first if sheet.has_names_twice else Drawing(""),
            tag("text", f"{shift.private_rank}", x=right, y=end + 4, class_="ch-name"),
            tag("text", name, x=right + RANK_ROOM, y=end + 4, class_=weight),
        ]
    )


def _shorten(name: str, most_ems: float) -> str:
    """The name, cut where it would not fit.

    >>> _shorten("Kernel Panic", 13), _shorten("W" * 40, 13)
    ('Kernel Panic', 'WWWWWWWWWWWWW…')
    """
    wide = 0.0
    for i, letter in enumerate(name):
        wide += _ems(letter)
        if wide > most_ems:
            return name[:i].rstrip() + "…"
    return name


def _ems(letter: str) -> float:
    """About how wide a letter is; rather too much than too little."""
    if unicodedata.east_asian_width(letter) in "WF" or letter in "WMmw@—…":
        return 1.0
    if letter in "ijltf.,:;'|! ()[]":
        return 0.35
    return 0.75 if letter.isupper() else 0.58
