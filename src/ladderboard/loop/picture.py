"""The picture of a loop: open score, certified score and, where it is known, true score over the proposals."""

from collections.abc import Mapping, Sequence

from ladderboard.drawing.elements import Drawing, join, path, picture, steps, tag
from ladderboard.drawing.scale import Linear, number_text, pad_range, ticks
from ladderboard.loop.proposal import Proposal

WIDTH, HEIGHT = 560, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 44, 40
MOST_DOTS = 400
"""Above this many proposals those that were not kept are thinned out."""


def draw_loop(proposals: Sequence[Proposal], truth: Mapping[int, float], title: str) -> Drawing:
    """Draw the open score of what is kept as a staircase with a dot for each proposal, the certified number, the truth.

    ``truth``: true scores by the number of the proposal; drawn for what is kept.
    """
    if not proposals:
        return Drawing("")
    kept = [(one.number, one.open_score) for one in proposals if one.kept]
    certified = [(one.number, one.board_value) for one in proposals if one.certified and one.board_value is not None]
    true = [(one.number, truth[one.number]) for one in proposals if one.kept and one.number in truth]
    shown = [one.open_score for one in proposals] + [value for line in (certified, true) for _, value in line]
    low, high = pad_range(shown)
    up, across = Linear(low, high, HEIGHT - BOTTOM, TOP), Linear(0.5, len(proposals) + 0.5, LEFT, WIDTH - RIGHT)
    parts = [_draw_frame((low, high), up, across), _draw_dots(proposals, up, across)]
    for line, class_ in ((kept, "ch-line ch-luck"), (true, "ch-line ch-true"), (certified, "ch-line ch-stairs")):
        if line:
            level = [*line, (len(proposals) + 0.5, line[-1][1])]
            parts.append(tag("path", d=steps([(across(x), up(y)) for x, y in level]), class_=class_))
    parts += [tag("circle", cx=across(x), cy=up(y), r=5, class_="ch-step") for x, y in certified]
    parts.append(_draw_legend(has_truth=bool(true)))
    return picture(WIDTH, HEIGHT, parts, title=title, description=_describe(kept, certified, true), class_="ch ch-wide")


def _draw_frame(span: tuple[float, float], up: Linear, across: Linear) -> Drawing:
    parts = []
    for value in ticks(*span, most=5):
        parts.append(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
        parts.append(tag("text", number_text(value), x=LEFT - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick"))
    for number in ticks(across.low, across.high, most=8):
        if number == int(number) and number >= 1:
            x, y = across(number), HEIGHT - BOTTOM + 16
            parts.append(tag("text", f"{number:.0f}", x=x, y=y, text_anchor="middle", class_="ch-tick"))
    parts.append(tag("text", "proposal", x=WIDTH - RIGHT, y=HEIGHT - 6, text_anchor="end", class_="ch-label"))
    return join(parts)


def _draw_dots(proposals: Sequence[Proposal], up: Linear, across: Linear) -> Drawing:
    stride = max(1, len(proposals) // MOST_DOTS)
    chosen = [one for one in proposals if one.kept or one.number % stride == 0]
    return join(tag("circle", cx=across(one.number), cy=up(one.open_score), r=2, class_="ch-bar") for one in chosen)


def _draw_legend(*, has_truth: bool) -> Drawing:
    """Above the picture, each name behind a piece of its line."""
    entries = [("open score, kept", "ch-line ch-luck"), ("certified", "ch-line ch-stairs")]
    entries += [("true score, kept", "ch-line ch-true")] if has_truth else []
    parts, x = [], LEFT
    for name, class_ in entries:
        parts.append(tag("path", d=path([(x, 14), (x + 22, 14)]), class_=class_))
        parts.append(tag("text", name, x=x + 28, y=18, class_="ch-label"))
        x += 150
    return join(parts)


def _describe(*lines: Sequence[tuple[int, float]]) -> str:
    names = ("Open score of what is kept", "certified", "true score of what is kept")
    told = [
        f"{name}: {line[0][1]:.3g} to {line[-1][1]:.3g}" if len(line) > 1 else f"{name}: {line[0][1]:.3g}"
        for name, line in zip(names, lines, strict=True)
        if line
    ]
    return "; ".join(told) + "."
