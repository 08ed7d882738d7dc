"""Plausible ranks as horizontal whiskers, one for each row of a board, on a common axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladderboard.drawing.elements import Drawing, join, short, tag
from ladderboard.drawing.scale import Linear

WIDTH, ROW_HEIGHT, MARGIN = 168, 20, 6
DIGIT = 7
"""How wide a digit of the axis is."""


@dataclass(frozen=True)
class RankAxis:
    """The ranks one page of a board spans, from the best to the worst plausible for any row."""

    best: int
    worst: int

    @classmethod
    def over(cls, ranges: Sequence[tuple[int, int]]) -> "RankAxis":
        """The axis on which all of these (best, worst) can be drawn.

        >>> RankAxis.over([(1, 4), (2, 9)])
        RankAxis(best=1, worst=9)
        """
        if not ranges:
            return cls(1, 1)
        return cls(min(best for best, _ in ranges), max(worst for _, worst in ranges))

    def place(self, rank: float) -> float:
        return Linear(self.best, self.worst, MARGIN, WIDTH - MARGIN)(rank)

    def ticks(self) -> list[int]:
        """The ends and a few round ranks between them that have room for their digits."""
        digits = len(f"{self.worst:,}")
        span = self.worst - self.best
        if span == 0 or (span < 8 and (WIDTH - 2 * MARGIN) / span >= 8 + DIGIT * digits):
            return list(range(self.best, self.worst + 1))
        step = next(s for e in range(9) for s in (10**e, 2 * 10**e, 5 * 10**e) if (self.worst - self.best) / s <= 4)
        inner = range(-(-self.best // step) * step, self.worst, step)
        room = 8 + 1.5 * DIGIT * digits  # the labels of the ends lie inward of them, the others on both sides
        ends = self.place(self.best), self.place(self.worst)
        kept = [rank for rank in inner if all(abs(self.place(rank) - end) >= room for end in ends)]
        return [self.best, *kept, self.worst]


def rank_axis(axis: RankAxis) -> Drawing:
    """The axis in the column's head. It is decoration: every row states its range in words."""
    labels = [
        tag("text", f"{rank:,}", x=axis.place(rank), y=10, text_anchor=_anchor(axis, rank), class_="ch-tick")
        for rank in axis.ticks()
    ]
    strokes = "".join(f"M{short(axis.place(rank))} 14V18" for rank in axis.ticks())
    line = tag("path", d=f"M{MARGIN} 18H{WIDTH - MARGIN}{strokes}", class_="ch-axis")
    content = join([*labels, line])
    return tag(
        "svg", content, viewBox=f"0 0 {WIDTH} 20", width=WIDTH, height=20, aria_hidden="true", class_="ch ch-axis-row"
    )


def rank_whisker(best: int, worst: int, *, rank: int, axis: RankAxis) -> Drawing:
    """One row: a line from the best to the worst plausible rank and a dot at the rank that is shown."""
    middle = ROW_HEIGHT // 2
    left, right, here = axis.place(best), axis.place(worst), axis.place(min(max(rank, best), worst))
    # A whisker over a single rank is still a mark one can see.
    left, right = (left, right) if right - left >= 3 else (left - 1.5, right + 1.5)
    label = f"rank {best:,}" if best == worst else f"ranks {best:,} to {worst:,}"
    start, end = short(left), short(right)
    # Else numbers only, so that nothing needs escaping; drawn for every row of every page of the board.
    return Drawing(
        f'<svg viewBox="0 0 {WIDTH} {ROW_HEIGHT}" width="{WIDTH}" height="{ROW_HEIGHT}" role="img" '
        f'aria-label="{label}" class="ch ch-rank"><path d="M{MARGIN} {middle}H{WIDTH - MARGIN}" class="ch-guide"/>'
        f'<path d="M{start} {middle}H{end}M{start} 5V15M{end} 5V15" class="ch-whisker"/>'
        f'<circle cx="{short(here)}" cy="{middle}" r="3.5" class="ch-dot"/></svg>'
    )


def _anchor(axis: RankAxis, rank: int) -> str:
    if axis.best == axis.worst:
        return "middle"
    return "start" if rank == axis.best else "end" if rank == axis.worst else "middle"
