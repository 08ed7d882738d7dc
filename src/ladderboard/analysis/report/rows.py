"""The one table of a report: a row for each system, with its rank range as a whisker and its score with an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladderboard.drawing.elements import Drawing, escape, join
from ladderboard.drawing.names import shorten_names
from ladderboard.drawing.page import Cell
from ladderboard.drawing.whiskers import RankAxis, rank_axis, rank_whisker
from ladderboard.inference.measure import ACCURACY, Measure
from ladderboard.inference.rank_ranges import RankRange

NAME_LENGTH = 60


@dataclass(frozen=True)
class Row:
    """One system of the table."""

    range: RankRange
    score: float
    interval: tuple[float, float]
    """Of its own score alone, as the measure shows it."""
    more: Mapping[str, str]
    """Heading → value, where systems differ: runs, tasks, cost."""

    @property
    def span(self) -> str:
        one = self.range
        return f"{one.best:,}" if one.best == one.worst else f"{one.best:,}–{one.worst:,}"

    @property
    def not_separable(self) -> int:
        """From how many other systems it is not told apart: whoever is, is certainly better or certainly worse."""
        return self.range.worst - self.range.best

    def error(self) -> float:
        """The longer arm of the interval."""
        return max(self.score - self.interval[0], self.interval[1] - self.score)


def render_table(rows: Sequence[Row], measure: Measure) -> Drawing:
    """The table as HTML; every head sorts it where scripts run."""
    axis = RankAxis.over([(row.range.best, row.range.worst) for row in rows])
    names = shorten_names([row.range.system for row in rows], NAME_LENGTH)
    more = list(rows[0].more)
    heads = [
        '<th scope="col" class="range" data-sort="1">ranks</th>',
        f'<th scope="col" class="whisker">{rank_axis(axis)}</th>',
        '<th scope="col" data-sort="1">system</th>',
        f'<th scope="col" class="score" data-sort="1">{escape(measure.name)}</th>',
        *(f'<th scope="col" class="num" data-sort="1">{escape(name)}</th>' for name in more),
    ]
    lines = join(_render_row(row, name, measure, axis) for row, name in zip(rows, names, strict=True))
    return Drawing(
        f'<div class="scroll" tabindex="0" role="region" aria-label="Ranks"><table class="ranks"><thead><tr>'
        f"{''.join(heads)}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n"
    )


def _render_row(row: Row, name: str, measure: Measure, axis: RankAxis) -> Drawing:
    one = row.range
    whisker = rank_whisker(one.best, one.worst, rank=one.rank, axis=axis)
    full = "" if name == one.system else f' title="{escape(one.system)}"'
    ends = " to ".join(measure.format_score(end) for end in row.interval)
    more = "".join(
        f'<td class="num more" data-head="{escape(head)}" data-value="{escape(value.replace(",", ""))}">'
        f"{escape(value)}</td>"
        for head, value in row.more.items()
    )
    return Drawing(
        f'<tr><td class="range" data-value="{one.best + one.worst / 1e6:.6f}">{row.span}</td>'
        f'<td class="whisker">{whisker}</td><th scope="row"{full}><bdi>{escape(name)}</bdi></th>'
        f'<td class="score" data-value="{row.score:.6g}" title="{escape(ends)}">'
        f"{escape(measure.format_score(row.score))} <small>± {format_error(measure, row.error())}</small></td>"
        f"{more}</tr>\n"
    )


def list_cells(rows: Sequence[Row], measure: Measure) -> list[list[Cell]]:
    """The same for Markdown."""
    head = ["ranks", "system", measure.name, "±", "not told apart from", *rows[0].more]
    return [
        [*head],
        *(
            [
                row.span,
                row.range.system,
                measure.format_score(row.score),
                format_error(measure, row.error()),
                f"{row.not_separable} others" if row.not_separable != 1 else "1 other",
                *row.more.values(),
            ]
            for row in rows
        ),
    ]


def format_error(measure: Measure, error: float) -> str:
    """The arm of an interval.

    >>> format_error(ACCURACY, 0.0123)
    '1.23'
    """
    return f"{100 * error:.2f}" if measure == ACCURACY else f"{error:.4f}"
