"""The leakage meter: information released by the holdout, up to the organiser's limit."""

from ladderboard.drawing.elements import Drawing, picture, tag
from ladderboard.drawing.scale import Linear, number_text, ticks

WIDTH, HEIGHT = 480, 64
LEFT, RIGHT, LINE = 8, 8, 26


def leakage_meter(bits: float | None, *, limit: float | None = None, overfit_bound: float | None = None) -> Drawing:
    """The gauge. ``bits`` None: not counted (mechanisms that answer with noise); then nothing is drawn.

    Without a limit the rule ends at a round number beyond twice as much: a bar that is nearly full would speak of a
    limit where there is none.
    """
    if bits is None:
        return Drawing("")
    end = limit if limit else _round_up(2 * bits)
    across = Linear(0, end, LEFT, WIDTH - RIGHT)
    here = across(min(bits, end))
    share = bits / end if end else 1.0
    level = "ch-spent" if limit and share >= 1 else "ch-warm" if limit and share >= 0.75 else ""
    parts = [
        tag("rect", x=LEFT, y=LINE - 7, width=WIDTH - LEFT - RIGHT, height=14, rx=7, class_="ch-trough"),
    ]
    if bits > 0:
        wide = max(14.0, here - LEFT)
        parts.append(tag("rect", x=LEFT, y=LINE - 7, width=wide, height=14, rx=7, class_=f"ch-fill {level}".strip()))
    for value in ticks(0, end, most=5):
        anchor = "start" if value == 0 else "end" if value == end else "middle"
        parts.append(tag("text", number_text(value), x=across(value), y=52, text_anchor=anchor, class_="ch-tick"))
    return picture(
        WIDTH, HEIGHT, parts, title=_title(bits, limit), description=_words(overfit_bound), class_="ch ch-meter"
    )


def _round_up(bits: float) -> float:
    step = next(s for e in range(12) for s in (10**e, 2 * 10**e, 5 * 10**e) if s > bits)
    return float(max(step, 10))


def _title(bits: float, limit: float | None) -> str:
    if limit:
        return f"{bits:,.0f} of at most {limit:,.0f} bits released"
    return f"{bits:,.0f} bits released"


def _words(overfit_bound: float | None) -> str:
    if overfit_bound is None:
        return ""
    said = "No submission's score is further than {bound} from its true score, with probability 95 %."
    return said.format(bound=f"{overfit_bound:.3f}")
