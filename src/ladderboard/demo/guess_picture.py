"""The picture of a visitor's attack: what both boards show, and what the guesses are worth."""

from collections.abc import Sequence

from ladderboard.demo.guessing import Game
from ladderboard.drawing.elements import Drawing, path, picture, steps, tag
from ladderboard.drawing.scale import Linear, number_text, ticks

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 86, 34
LOW, HIGH = 0.4, 1.0


def draw_game(game: Game) -> Drawing:
    """A staircase for each board and a dashed line for the truth, over the guesses."""
    lines = (
        ("every score shown", game.theirs.shown, "ch-line ch-luck"),
        ("Ladderboard", game.ours.shown, "ch-line ch-stairs"),
        ("what its guesses are worth", game.theirs.truths, "ch-line ch-true"),
    )
    if not game.guesses:
        return Drawing("")
    up, across = Linear(LOW, HIGH, HEIGHT - BOTTOM, TOP), Linear(1, max(2, game.guesses), LEFT, WIDTH - RIGHT)
    parts = []
    for value in ticks(LOW, HIGH, most=6):
        parts.append(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
        parts.append(tag("text", number_text(value), x=LEFT - 8, y=up(value) + 4, text_anchor="end", class_="ch-tick"))
    for place, (name, values, class_) in enumerate(lines):
        y = 12 + 24 * place
        parts.append(tag("path", d=steps([*_points(values, across, up), _end(values, up)]), class_=class_))
        parts.append(tag("path", d=path([(LEFT, y), (LEFT + 22, y)]), class_=class_))
        parts.append(tag("text", name, x=LEFT + 30, y=y + 4, class_="ch-label"))
    words = f"{game.guesses} guess{'es' if game.guesses > 1 else ''}"
    parts.append(tag("text", words, x=WIDTH - RIGHT, y=HEIGHT - 8, text_anchor="end", class_="ch-label"))
    told = "; ".join(f"{name}: {values[0]:.3f} to {values[-1]:.3f}" for name, values, _ in lines)
    return picture(WIDTH, HEIGHT, parts, title="Your accuracy on both boards", description=told, class_="ch ch-wide")


def _points(values: Sequence[float], across: Linear, up: Linear) -> list[tuple[float, float]]:
    return [(across(number), up(value)) for number, value in enumerate(values, 1)]


def _end(values: Sequence[float], up: Linear) -> tuple[float, float]:
    return WIDTH - RIGHT, up(values[-1])
