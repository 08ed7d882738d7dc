from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ladderboard.competition import Limits, Rules, TeamRules, find_changes

MARCH, APRIL = datetime(2027, 3, 1, tzinfo=UTC), datetime(2027, 4, 1, tzinfo=UTC)
OLD = Rules(slug="w", title="W", metric="auc", mechanism="ladder", deadline=MARCH)


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Whales"},
        {"summary": "By their song"},
        {"deadline": APRIL},
        {"deadline": None},
        {"limits": Limits(per_day=2, total=7, leakage_bits=9.0, max_file_bytes=5)},
        {"visibility": "private"},
        {"finals": 3},
        {"late_submissions": True},
        {"reveal": "deadline"},
        {"teams": TeamRules(largest=6, merging=False)},
        {"metric_options": {"time_limit": 5}},
    ],
)
def test_a_running_competition_may_change_this(change: dict[str, Any]) -> None:
    found = find_changes(OLD, replace(OLD, **change))
    assert found
    assert all(one.allowed for one in found), found


@pytest.mark.parametrize(
    ("change", "key", "why"),
    [
        ({"slug": "x"}, "slug", "address"),
        ({"metric": "mse"}, "metric", "could not be compared"),
        ({"metric_options": {"quantile": 0.1}}, "metric options", "could not be compared"),
        ({"mechanism": "witness_ladder"}, "mechanism", "guarantees"),
        ({"mechanism_parameters": {"step_size": 0.1}}, "mechanism parameters", "guarantees"),
        ({"instances": "rank"}, "board", "kind of board"),
        ({"ranks": 3}, "ranks", "kind of board"),
        ({"opens": MARCH}, "opens", "commitment"),
        ({"deadline": datetime(2027, 2, 1, tzinfo=UTC)}, "deadline", "extended but not brought forward"),
        ({"time_zone": "Asia/Tokyo"}, "time_zone", "quota days"),
        ({"finals": 1}, "finals", "only grow"),
        ({"reveal": "never"}, "reveal", "promised a private board"),
        ({"publish_submissions": True}, "publish_submissions", "announced"),
        ({"publish_solution": False}, "publish_solution", "announced"),
        ({"teams": TeamRules(largest=2)}, "teams.largest", "only grow"),
    ],
)
def test_a_running_competition_may_not_change_that(change: dict[str, Any], key: str, why: str) -> None:
    (found,) = find_changes(OLD, replace(OLD, **change))
    assert (found.key, found.allowed) == (key, False)
    assert found.sentence.startswith(f"{key} changes from ")
    assert why in found.sentence


def test_equal_rules_have_no_changes_and_several_are_all_told() -> None:
    assert find_changes(OLD, replace(OLD)) == []
    found = find_changes(OLD, replace(OLD, title="x", metric="mse", limits=Limits(per_day=1)))
    assert [(one.key, one.allowed) for one in found] == [("title", True), ("metric", False), ("limits.per_day", True)]


def test_what_was_announced_as_never_shown_stays_so() -> None:
    (found,) = find_changes(replace(OLD, reveal="never"), replace(OLD, reveal="by hand"))
    assert not found.allowed


def test_before_it_has_opened_only_what_is_committed_to_is_fixed() -> None:
    new = replace(OLD, opens=APRIL, deadline=MARCH.replace(month=2), reveal="never", metric="mse", instances="rank")
    found = {one.key: one.allowed for one in find_changes(OLD, new, has_opened=False)}
    assert found == {"metric": False, "board": False, "opens": True, "deadline": True, "reveal": True}
