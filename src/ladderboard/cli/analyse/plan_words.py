"""The words of a plan, the same in the terminal and in the report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladderboard.planning.plan import ACCOUNTS, SubmissionPlan

if TYPE_CHECKING:
    from ladderboard.planning.submission_limits import Limit


@dataclass(frozen=True)
class RuleRow:
    """One row of the table of rules."""

    rule: str
    per_team: str
    in_total: str
    because: str


def list_rules(plan: SubmissionPlan) -> list[RuleRow]:
    """List every rule with its numbers as text."""
    return [
        RuleRow(limit.rule, _format_count(limit.per_team, limit), _total(limit, plan.teams), _explain(limit))
        for limit in plan.limits
    ]


def _total(limit: "Limit", teams: int) -> str:
    if limit.rule == ACCOUNTS:
        return "–"  # it counts accounts, not submissions
    return _format_count(None if limit.per_team is None else limit.per_team * teams, limit)


def _format_count(count: int | None, limit: "Limit") -> str:
    return "–" if count is None else f"{'≥ ' if limit.is_at_least else ''}{count:,}"


def _explain(limit: "Limit") -> str:
    """Explain a limit; where it allows nothing, also say how many items would be needed."""
    if limit.per_team == 0 and limit.items_needed is not None:
        return f"{limit.note}; 100 submissions need {limit.items_needed:,} items"
    return limit.note


def describe_parameters(plan: SubmissionPlan) -> str:
    """Describe the mechanism's parameters as written in competition.toml."""
    named = plan.mechanism.parameters()
    return ", ".join(f"{name}={value}" for name, value in named.items()) or "no parameters"


def describe_detectable_gains(plan: SubmissionPlan) -> Iterator[str]:
    """Describe the gains that the board can detect."""
    first, *later = plan.detectable_gains
    if first.improvement is None:
        yield "There are too few items: not even a perfect first submission would be shown with 80 % power."
    else:
        then = [f"{gain.improvement:.3g} at attempt {gain.attempt}" for gain in later if gain.improvement is not None]
        yield (
            f"Smallest improvement over the baseline shown with 80 % power: {first.improvement:.3g}"
            f"{' at the first attempt, ' if then else ''}{', '.join(then)}."
        )
        yield from _describe_proof(plan)
    if plan.ordering is not None:
        yield f"As a public part for {plan.mechanism.name}: {plan.ordering}."
    if plan.entry_power is not None:
        yield (
            "A first submission that cuts the baseline's loss by 20 % is shown with probability "
            f"{f'{plan.entry_power:.0%}' if plan.entry_power < 0.995 else 'above 99%'}."
        )


def _describe_proof(plan: "SubmissionPlan") -> Iterator[str]:
    """What the word "improved" takes, where it takes more."""
    first = plan.detectable_gains[0]
    if first.proven is not None and first.proven != first.improvement:
        yield f"Proven at the first attempt with 80 % power, so that it is called improved: {first.proven:.3g}."
    if plan.has_open_spread:
        yield "Files whose errors vary more than those of a score without skill need more."
