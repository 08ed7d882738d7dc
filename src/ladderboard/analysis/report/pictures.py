"""The pictures of a report, as SVG: rank ranges, records over time, and the badge."""

from collections.abc import Sequence
from html import escape

from ladderboard.analysis.records_audit import RecordsAudit
from ladderboard.inference.measure import Measure
from ladderboard.inference.rank_ranges import RankRange

ROW = 36
"""Two lines: name and score, and the bar under them."""
WIDTH = 340
"""A phone's: pictures are as wide as its text, and their letters as large."""
EDGE = 6
MOST_ROWS = 100
NAME_LENGTH = 38
_ACCENT, _SECOND = "var(--accent, #0b6e99)", "var(--soft, #5b6570)"
_STYLE = (
    "<style>svg { color: #20252b; } @media (prefers-color-scheme: dark) { svg { color: #e6e9ed; "
    "--accent: #6cc3e8; --soft: #a0a9b4; } }</style>"
)


def draw_rank_ranges(ranges: Sequence[RankRange], measure: Measure) -> str:
    """A bar for each system from its best to its worst rank, the observed rank marked; the first hundred systems."""
    shown, systems = ranges[:MOST_ROWS], len(ranges)
    height = ROW * len(shown) + 44
    parts = [_draw_axis(systems, height)]
    for row, one in enumerate(shown):
        top = 22 + ROW * row
        first, last, rank = (_place_rank(value, systems) for value in (one.best - 0.45, one.worst + 0.45, one.rank))
        score = measure.format_score(measure.score(one.score))
        span = f"rank {one.rank}, range {one.best} to {one.worst}"
        parts.append(
            f"<g><title>{escape(one.system)}: {span}, {score}</title>"
            f'<text x="{EDGE}" y="{top + 13}">{escape(_shorten(one.system))}</text>'
            f'<text x="{WIDTH - EDGE}" y="{top + 13}" text-anchor="end">{score}</text>'
            f'<rect x="{first:.1f}" y="{top + 19}" width="{last - first:.1f}" height="8" rx="2" fill="{_ACCENT}"/>'
            f'<circle cx="{rank:.1f}" cy="{top + 23}" r="4" fill="#ffffff" stroke="{_ACCENT}" stroke-width="2"/></g>'
        )
    return _wrap("".join(parts), WIDTH, height)


def draw_records(audit: RecordsAudit, measure: Measure) -> str:
    """Every entry as a dot in the order of time, the claimed record as a line, records beyond luck filled."""
    scores = [measure.score(loss) for loss in audit.losses]
    low, high = min(scores), max(scores)
    height, left, right = 256.0, 66.0, 14.0

    def place(position: int, score: float) -> tuple[float, float]:
        across = 0.5 if len(scores) == 1 else position / (len(scores) - 1)
        up = 0.5 if high == low else (score - low) / (high - low)
        return left + across * (WIDTH - left - right), 20 + (1 - up) * (height - 76)

    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_SECOND}"><title>{escape(audit.systems[j])}: '
        f"{measure.format_score(score)}</title></circle>"
        for j, score in enumerate(scores)
        if all(claim.position != j for claim in audit.claims)
        for x, y in [place(j, score)]
    )
    claims = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{_ACCENT if claim.is_real else "none"}" stroke="{_ACCENT}" '
        f'stroke-width="2"><title>{escape(claim.system)}: record, {"beyond luck" if claim.is_real else "may be luck"}'
        f"</title></circle>"
        for claim in audit.claims
        for x, y in [place(claim.position, measure.score(claim.loss))]
    )
    labels = "".join(
        f'<text x="56" y="{place(0, score)[1] + 4:.1f}" text-anchor="end">{measure.format_score(score)}</text>'
        for score in dict.fromkeys((high, low))
    )
    words = ("filled: a record beyond luck", "ring: a record that may be luck")
    legend = "".join(
        f'<text x="{EDGE}" y="{height - 26 + 18 * line:g}">{text}</text>' for line, text in enumerate(words)
    )
    return _wrap(labels + dots + claims + legend, WIDTH, height)


def draw_badge(one: RankRange, *, systems: int, items: int) -> str:
    """A badge with the range of one system: ``ranks 1–9 of 40, n = 500``."""
    words = describe_range(one, systems=systems, items=items)
    width = 12 + 6.6 * len(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="20" viewBox="0 0 {width:.0f} 20" '
        f'role="img" aria-label="{escape(words)}"><title>{escape(one.system)}: {escape(words)}</title>'
        f'<rect width="{width:.0f}" height="20" rx="4" fill="#0b6e99"/><text x="{width / 2:.0f}" y="14" '
        f'fill="#ffffff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle" '
        f'textLength="{width - 14:.0f}">{escape(words)}</text></svg>\n'
    )


def describe_range(one: RankRange, *, systems: int, items: int) -> str:
    """The words of the badge."""
    span = f"rank {one.best}" if one.best == one.worst else f"ranks {one.best}–{one.worst}"
    return f"{span} of {systems}, n = {items}"


def _draw_axis(systems: int, height: int) -> str:
    ticks = sorted({1, systems, *(round(1 + (systems - 1) * part / 4) for part in (1, 2, 3))})
    lines = "".join(
        f'<line x1="{_place_rank(rank, systems):.1f}" x2="{_place_rank(rank, systems):.1f}" y1="22" '
        f'y2="{height - 18}" stroke="currentColor" stroke-opacity=".15"/>'
        f'<text x="{_place_rank(rank, systems):.1f}" y="{height - 4}" text-anchor="middle">{rank}</text>'
        for rank in ticks
    )
    return f'{lines}<text x="{EDGE}" y="14" fill-opacity=".75">rank: range (bar) and observed (dot)</text>'


def _place_rank(rank: float, systems: int) -> float:
    """Every rank has a strip of the same width, and its place is the middle."""
    return EDGE + (rank - 0.5) / systems * (WIDTH - 2 * EDGE)


def _shorten(name: str) -> str:
    """A long name without its middle: names of models differ at their ends."""
    end = NAME_LENGTH // 2
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - end - 1]}…{name[-end:]}"


def _wrap(body: str, width: float, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" class="narrow" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        f"{_STYLE}{body}</svg>"
    )
