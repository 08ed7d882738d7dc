"""Small tables and drawings for notebooks: HTML that reads well on light and on dark, with every text escaped.

Colours are the notebook's own text colour, a grey that shows on both, and one accent; nothing has a background.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ladderboard.drawing.elements import Drawing, escape

if TYPE_CHECKING:
    from ladderboard.core.records import Release

ACCENT = "#3b82c4"
GREY = "rgba(128, 128, 128, 0.45)"
CELL = f"padding: 0.2em 0.8em 0.2em 0; text-align: left; border-bottom: 1px solid {GREY}; background: none"
WIDTH, HEIGHT, MARGIN = 240, 22, 6
CHART_HEIGHT = 60
MOST_ROWS = 100


def make_table(rows: Iterable[Sequence[object]], *, header: Sequence[str] = (), caption: str = "") -> str:
    """Make a table of cells, which are escaped unless they are drawings; None is shown as a dash.

    >>> "&lt;b&gt;" in make_table([("<b>", None)])
    True
    """
    listed = list(rows)
    head = "".join(f'<th style="{CELL}">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(_make_cell(cell) for cell in row)}</tr>" for row in listed[:MOST_ROWS])
    left = len(listed) - MOST_ROWS
    more = f'<div style="opacity: 0.7">… and {left:,} more</div>' if left > 0 else ""
    title = f'<div style="font-weight: 600; margin: 0.2em 0">{escape(caption)}</div>' if caption else ""
    table = (
        f'<table style="border-collapse: collapse; background: none">{f"<tr>{head}</tr>" if head else ""}{body}</table>'
    )
    return f'<div style="font-variant-numeric: tabular-nums">{title}{table}{more}</div>'


def show_release(release: "Release") -> str:
    """Make the table of a release."""
    rows = [
        ("score of this attempt", "not shown" if release.own_value is None else release.own_value),
        ("score on the board", release.board_value),
        ("its 95 % interval", _draw_interval(release)),
        ("accepted", "yes" if release.accepted else "no"),
    ]
    for word, gain in (("shown", release.shown_gain), ("proven", release.proven_gain)):
        if gain is not None:
            rows.append((f"gain usually {word} next (80 % power)", f"{gain:.2g}"))
    again = ", scored before" if release.is_repeat else ""
    # Without the guard's word nobody knows here whether a number was proven or only shown.
    word = (release.outcome_name or ("accepted" if release.accepted else "no_change")).replace("_", " ").capitalize()
    return make_table(rows, caption=f"{word}: attempt {release.attempt}{again}")


def draw_range(low: float, value: float | None, high: float, *, within: tuple[float, float]) -> Drawing:
    """Draw a bar from low to high, with a dot at the value, on an axis from one end of ``within`` to the other."""
    start, stop = (_place(end, within) for end in (low, high))
    dot = "" if value is None else f'<circle cx="{_place(value, within):.1f}" cy="{HEIGHT / 2}" r="4" fill="{ACCENT}"/>'
    return _wrap(
        HEIGHT,
        f"from {low:g} to {high:g}",
        f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}" stroke="{GREY}"/>'
        f'<line x1="{start:.1f}" x2="{stop:.1f}" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}" stroke="{ACCENT}" '
        f'stroke-width="5" stroke-linecap="round" opacity="0.6"/>{dot}',
    )


def draw_steps(values: Sequence[float], label: str) -> Drawing:
    """Draw values that stay until the next one, the first at the left."""
    low, high = min(values), max(values)
    room = high - low or 1.0
    across = (WIDTH - 2 * MARGIN) / max(1, len(values))
    points = []
    for number, value in enumerate(values):
        y = MARGIN + (CHART_HEIGHT - 2 * MARGIN) * (high - value) / room
        points += [f"{MARGIN + number * across:.1f},{y:.1f}", f"{MARGIN + (number + 1) * across:.1f},{y:.1f}"]
    line = f'<polyline points="{" ".join(points)}" fill="none" stroke="{ACCENT}" stroke-width="2"/>'
    return _wrap(CHART_HEIGHT, label, line)


def _draw_interval(release: "Release") -> Drawing | None:
    if release.interval is None:
        return None
    low, high = release.interval
    room = (high - low) / 2 or 1.0
    bar = draw_range(low, release.board_value, high, within=(low - room, high + room))
    return Drawing(f"{low:g} to {high:g}<br>{bar}")


def _make_cell(cell: object) -> str:
    shown = "–" if cell is None else escape(cell)
    return f'<td style="{CELL}">{shown}</td>'


def _place(value: float, within: tuple[float, float]) -> float:
    share = (value - within[0]) / ((within[1] - within[0]) or 1.0)
    return MARGIN + (WIDTH - 2 * MARGIN) * min(max(share, 0.0), 1.0)


def _wrap(height: int, label: str, content: str) -> Drawing:
    return Drawing(
        f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}" style="vertical-align: middle">{content}</svg>'
    )
