"""The report of a plan with charts: a self-contained HTML page, or Markdown with image files."""

from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.cli.analyse.plan_words import describe_detectable_gains, describe_parameters, list_rules
from ladderboard.drawing.page import PageSection, write_page
from ladderboard.figures.canvas import render_svg
from ladderboard.figures.plan import draw_detectable_gains, draw_overfit, draw_public_part
from ladderboard.planning.public_split import RULE

if TYPE_CHECKING:
    from ladderboard.planning.plan import SubmissionPlan

TITLE = "How many submissions can you allow?"


def write_report(plan: "SubmissionPlan", path: Path) -> None:
    """Write the report in the format given by the file's name."""
    write_page(path, TITLE, plan.sentence(), _sections(plan))


def _sections(plan: "SubmissionPlan") -> list[PageSection]:
    return [_submissions(plan), *([_attacks(plan)] if plan.curves else []), _detectable_gains(plan), _public_part(plan)]


def _submissions(plan: "SubmissionPlan") -> PageSection:
    head = ["rule", "per team", "in total", "because"] if plan.teams > 1 else ["rule", "per team", "because"]
    rows = [
        [row.rule, row.per_team, row.in_total, row.because] if plan.teams > 1 else [row.rule, row.per_team, row.because]
        for row in list_rules(plan)
    ]
    facts = (
        f"{plan.items:,} items, metric {plan.metric}, baseline {plan.baseline_score:.4f}, standard error "
        f"{plan.standard_error:.4f}, tolerance {plan.tolerance:g}, {plan.teams} team{'s' if plan.teams > 1 else ''}."
    )
    mechanism = f"Mechanism: {plan.mechanism.name} with {describe_parameters(plan)} ({plan.reason})."
    analysts = [] if plan.natural_analysts is None else [plan.natural_analysts.sentence()]
    return PageSection("Submissions", [facts, mechanism, *analysts], table=[head, *rows])


def _attacks(plan: "SubmissionPlan") -> PageSection:
    title = "How overfit grows with one team's submissions"
    words = [
        "These attacks ran on shuffled labels, where there is nothing to learn: whatever the board shows beyond chance "
        "is luck or leakage. Lines are smoothed so that they never fall; dots are means (medians for step-forward "
        "regressions), bars two standard errors.",
        "An attacker who holds half of the labels is shown but does not count in the recommendation: leaked labels "
        "call for new items, not for fewer submissions.",
    ]
    return PageSection(title, words, chart=("overfit", render_svg(draw_overfit(plan), title=title)))


def _detectable_gains(plan: "SubmissionPlan") -> PageSection:
    title = "What the board can detect"
    drawn = any(gain.curve for gain in plan.detectable_gains)
    chart = ("detectable-gains", render_svg(draw_detectable_gains(plan), title=title)) if drawn else None
    return PageSection(title, list(describe_detectable_gains(plan)), chart=chart)


def _public_part(plan: "SubmissionPlan") -> PageSection:
    part, title = plan.public_part, "How large to make the public part"
    one = part.recommended
    words = [
        part.sentence(),
        *([] if part.is_enough else [f"Rule: {RULE}."]),
        f"With {one.share:.0%} of the items public, the standard error is {one.public_standard_error:.4f} on "
        f"the public board and {one.private_standard_error:.4f} on the private board.",
    ]
    return PageSection(title, words, chart=("public-part", render_svg(draw_public_part(plan), title=title)))
