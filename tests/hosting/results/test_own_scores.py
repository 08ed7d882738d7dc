"""Both scores of each own submission, and the best pick: after the reveal, and never an answer to something new."""

from datetime import timedelta
from typing import Literal

import numpy as np
import pytest
from sqlalchemy import update

from ladderboard.competition import Limits
from ladderboard.server.db.columns import make_record
from ladderboard.server.db.schema import members, submissions, teams
from ladderboard.server.lifecycle import freeze, reveal
from ladderboard.server.people.roles import Person
from ladderboard.server.results import own_scores as own_module
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.results.finals import pick_finals
from ladderboard.server.results.records import BestPickBody
from ladderboard.server.submissions.eligibility import compute_quota
from ladderboard.server.submissions.own_submissions import list_own, read_best_pick
from ladderboard.server.submissions.records import NO_SCORES
from ladderboard.server.teams.records import TeamRecord
from tests.hosting.competitions import NOON, predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite
from tests.hosting.people_fixtures import a_person

HOUR = timedelta(hours=1)


def joined(stage: Stage, team: str) -> Person:
    person = a_person(stage.database, f"of {team}", "participant")
    row = {"competition": "pets", "account_id": person.id, "team_id": f"id-{team}", "joined_at": NOON}
    with stage.database.transaction() as connection:
        connection.execute(members.insert(), row)
    return person


def own_scores(stage: Stage, person: Person) -> list[float | None]:
    """Of all own submissions, oldest first."""
    found, _ = list_own(stage.services, "pets", person, offset=0, limit=50)
    return [one.scores.private for one in reversed(found)]


def true_score(stage: Stage, share: float, seed: int, part: Literal["Public", "Private"] = "Private") -> float:
    right = predictions(stage.competition, share, seed=seed) == stage.competition.solution.labels
    return float(np.mean(right[stage.competition.solution.rows(part)]))


def end(stage: Stage) -> None:
    freeze(stage.services, "pets")
    stage.pass_time(HOUR)
    finalize(stage.services, "pets")


@on_sqlite
def test_every_own_submission_has_its_private_score_after_the_reveal_and_not_before(begin: Begin) -> None:
    stage = begin()
    for seed, share in enumerate((0.6, 0.9, 0.55)):
        stage.send("a", share, seed=seed)
    person = joined(stage, "a")
    assert own_scores(stage, person) == [None] * 3
    end(stage)
    assert own_scores(stage, person) == [None] * 3, "computed, and only the organisers see it"
    reveal(stage.services, "pets")
    expected = [true_score(stage, share, seed) for seed, share in enumerate((0.6, 0.9, 0.55))]
    assert own_scores(stage, person) == pytest.approx(expected, abs=0.0006)


@on_sqlite
def test_a_late_entry_has_no_private_score(begin: Begin) -> None:
    """Else the private rows would answer whatever is sent after the reveal."""
    stage = begin(deadline=NOON + HOUR, late_submissions=True)
    stage.send("a", 0.6)
    person = joined(stage, "a")
    stage.pass_time(2 * HOUR)
    finalize(stage.services, "pets")
    reveal(stage.services, "pets")
    stage.send("a", 0.9, seed=5)
    first, late = own_scores(stage, person)
    assert first is not None
    assert late is None


@on_sqlite
def test_where_the_solution_stays_secret_only_what_counted_has_a_private_score(begin: Begin) -> None:
    stage = begin(publish_solution=False, finals=1)
    stage.send("a", 0.6, seed=1)
    stage.send("a", 0.95, seed=2)
    person = joined(stage, "a")
    end(stage)
    reveal(stage.services, "pets")
    assert own_scores(stage, person) == [None, pytest.approx(true_score(stage, 0.95, 2), abs=0.0006)]


@on_sqlite
def test_one_list_reads_few_bytes_and_the_next_goes_on(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    for seed in range(3):
        stage.send("a", 0.6, seed=seed)
    person = joined(stage, "a")
    end(stage)
    reveal(stage.services, "pets")
    monkeypatch.setattr(own_module, "MOST_OWN_BYTES", 1)
    known = [sum(score is not None for score in own_scores(stage, person)) for _ in range(4)]
    assert known == [1, 2, 3, 3]


@on_sqlite
@pytest.mark.parametrize("status", ["disqualified", "withdrawn"])
def test_a_team_that_is_out_has_no_attempts_left(begin: Begin, status: str) -> None:
    stage = begin(limits=Limits(per_day=5, total=22))
    stage.send("a", 0.6)
    stage.send("a", 0.7, seed=1)
    with stage.database.transaction() as connection:
        connection.execute(update(teams).values(status=status))
    quota = compute_quota(stage.live, make_record(TeamRecord, stage.rows(teams)[0]), stage.moment)
    assert (quota.left, quota.total, quota.used, quota.left_today) == (0, 2, 2, None)


def best_pick(stage: Stage, team: str = "a") -> BestPickBody | None:
    return read_best_pick(stage.services, "pets", f"id-{team}")


@on_sqlite
def test_every_own_submission_has_its_public_score_too_also_where_the_board_showed_none(begin: Begin) -> None:
    stage = begin()
    shares = (0.9, 0.6, 0.7)
    for seed, share in enumerate(shares):
        stage.send("a", share, seed=seed)
    person = joined(stage, "a")
    end(stage)
    assert [one.scores for one in list_own(stage.services, "pets", person, offset=0, limit=50)[0]] == [NO_SCORES] * 3
    reveal(stage.services, "pets")
    found, _ = list_own(stage.services, "pets", person, offset=0, limit=50)
    assert None in [one.own_value for one in found], "the board refused a number to the worse ones"
    expected = [true_score(stage, share, seed, "Public") for seed, share in enumerate(shares)]
    assert [one.scores.public for one in reversed(found)] == pytest.approx(expected, abs=0.0006)


@on_sqlite
def test_the_best_pick_is_the_best_on_the_private_rows_with_the_rank_it_would_have_had(begin: Begin) -> None:
    stage = begin(finals=1)
    for seed, share in enumerate((0.6, 0.95, 0.7)):
        stage.send("a", share, seed=seed)
    stage.send("b", 0.8, seed=9)
    joined(stage, "a")
    ids = [row.id for row in sorted(stage.rows(submissions), key=lambda row: row.number)]
    pick_finals(stage.services, "pets", "id-a", [ids[0]])
    end(stage)
    assert best_pick(stage) is None
    reveal(stage.services, "pets")
    found = best_pick(stage)
    assert found is not None
    assert (found.id, found.attempt, found.rank) == (ids[1], 2, 1)
    assert (found.counted_id, found.counted_rank) == (ids[0], 2)
    assert found.private_value == pytest.approx(true_score(stage, 0.95, 1), abs=0.0006)
    assert "Attempt 2 has your best private score" in found.sentence
    assert "rank 1 with it, instead of rank 2" in found.sentence
    other = best_pick(stage, "b")
    assert other is not None
    assert other.sentence.startswith("What counted is your best")


@on_sqlite
def test_there_is_no_best_pick_while_a_score_is_missing_or_the_solution_is_secret(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin()
    for seed in range(2):
        stage.send("a", 0.6, seed=seed)
    end(stage)
    reveal(stage.services, "pets")
    monkeypatch.setattr(own_module, "MOST_OWN_BYTES", 1)
    assert [best_pick(stage) is None for _ in range(3)] == [True, False, False]


@on_sqlite
def test_a_secret_solution_tells_no_public_score_and_no_best_pick(begin: Begin) -> None:
    stage = begin(publish_solution=False, finals=1)
    stage.send("a", 0.6, seed=1)
    stage.send("a", 0.95, seed=2)
    person = joined(stage, "a")
    end(stage)
    reveal(stage.services, "pets")
    found, _ = list_own(stage.services, "pets", person, offset=0, limit=50)
    assert [one.scores.public for one in found] == [None, None]
    assert best_pick(stage) is None
