"""A plan in a notebook, as a small table."""

from typing import TYPE_CHECKING

from ladderboard.core.notebook import draw_range, make_table
from ladderboard.drawing.elements import Drawing

if TYPE_CHECKING:
    from ladderboard.planning.plan import SubmissionPlan


def show_plan(plan: "SubmissionPlan") -> str:
    """Make the table: the plan in words, and the gains that the board shows."""
    facts = (
        ("items", f"{plan.items:,}"),
        ("mechanism", plan.mechanism.name),
        ("submissions per team", plan.per_team),
        ("baseline", f"{plan.metric} {plan.baseline_score:.4g} ± {plan.standard_error:.2g}"),
    )
    gains = {gain.attempt: gain.improvement for gain in plan.detectable_gains if gain.improvement is not None}
    longest = max(gains.values(), default=1.0)
    drawn = (
        (f"gain shown at attempt {attempt} (80 % power)", _draw_gain(gain, longest)) for attempt, gain in gains.items()
    )
    return make_table((*facts, *drawn), caption=plan.sentence())


def _draw_gain(gain: float, longest: float) -> Drawing:
    return Drawing(f"{gain:.2g}<br>{draw_range(0.0, gain, gain, within=(0.0, longest))}")
