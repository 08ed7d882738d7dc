"""A holdout in a notebook: the scores shown so far, as a small table."""

from typing import TYPE_CHECKING

from ladderboard.core.notebook import draw_steps, make_table
from ladderboard.drawing.elements import Drawing
from ladderboard.mechanisms.outcomes import format_gain

if TYPE_CHECKING:
    from ladderboard.guard.holdout import Holdout


def show_holdout(holdout: "Holdout") -> str:
    """Make the table; everything in it was released."""
    leakage, gains = holdout.leakage, holdout.gains
    shown = [one.board_value for one in holdout.history() if one.board_value is not None]
    better = "lower" if holdout.metric.lower_is_better else "higher"
    rows = [
        ("attempts", f"{leakage.attempts:,}, {leakage.accepts:,} accepted"),
        (f"{holdout.metric.name} on the board ({better} is better)", holdout.best),
        *([] if holdout.positive is None else [("positive class", str(holdout.positive))]),
        ("gain usually shown next (80 % power)", _show_gain(gains.shown)),
        ("gain usually proven next (80 % power)", _show_gain(gains.proven)),
        ("information released", "not counted" if leakage.bits is None else f"at most {leakage.bits:.1f} bits"),
        ("score on the board over attempts", _draw_history(shown)),
    ]
    return make_table(rows, caption=f"Holdout of {len(holdout):,} items, guarded by {holdout.mechanism.name}")


def _show_gain(gain: float | None) -> str | None:
    return None if gain is None else format_gain(gain)


def _draw_history(shown: list[float]) -> Drawing | None:
    if not shown:
        return None
    ends = f"{shown[0]:g} → {shown[-1]:g}"
    return Drawing(f"{ends}<br>{draw_steps(shown, ends)}")
