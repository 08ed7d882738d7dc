"""Canonical JSON of rules: equal rules have equal text, for commitments and comparisons."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from ladderboard.competition.model import Limits, Rules, TeamRules
from ladderboard.core.canonical_json import canonical_json
from ladderboard.scoring.code_rules import CodeRules

TIMES = ("opens", "deadline")


def rules_to_json(rules: Rules) -> str:
    """Convert rules to JSON: keys sorted, no blanks, times in UTC.

    >>> rules = Rules(slug="whales", title="Whales", metric="auc", mechanism="witness_ladder")
    >>> rules_from_json(rules_to_json(rules)) == rules
    True
    """
    return spell_rules(asdict(rules))


def rules_from_json(text: str) -> Rules:
    """The inverse of `rules_to_json`; keys that are missing (rules of an older version) have their defaults."""
    record = json.loads(text)
    known = {field.name for field in fields(Rules)}
    record = {key: value for key, value in record.items() if key in known}
    for key in TIMES:
        record[key] = _time(record.get(key))
    if "reveal" in record and record["reveal"][:1].isdigit():
        record["reveal"] = _time(record["reveal"])
    teams, limits, code = record.pop("teams", {}), record.pop("limits", {}), record.pop("code", None)
    return Rules(
        **record,
        limits=Limits(**limits),
        code=None if code is None else CodeRules(**code),
        teams=TeamRules(**{**teams, "merge_until": _time(teams.get("merge_until"))}),
    )


def spell_rules(value: object) -> str:
    """Convert a value of rules to canonical JSON, with times in UTC and infinities as words.

    >>> spell_rules({"opens": datetime(2026, 3, 14, tzinfo=UTC), "bounds": [0, float("inf")]})
    '{"bounds":[0,"inf"],"opens":"2026-03-14T00:00:00+00:00"}'
    """
    try:
        return canonical_json(value, default=_moment)
    except ValueError:
        return canonical_json(to_json_value(value), default=_moment)


def to_json_value(value: Any) -> Any:
    """Replace infinities and NaN, which JSON lacks, by the words "inf", "-inf" and "nan".

    >>> to_json_value({"bounds": [0, float("inf")]})
    {'bounds': [0, 'inf']}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: to_json_value(one) for key, one in value.items()}
    return [to_json_value(one) for one in value] if isinstance(value, list | tuple) else value


def _moment(value: object) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"{type(value).__name__} is no part of rules")


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
