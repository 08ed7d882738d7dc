"""A plan in words, the same in the terminal and in a report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladderboard.planning.plan import SubmissionPlan
    from ladderboard.planning.submission_limits import Limit


@dataclass(frozen=True)
class RuleRow:
    """One rule of the table."""

    rule: str
    per_team: str
    in_total: str
    because: str


def list_rules(plan: "SubmissionPlan") -> list[RuleRow]:
    """Every rule with its numbers as text."""
    return [
        RuleRow(limit.rule, _shown(limit.per_team, limit), _total(limit, plan.teams), _because(limit))
        for limit in plan.limits
    ]


def _total(limit: "Limit", teams: int) -> str:
    from ladderboard.planning.plan import ACCOUNTS

    if limit.rule == ACCOUNTS:
        return "–"  # it counts accounts, not submissions
    return _shown(None if limit.per_team is None else limit.per_team * teams, limit)


def _shown(count: int | None, limit: "Limit") -> str:
    return "–" if count is None else f"{'≥ ' if limit.is_at_least else ''}{count:,}"


def _because(limit: "Limit") -> str:
    """The note; where a rule allows nothing, also from how many items on it would."""
    if limit.per_team == 0 and limit.items_needed is not None:
        return f"{limit.note}; 100 from {limit.items_needed:,} items on"
    return limit.note


def describe_parameters(plan: "SubmissionPlan") -> str:
    """The mechanism's parameters as they are written in a competition's settings."""
    named = plan.mechanism.parameters()
    return ", ".join(f"{name}={value}" for name, value in named.items()) or "no parameters"


def describe_detectable_gains(plan: "SubmissionPlan") -> Iterator[str]:
    """What the board will be able to see."""
    first, *later = plan.sights
    if first.improvement is None:
        yield "Not even the best possible first submission would be seen with 80 % power: the items are too few."
    else:
        then = [
            f"{sight.improvement:.3g} at attempt {sight.attempt}" for sight in later if sight.improvement is not None
        ]
        yield (
            f"Smallest improvement over the baseline that is seen with 80 % power: {first.improvement:.3g}"
            f"{' at the first attempt, ' if then else ''}{', '.join(then)}."
        )
    if plan.entry_power is not None:
        yield (
            "A first submission that takes 20 % off the baseline's loss is seen with probability "
            f"{f'{plan.entry_power:.0%}' if plan.entry_power < 0.995 else 'above 99%'}."
        )
