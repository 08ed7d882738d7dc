"""The ledger in words: whatever is entered can be read without knowing JSON."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ladderboard.core.ledger import GENESIS, Entry
from ladderboard.server.audit.pages import describe, find_teams


def _more(per_day: int, total: int) -> dict[str, Any]:
    return {"team": "t1", "extra_per_day": per_day, "extra_total": total}


NAMES = {"t1": "Owls", "t2": "{Foxes}"}
ENTRIES: list[tuple[str, dict[str, Any], str]] = [
    (
        "created",
        {"rows": {"Public": 1200, "Private": 800, "Ignored": 0}},
        "The competition was set up: 1,200 public and 800 private rows, sealed with labels and mechanism.",
    ),
    ("submission", {"team": "t1", "number": 12, "phase": "live"}, "Owls made submission 12."),
    (
        "submission",
        {"team": "t1", "number": 12, "phase": "late"},
        "Owls made submission 12 after the deadline; it does not count on the board.",
    ),
    ("merged", {"team": "t1", "from": "t2"}, "{Foxes} was merged into Owls."),
    ("withdrawn", {"team": "t1", "reason": "they asked"}, "Owls was withdrawn. Reason: they asked"),
    ("quota_granted", _more(2, 5), "Owls was granted extra submissions: 2 a day and 5 in total."),
    ("quota_granted", _more(2, 0), "Owls was granted extra submissions: 2 a day."),
    ("quota_granted", _more(0, 5), "Owls was granted extra submissions: 5 in total."),
    ("quota_granted", _more(0, 0), "Owls has no extra submissions any more."),
    ("left", {"team": "unknown"}, "Somebody left unknown."),
    ("finals_picked", {"team": "t2", "picks": 2}, "{Foxes} selected its final submissions: 2."),
    ("rules_changed", {"changes": ["a", "b"], "rules": "{}"}, "The rules changed: a; b."),
    (
        "rescored",
        {"releases_changed": 3, "submissions": 1000, "bits": 8.0},
        "All submissions were scored again with a corrected solution: 3 of 1,000 scores changed.",
    ),
    ("spent", {"bits": 69.4, "limit": 60}, "The test set is used up: 69.4 of at most 60 bits released."),
    ("finalized", {"rows": 8, "by": "organiser"}, "The private board was computed, with 8 rows."),
    ("of_another_version", {}, "of another version"),
    ("submission", {"team": "t1"}, "submission"),
]


@pytest.mark.parametrize(("kind", "body", "words"), ENTRIES, ids=[entry[2][:30] for entry in ENTRIES])
def test_an_entry_is_a_sentence(kind: str, body: dict[str, Any], words: str) -> None:
    assert describe(_entry(kind, body), NAMES) == words


def test_the_teams_of_an_entry_are_known_before_it_is_told() -> None:
    assert find_teams(_entry("merged", {"team": "t1", "from": "t2"})) == {"t1", "t2"}
    assert find_teams(_entry("revealed", {"by": "organiser"})) == set()


def _entry(kind: str, body: dict[str, Any]) -> Entry:
    at = datetime(2026, 3, 14, tzinfo=UTC)
    return Entry.following(GENESIS, seq=1, at=at, kind=kind, body=body, sealed=None)
