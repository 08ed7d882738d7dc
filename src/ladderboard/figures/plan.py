"""The charts of a plan: overfit, detectable gains, and the size of the public part."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ladderboard.figures.canvas import ACCENT, MUTED, SECOND, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ladderboard.planning.plan import SubmissionPlan
    from ladderboard.planning.submission_limits import OverfitCurve

SIZE = (7.2, 3.4)
THIRD = "#3a8f5c"
GROUPS = {
    "outsider": (ACCENT, "knows nothing"),
    "permuted responses": (THIRD, "step-forward regressions"),
    "insider": (SECOND, "holds half of the labels"),
}


def draw_overfit(plan: "SubmissionPlan") -> "Figure":
    """Draw overfit by the number of submissions: thin lines for attacks, a named line for the strongest."""
    figure, axes = new_axes(*SIZE)
    axes.axhline(plan.tolerance, color=MUTED, linestyle="--", linewidth=1)
    for attacker, (colour, words) in GROUPS.items():
        curves = [curve for curve in plan.curves if curve.attacker == attacker]
        for curve in curves:
            axes.plot(curve.submissions, curve.smoothed, color=colour, linewidth=0.8, alpha=0.4)
        if curves:
            _draw_strongest(axes, curves, colour, words)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]), top=max(axes.get_ylim()[1], 1.25 * plan.tolerance))
    first = axes.get_xlim()[0]
    axes.annotate("tolerance", (first, plan.tolerance), xytext=(3, 3), textcoords="offset points", color=MUTED, size=8)
    axes.set_xlabel("submissions of one team")
    axes.set_ylabel(f"overfit in {plan.metric}")
    figure.legend(loc="outside upper left", frameon=False, fontsize=8)
    return figure


def _draw_strongest(axes: "Axes", curves: Sequence["OverfitCurve"], colour: str, words: str) -> None:
    strongest = max(curves, key=lambda curve: curve.smoothed[-1])
    label = f"{words} (strongest: {strongest.attack.replace('_', ' ')})"
    axes.plot(strongest.submissions, strongest.smoothed, color=colour, linewidth=2, label=label)
    axes.errorbar(
        strongest.submissions,
        strongest.overfits,
        strongest.margins,
        fmt="o",
        color=colour,
        markersize=3,
        elinewidth=0.8,
    )


def draw_detectable_gains(plan: "SubmissionPlan") -> "Figure":
    """Draw the probability that an improvement over the baseline is shown, at several attempts."""
    figure, axes = new_axes(*SIZE)
    axes.axhline(0.8, color=MUTED, linestyle="--", linewidth=1)
    for gain, style in zip(plan.detectable_gains, ("-", "--", ":"), strict=False):
        if gain.curve:
            improvements, powers = zip(*gain.curve, strict=True)
            axes.plot(improvements, powers, color=ACCENT, linestyle=style, label=f"at attempt {gain.attempt}")
    axes.set_ylim(0, 1.02)
    axes.set_xlim(left=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel(f"true improvement over the baseline, in {plan.metric}")
    axes.set_ylabel("probability of being shown")
    if axes.has_data() and any(gain.curve for gain in plan.detectable_gains):
        axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def draw_public_part(plan: "SubmissionPlan") -> "Figure":
    """Draw the detectable gains by the public share, with the recommended share marked."""
    figure, axes = new_axes(*SIZE)
    nan, splits = float("nan"), plan.public_part.splits
    shares = [split.share for split in splits]
    public = [nan if split.public_sees is None else split.public_sees for split in splits]
    private = [nan if split.private_sees is None else split.private_sees for split in splits]
    axes.plot(shares, public, color=ACCENT, label="shown by the public part at the first attempt")
    axes.plot(shares, private, color=SECOND, label="distinguished by the private part")
    recommended = plan.public_part.recommended
    axes.axvline(recommended.share, color=MUTED, linestyle="--", linewidth=1)
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    top = (recommended.share, axes.get_ylim()[1])
    words = f"{recommended.share:.0%} public"
    axes.annotate(words, top, xytext=(4, -9), textcoords="offset points", color=MUTED, size=8)
    axes.set_xlabel("public share of the items")
    axes.set_ylabel(f"smallest improvement\nin {plan.metric}")
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=8)
    return figure
