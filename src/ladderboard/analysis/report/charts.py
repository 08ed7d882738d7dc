"""The charts of a report: small multiples of tasks, records over time, and the badge."""

from collections.abc import Sequence

from ladderboard.analysis.records_audit import RecordsAudit
from ladderboard.analysis.report.contents import TaskReport
from ladderboard.drawing.elements import Drawing, escape, join, picture, steps, tag
from ladderboard.drawing.names import shorten_names
from ladderboard.drawing.scale import Linear, number_text, pad_range, ticks
from ladderboard.inference.measure import ACCURACY, Measure
from ladderboard.inference.rank_ranges import RankRange

WIDTH, ROW, NAMES = 320, 18, 132
NAME_LENGTH = 18
BADGE = "#0a5c80"


def draw_task(one: TaskReport, systems: Sequence[str], measure: Measure) -> Drawing:
    """The scores of these systems on one task, each with its interval, on an axis of the task's own."""
    places = {other.system: place for place, other in enumerate(one.ranges)}
    ends = [sorted(measure.score(end) for end in one.intervals[places[name]]) for name in systems]
    scores = [measure.score(one.ranges[places[name]].score) for name in systems]
    across = Linear(*pad_range([end for both in ends for end in both]), NAMES + 8, WIDTH - 8)
    height = ROW * len(systems) + 24
    parts = [_draw_ticks(across, height, measure)]
    for row, (name, (low, high), score) in enumerate(
        zip(shorten_names(systems, NAME_LENGTH), ends, scores, strict=True)
    ):
        y = ROW * row + ROW / 2 + 2
        start, end = f"{across(low):.1f}", f"{across(high):.1f}"
        line = f"M{start} {y:.1f}H{end}M{start} {y - 4:.1f}v8M{end} {y - 4:.1f}v8"
        parts += [
            tag("text", name, x=NAMES, y=y + 4, text_anchor="end", class_="ch-tick"),
            tag("path", d=line, class_="ch-whisker"),
            tag("circle", cx=across(score), cy=y, r=3, class_="ch-dot"),
        ]
    best = ", ".join(other.system for other in one.ranges if other.rank == 1)
    may = sum(other.could_be_first for other in one.ranges)
    description = f"Best: {best}; {may} of {len(one.ranges)} may be first."
    return picture(WIDTH, height, parts, title=f"{measure.name} on {one.task}", description=description, class_="ch")


def draw_records(audit: RecordsAudit, dates: Sequence[str], measure: Measure) -> Drawing:
    """The record as claimed, by the order of entries; filled where it is beyond luck."""
    scores = [measure.score(loss) for loss in audit.losses]
    width, height, left = 560, 240, 56
    up = Linear(*pad_range(scores), height - 40, 12)
    across = Linear(0, max(1, len(scores) - 1), left, width - 12)
    latest, line = scores[0], [(across(0), up(scores[0]))]
    for claim in audit.claims:
        latest = scores[claim.position]
        line.append((across(claim.position), up(latest)))
    line.append((across(len(scores) - 1), up(latest)))
    parts = [
        *(
            tag("text", label(measure, value), x=left - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick")
            + tag("path", d=f"M{left} {up(value):.1f}H{width - 12}", class_="ch-rung")
            for value in ticks(*pad_range(scores))
        ),
        tag("path", d=steps(line), class_="ch-line"),
        *(tag("circle", cx=across(j), cy=up(score), r=2, class_="ch-bar") for j, score in enumerate(scores)),
        *(
            tag(
                "circle",
                cx=across(claim.position),
                cy=up(scores[claim.position]),
                r=5,
                class_="ch-step" if claim.is_real else "ch-open",
            )
            for claim in audit.claims
        ),
        tag("text", dates[0][:10], x=left, y=height - 18, class_="ch-tick"),
        tag("text", dates[-1][:10], x=width - 12, y=height - 18, text_anchor="end", class_="ch-tick"),
        tag("text", "filled: a record beyond luck; ring: it may be luck", x=left, y=height - 2, class_="ch-tick"),
    ]
    title = f"Records of {measure.name} in the order of time"
    return picture(width, height, parts, title=title, description=audit.sentence(), class_="ch ch-wide")


def draw_badge(one: RankRange, *, systems: int, items: int) -> Drawing:
    """A badge with the range of one system: ``ranks 1–9 of 40, n = 500``."""
    words = describe_range(one, systems=systems, items=items)
    width = round(12 + 6.6 * len(words))
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" role="img" '
        f'aria-label="{escape(words)}"><title>{escape(one.system)}: {escape(words)}</title>'
        f'<rect width="{width}" height="20" rx="4" fill="{BADGE}"/><text x="{width / 2:g}" y="14" fill="#ffffff" '
        f'font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle" '
        f'textLength="{width - 14}">{escape(words)}</text></svg>\n'
    )


def describe_range(one: RankRange, *, systems: int, items: int) -> str:
    """The words of the badge."""
    span = f"rank {one.best:,}" if one.best == one.worst else f"ranks {one.best:,}–{one.worst:,}"
    return f"{span} of {systems:,}, n = {items:,}"


def label(measure: Measure, value: float) -> str:
    """A number on an axis: accuracies in per cent."""
    return f"{number_text(100 * value)} %" if measure == ACCURACY else number_text(value)


def _draw_ticks(across: Linear, height: int, measure: Measure) -> Drawing:
    return join(
        tag("path", d=f"M{across(value):.1f} 2V{height - 18}", class_="ch-rung")
        + tag("text", label(measure, value), x=across(value), y=height - 4, text_anchor="middle", class_="ch-tick")
        for value in ticks(across.low, across.high, most=3)
    )
