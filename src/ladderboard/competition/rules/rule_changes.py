"""Changes of the rules of a running competition: which are allowed, and why others are not."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from ladderboard.competition.model import Limits, Rules, TeamRules, select_score_options
from ladderboard.scoring.code_rules import CodeRules


@dataclass(frozen=True)
class RuleChange:
    """A difference between two sets of rules."""

    key: str
    """As it is written in competition.toml."""
    before: Any
    after: Any
    allowed: bool
    sentence: str


_INCOMPARABLE = "scores before and after could not be compared; start a new competition"
Judge = Callable[[Any, Any], str | None]
"""Why a change from one value to another is not allowed; None where it is."""


def find_changes(old: Rules, new: Rules, *, has_opened: bool = True) -> list[RuleChange]:
    """List every difference in the order of the rules; ``allowed``: a running competition may make it.

    Before it has opened only what the commitment binds is fixed.

    >>> old = Rules(slug="whales", title="Wales", metric="auc", mechanism="witness_ladder")
    >>> new = Rules(slug="whales", title="Whales", metric="accuracy", mechanism="witness_ladder")
    >>> [(change.key, change.allowed) for change in find_changes(old, new)]
    [('title', True), ('metric', False)]
    >>> find_changes(old, new)[0].sentence
    "title changes from 'Wales' to 'Whales'"
    """
    found = []
    for key, before, after in _values(old, new):
        if before == after:
            continue
        judge = JUDGES.get(key, _allow) if has_opened or key in COMMITTED else _allow
        reason = judge(before, after)
        words = f"{key} changes from {_format_value(before)} to {_format_value(after)}"
        if key == "positive" and before is None:  # an earlier version took it from the labels and wrote it nowhere
            words = f"the positive class, in force all along, is written down: {_format_value(after)}"
        found.append(RuleChange(key, before, after, reason is None, words if reason is None else f"{words}: {reason}"))
    return found


def _values(old: Rules, new: Rules) -> list[tuple[str, Any, Any]]:
    values = []
    has_code = None not in (old.code, new.code)
    for prefix, kind, before, after in (
        ("", Rules, old, new),
        ("limits.", Limits, old.limits, new.limits),
        ("teams.", TeamRules, old.teams, new.teams),
        *([("code.", CodeRules, old.code, new.code)] if has_code else []),
    ):
        for field in fields(kind):
            if field.name not in ("limits", "teams") and not (field.name == "code" and has_code):
                key = prefix + NAMES.get(field.name, field.name)
                values.append((key, getattr(before, field.name), getattr(after, field.name)))
    return values


NAMES = {
    "instances": "board",
    "metric_options": "metric options",
    "mechanism_parameters": "mechanism parameters",
    "max_file_bytes": "max_file_mb",
}


def _allow(_before: Any, _after: Any) -> str | None:
    return None


def _forbid(reason: str) -> Judge:
    return lambda _before, _after: reason


def _deadline(before: datetime | None, after: datetime | None) -> str | None:
    if before is None or after is None or after > before:
        return None
    return "a deadline may be extended but not brought forward: teams have planned for it"


def _reveal(before: Any, after: Any) -> str | None:
    if before == "never":
        return "the rules promised that the private board is never shown"
    if after == "never":
        return "teams were promised a private board"
    return None


def _metric_options(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    return None if select_score_options(before) == select_score_options(after) else _INCOMPARABLE


def _code(_before: Any, _after: Any) -> str | None:
    return "predictions and programs could not be compared; start a new competition"


def _finals(before: int, after: int) -> str | None:
    return None if after > before else "teams may already have selected that many; it may only grow"


def _largest(before: int, after: int) -> str | None:
    return None if after > before else "teams may already be that large; it may only grow"


def _positive(before: Any, after: Any) -> str | None:
    """Naming the class that is in force changes nothing; whether it is that one, the digest of the solution says."""
    return None if None in (before, after) else _INCOMPARABLE


JUDGES: dict[str, Judge] = {
    "slug": _forbid("it is the competition's address and its key in the database"),
    "metric": _forbid(_INCOMPARABLE),
    "metric options": _metric_options,
    "positive": _positive,
    "mechanism": _forbid("the guarantees of scores already shown hold only under the mechanism that showed them"),
    "mechanism parameters": _forbid(
        "the guarantees of scores already shown hold only under the parameters that showed them"
    ),
    "board": _forbid("every team's state belongs to the kind of board it was made on"),
    "ranks": _forbid("every team's state belongs to the kind of board it was made on"),
    "opens": _forbid("the competition has opened and published its commitment to labels and split"),
    "deadline": _deadline,
    "time_zone": _forbid("quota days are counted in it"),
    "finals": _finals,
    "reveal": _reveal,
    "publish_submissions": _forbid("teams have submitted under the rule that was announced"),
    "publish_solution": _forbid("teams have submitted under the rule that was announced"),
    "teams.largest": _largest,
    "code": _code,
    "code.inputs": _forbid("programs have answered the inputs that were committed to"),
}
"""Keys that are not listed (title, summary, limits, visibility, …) may change at any time."""

COMMITTED = (
    "slug",
    "metric",
    "metric options",
    "positive",
    "mechanism",
    "mechanism parameters",
    "board",
    "ranks",
    "code",
)


def _format_value(value: Any) -> str:
    return "nothing" if value is None else value.isoformat() if isinstance(value, datetime) else repr(value)
