"""A holdout that has told all it may tell: who is told so, and that no more numbers are answered."""

from typing import Any

import pytest

from ladderboard.competition import Limits
from ladderboard.core.errors import CompetitionSpentError
from ladderboard.server.db.rows import teams as teams_rows
from ladderboard.server.db.schema import deliveries, ledger, submissions, teams
from ladderboard.server.lifecycle import status
from ladderboard.server.submissions.eligibility import compute_budget
from ladderboard.server.webhooks.events import add_webhook
from tests.hosting.hosts import Begin, Stage

HOOK = "https://board.example.org/hook"


def submit_until_spent(stage: Stage, team: str, *, most: int = 40) -> int:
    """How many attempts were scored before the refusal."""
    for attempt in range(most):
        try:
            stage.send(team, 0.5 + attempt / 100, seed=attempt, training_score=0.99)
        except CompetitionSpentError:
            return attempt
    raise AssertionError(f"{most} attempts and no end")


def kinds(stage: Stage) -> list[str]:
    return [row.event["event"] for row in stage.rows(deliveries)]


def test_a_limit_of_the_meter_is_told_to_those_who_listen(begin: Begin) -> None:
    stage = begin(limits=Limits(per_day=None, leakage_bits=1.0))
    add_webhook(stage.database, HOOK, slug="pets", events=("spent",))
    stage.send("a", 0.9)
    assert status(stage.services, "pets") == "spent"
    assert kinds(stage) == ["spent"]


def test_a_board_whose_mechanism_has_used_its_budget_is_spent_for_all(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", mechanism_parameters={"budget": 2}, instances="rank", ranks=3)
    add_webhook(stage.database, HOOK, slug="pets", events=("spent",))
    scored = submit_until_spent(stage, "a")
    assert status(stage.services, "pets") == "spent"
    with pytest.raises(CompetitionSpentError):
        stage.send("b", 0.7, training_score=0.7)
    assert kinds(stage) == ["spent"]
    assert [row.body["budget"] for row in stage.rows(ledger) if row.kind == "spent"] == ["thresholdout"]
    assert len(stage.rows(submissions)) == scored


def test_a_team_that_has_used_its_budget_does_not_end_the_others(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", mechanism_parameters={"budget": 2})
    scored = submit_until_spent(stage, "a")
    assert status(stage.services, "pets") == "open"
    assert stage.send("b", 0.7, training_score=0.7).status == 201
    assert {row.name: row.attempts for row in stage.rows(teams)} == {"a": scored, "b": 1}


def budget(stage: Stage, team: str) -> dict[str, Any] | None:
    with stage.database.reading() as connection:
        row = teams_rows.get(connection, f"id-{team}")
        told = compute_budget(connection, stage.live, row, now=stage.moment)
    return None if told is None else told.to_dict()


def test_a_team_sees_its_budget_of_updates_shrink_with_the_numbers_it_is_told(begin: Begin) -> None:
    stage = begin(mechanism="shaky_ladder", mechanism_parameters={"step_size": 0.35, "noise": 0.01})
    stage.team("a")
    assert budget(stage, "a") == {"total": 3, "used": 0, "left": 3, "is_spent": False}
    accepted = 0
    for share in (0.5, 0.99):
        accepted += stage.send("a", share).content["release"]["accepted"]
        assert budget(stage, "a") == {"total": 3, "used": accepted, "left": 3 - accepted, "is_spent": False}
    assert accepted == 2


def test_of_a_budget_that_only_the_labels_know_the_end_alone_is_told(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", mechanism_parameters={"budget": 2})
    stage.send("b", 0.9, training_score=0.1)
    assert budget(stage, "b") == {"total": 2, "used": None, "left": None, "is_spent": False}
    submit_until_spent(stage, "a")
    assert budget(stage, "a") == {"total": 2, "used": 2, "left": 0, "is_spent": True}


@pytest.mark.parametrize(
    "rules", [{"mechanism": "witness_ladder"}, {"mechanism": "shaky_ladder", "instances": "rank", "ranks": 3}]
)
def test_where_there_is_no_budget_of_a_team_none_is_told(begin: Begin, rules: dict[str, Any]) -> None:
    stage = begin(**rules)
    stage.send("a", 0.9)
    assert budget(stage, "a") is None


def test_what_was_told_before_is_still_answered(begin: Begin) -> None:
    stage = begin(limits=Limits(per_day=None, leakage_bits=1.0))
    first = stage.send("a", 0.9)
    again = stage.send("a", 0.9)
    assert (again.status, again.content["release"]) == (200, first.content["release"])
