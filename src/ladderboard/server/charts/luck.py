"""The home page's chart: one attacker who guesses, on two boards."""

from ladderboard.drawing.elements import Drawing, path, picture, tag
from ladderboard.drawing.scale import Linear

# examples/climbing_by_luck.py, climb(…, items=1000, submissions=2000, seed=1): one minus the error on the board after
# every hundredth submission. A test computes them again.
EVERY = 100
TELLS_ALL = (
    *(0.520, 0.552, 0.576, 0.608, 0.630, 0.652, 0.674, 0.696, 0.710, 0.728),
    *(0.738, 0.744, 0.752, 0.764, 0.772, 0.780, 0.784, 0.792, 0.798, 0.802, 0.808),
)
LADDER = (0.510,) * 21

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 330, 44, 14, 30, 44


def draw_climbing_by_luck() -> Drawing:
    """Two lines: a board that shows every score rises; a ladder stays at the truth."""
    across = Linear(0, (len(LADDER) - 1) * EVERY, LEFT, WIDTH - RIGHT)
    up = Linear(0.45, 0.85, HEIGHT - BOTTOM, TOP)
    lucky = [(across(i * EVERY), up(value)) for i, value in enumerate(TELLS_ALL)]
    level = [(across(i * EVERY), up(value)) for i, value in enumerate(LADDER)]
    return picture(
        WIDTH,
        HEIGHT,
        [
            *_frame(across, up),
            tag("path", d=path([*lucky, *reversed(level)]) + "Z", class_="ch-gap"),
            tag("path", d=path(lucky), class_="ch-luck"),
            tag("path", d=path(level), class_="ch-line ch-stairs"),
            tag(
                "text",
                "a board that shows every score",
                x=across(2000),
                y=up(TELLS_ALL[-1]) - 12,
                class_="ch-luck-name",
                text_anchor="end",
            ),
            tag("text", "Ladderboard", x=across(2000), y=up(0.51) - 10, class_="ch-true-name", text_anchor="end"),
            tag("text", "all of this is luck", x=across(1500), y=up(0.635), class_="ch-label", text_anchor="middle"),
        ],
        title="What two boards show for an attacker who only guesses",
        description=(
            "After 2,000 submissions a board that shows every score shows an accuracy of 0.81. "
            "Ladderboard shows 0.51. The truth is 0.50."
        ),
        class_="ch ch-wide ch-luck-picture",
    )


def _frame(across: Linear, up: Linear) -> list[Drawing]:
    parts = []
    for value in (0.5, 0.6, 0.7, 0.8):
        parts.append(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
        parts.append(tag("text", f"{value:.0%}", x=LEFT - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick"))
    for count in (0, 500, 1000, 1500, 2000):
        anchor = "end" if count == 2000 else "middle"
        x, y = across(count), HEIGHT - BOTTOM + 20
        parts.append(tag("text", f"{count:,}", x=x, y=y, text_anchor=anchor, class_="ch-tick"))
    parts.append(tag("text", "accuracy on the board", x=0, y=12, class_="ch-label"))
    parts.append(tag("text", "submissions", x=WIDTH - RIGHT, y=HEIGHT - 4, text_anchor="end", class_="ch-label"))
    return parts
