"""A team's submissions as a staircase: level while nothing is accepted, a step where something is.

A rejected attempt whose own score is not shown is a cross at the foot: it has no height.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladderboard.core.score_format import ScoreFormat
from ladderboard.drawing.elements import Drawing, glyph, join, picture, steps, tag
from ladderboard.drawing.scale import Linear, number_text, pad_range, ticks

SPARK_WIDTH, SPARK_HEIGHT, MARGIN = 72, 20, 3


def sparkline(values: Sequence[float], scores: ScoreFormat, *, lower_is_better: bool) -> Drawing:
    """The released scores in their order; the last has a dot. Nothing where there is none.

    >>> sparkline([], ScoreFormat(), lower_is_better=True)
    ''
    """
    if not values:
        return Drawing("")
    low, high = min(values), max(values)
    best, worst = (low, high) if lower_is_better else (high, low)
    across = Linear(0, len(values), MARGIN, SPARK_WIDTH - MARGIN - 1)
    up = Linear(worst, best, SPARK_HEIGHT - MARGIN - 1, MARGIN + 1)
    points = [(across(i), up(value)) for i, value in enumerate(values)]
    points.append((across(len(values)), points[-1][1]))
    line = tag("path", d=steps(points), class_="ch-line")
    dot = tag("circle", cx=points[-1][0], cy=points[-1][1], r=2.2, class_="ch-dot")
    return glyph(SPARK_WIDTH, SPARK_HEIGHT, [line, dot], label=_label(values, scores), class_="ch ch-spark")


def _label(values: Sequence[float], scores: ScoreFormat) -> str:
    if len(values) == 1:
        return f"one score shown, {scores.write(values[0])}"
    return f"{len(values)} scores shown, from {scores.write(values[0])} to {scores.write(values[-1])}"


WIDTH, HEIGHT = 560, 230
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 28, 50
FEWEST = 5
"""Attempts that the chart has room for: one or two do not fill it."""
MOST_MARKS = 400
"""Above this many attempts the rejected ones are thinned out: they would be a grey bar."""


@dataclass(frozen=True)
class Step:
    """One attempt: its own score (None: not shown), what the board showed afterwards, and whether it was accepted."""

    attempt: int
    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool


def staircase(
    attempts: Sequence[Step],
    scores: ScoreFormat,
    *,
    metric: str,
    lower_is_better: bool,
    baseline: float | None = None,
) -> Drawing:
    """The chart: attempts from left to right, better scores higher. Empty where nothing was submitted yet."""
    if not attempts:
        return Drawing("")
    shown = [step.board_value for step in attempts if step.board_value is not None]
    shown += [step.value for step in attempts if step.value is not None]
    shown += [] if baseline is None else [baseline]
    low, high = pad_range(shown or [0.0])
    up = Linear(*((high, low) if lower_is_better else (low, high)), HEIGHT - BOTTOM, TOP)
    first = attempts[0].attempt
    last = max(attempts[-1].attempt, first + FEWEST - 1)
    across = Linear(first - 0.5, last + 0.5, LEFT, WIDTH - RIGHT)
    return picture(
        WIDTH,
        HEIGHT,
        [
            _frame((low, high), up, across, metric),
            _baseline(baseline, up),
            _line(attempts, up, across),
            _marks(attempts, up, across),
        ],
        title=f"The board's score after each of {len(attempts)} attempts",
        description=_words(attempts, scores),
        class_="ch ch-wide",
    )


def _frame(span: tuple[float, float], up: Linear, across: Linear, metric: str) -> Drawing:
    parts = [tag("text", metric, x=0, y=12, class_="ch-label")]
    for value in ticks(*span, most=4):
        y = up(value)
        parts.append(tag("path", d=f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}", class_="ch-rung"))
        parts.append(tag("text", number_text(value), x=LEFT - 8, y=y + 4, text_anchor="end", class_="ch-tick"))
    for attempt in ticks(across.low, int(across.high), most=8):
        if attempt == int(attempt) and attempt >= 1:
            x = across(attempt)
            parts.append(tag("text", f"{attempt:.0f}", x=x, y=HEIGHT - 28, text_anchor="middle", class_="ch-tick"))
    parts.append(tag("text", "attempt", x=WIDTH - RIGHT, y=HEIGHT - 4, text_anchor="end", class_="ch-label"))
    return join(parts)


def _baseline(baseline: float | None, up: Linear) -> Drawing:
    if baseline is None:
        return Drawing("")
    y = up(baseline)
    line = tag("path", d=f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}", class_="ch-baseline")
    return line + tag("text", "baseline", x=WIDTH - RIGHT, y=y - 5, text_anchor="end", class_="ch-tick")


def _line(attempts: Sequence[Step], up: Linear, across: Linear) -> Drawing:
    points = [(across(s.attempt), up(s.board_value)) for s in attempts if s.board_value is not None]
    if not points:
        return Drawing("")
    # The number stands until the next attempt, which has not been made: the line ends half a place after the last one.
    points.append((across(attempts[-1].attempt + 0.5), points[-1][1]))
    return tag("path", d=steps(points), class_="ch-line ch-stairs")


def _marks(attempts: Sequence[Step], up: Linear, across: Linear) -> Drawing:
    stride = max(1, len(attempts) // MOST_MARKS)
    marks, rejected = [], []
    for i, step in enumerate(attempts):
        if i % stride and not step.accepted:
            continue
        x, y = across(step.attempt), HEIGHT - BOTTOM if step.value is None else up(step.value)
        if step.accepted:
            marks.append(tag("circle", cx=x, cy=y, r=5, class_="ch-step" if step.improved else "ch-step ch-open"))
        else:
            rejected.append(f"M{x - 3.5:.1f} {y - 3.5:.1f}l7 7m0-7l-7 7")
    crosses = tag("path", d="".join(rejected), class_="ch-reject") if rejected else Drawing("")
    return crosses + join(marks)


def _words(attempts: Sequence[Step], scores: ScoreFormat) -> str:
    accepted = [step for step in attempts if step.accepted]
    taken = "; ".join(
        f"attempt {step.attempt}: {scores.write(step.value)}" for step in accepted[-12:] if step.value is not None
    )
    told = f"{len(accepted)} recognised, {len(attempts) - len(accepted)} not."
    return told + (" " + f"Steps: {taken}." if taken else "")
