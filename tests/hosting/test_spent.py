"""A holdout that has told all it may tell: who is told so, and that no more numbers are answered."""

import pytest

from ladderboard.competition import Limits
from ladderboard.errors import CompetitionSpentError
from ladderboard.hosting.lifecycle import status
from ladderboard.hosting.webhooks import add_webhook
from ladderboard.store.schema import deliveries, ledger, submissions, teams
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
    assert status(stage.host, "pets") == "spent"
    assert kinds(stage) == ["spent"]


def test_a_board_whose_mechanism_has_used_its_budget_is_spent_for_all(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", mechanism_parameters={"budget": 2}, instances="rank", ranks=3)
    add_webhook(stage.database, HOOK, slug="pets", events=("spent",))
    scored = submit_until_spent(stage, "a")
    assert status(stage.host, "pets") == "spent"
    with pytest.raises(CompetitionSpentError):
        stage.send("b", 0.7, training_score=0.7)
    assert kinds(stage) == ["spent"]
    assert [row.body["budget"] for row in stage.rows(ledger) if row.kind == "spent"] == ["thresholdout"]
    assert len(stage.rows(submissions)) == scored


def test_a_team_that_has_used_its_budget_does_not_end_the_others(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", mechanism_parameters={"budget": 2})
    scored = submit_until_spent(stage, "a")
    assert status(stage.host, "pets") == "open"
    assert stage.send("b", 0.7, training_score=0.7).status == 201
    assert {row.name: row.attempts for row in stage.rows(teams)} == {"a": scored, "b": 1}


def test_what_was_told_before_is_still_answered(begin: Begin) -> None:
    stage = begin(limits=Limits(per_day=None, leakage_bits=1.0))
    first = stage.send("a", 0.9)
    again = stage.send("a", 0.9)
    assert (again.status, again.content["release"]) == (200, first.content["release"])
