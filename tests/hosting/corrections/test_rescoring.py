"""A corrected solution: what it changes, that it is published once and whole, and what stays."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from ladderboard.competition import Competition, Limits
from ladderboard.core.errors import ConflictError, DamagedFileError
from ladderboard.core.records import State
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter, keep_solution
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import teams as teams_rows
from ladderboard.server.db.schema import competitions, instances, ledger, rescored, submissions, teams
from ladderboard.server.lifecycle import freeze, reveal, status
from ladderboard.server.results.finalizing import finalize, find_board
from ladderboard.server.results.finals import read_finals
from ladderboard.server.results.rejudging import Rejudging
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from ladderboard.server.teams import merging
from ladderboard.server.teams.sql import members
from ladderboard.server.teams.teams import open_for_change
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite


def corrected(competition: Competition, *, rows: int = 60, **changed: Any) -> Competition:
    """The same with the labels of the first rows turned round."""
    labels = competition.solution.labels.copy()
    labels[:rows] = 1 - labels[:rows]
    return replace(competition, solution=replace(competition.solution, labels=labels, **changed))


def some_history(stage: Stage, truth: Competition | None = None) -> None:
    for seed, (team, share) in enumerate([("a", 0.6), ("b", 0.7), ("a", 0.8), ("c", 0.5), ("b", 0.9), ("a", 0.75)]):
        stage.send_values(team, predictions(truth or stage.competition, share, seed=seed))


def by_team(stage: Stage) -> dict[str, tuple[float | None, int, int]]:
    return {row.name: (row.board_value, row.attempts, row.accepts) for row in stage.rows(teams)}


def releases(stage: Stage) -> list[dict[str, Any]]:
    return [row.release for row in sorted(stage.rows(submissions), key=lambda row: row.number)]


@pytest.mark.parametrize("kind", ["witness_ladder", "shaky_ladder", "rank"])
@on_sqlite
def test_after_it_everything_is_as_if_the_solution_had_always_been_right(
    begin: Begin, tmp_path_factory: pytest.TempPathFactory, prepared_sqlite: Any, kind: str
) -> None:
    settings: dict[str, Any] = {"mechanism": "spending_ladder" if kind == "rank" else kind, "rows": 1000}
    if kind == "rank":
        settings |= {"instances": "rank", "ranks": 2}
    stage = begin(**settings)
    wrong = stage.competition
    some_history(stage)
    publish_rescoring(stage.services, "pets", corrected(stage.competition))
    folder = tmp_path_factory.mktemp("other")
    other = Database(f"sqlite:///{folder / 'other.db'}")
    (folder / "other.db").write_bytes(prepared_sqlite.read_bytes())
    fresh = Stage(other, folder, stage.competition)
    with fresh.database.transaction() as connection:  # the same noise needs the same secret
        connection.execute(update(competitions).values(secret=stage.live.secret))
    fresh.services.serve([LiveCompetition(stage.competition, stage.live.secret, fresh.services.files)])
    some_history(fresh, wrong)
    try:
        assert releases(stage) == releases(fresh)
        assert by_team(stage) == by_team(fresh)
        orders = [{row.name: row.board_order for row in one.rows(teams)} for one in (stage, fresh)]
        assert orders[0] == orders[1]
        new = predictions(wrong, 0.95, seed=77)
        assert stage.send_values("b", new).content["release"] == fresh.send_values("b", new).content["release"]
    finally:
        fresh.services.close()
        other.close()


def test_a_preview_tells_what_would_change_and_stores_nothing(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    before = releases(stage), by_team(stage), stage.ledger_kinds()
    found = preview_rescoring(stage.services, "pets", corrected(stage.competition))
    assert (releases(stage), by_team(stage), stage.ledger_kinds()) == before
    assert (found.scoring_version, found.submissions) == (2, 6)
    assert 0 < found.releases_changed <= 6
    published = publish_rescoring(stage.services, "pets", corrected(stage.competition))
    assert published == found
    after = {change.team: change.value_after for change in found.teams}
    assert after == {name: value for name, (value, _, _) in by_team(stage).items()}
    values = {name: value or 0.0 for name, (value, _, _) in before[1].items()}
    ranks = {name: 1 + sum(other > value for other in values.values()) for name, value in values.items()}
    assert {change.team: change.rank_before for change in found.teams} == ranks


def test_the_old_releases_stay_and_the_meter_counts_both(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    old, told = releases(stage), stage.rows(competitions)[0].bits
    found = publish_rescoring(stage.services, "pets", corrected(stage.competition))
    kept = {row.submission_id: (row.scoring_version, row.release) for row in stage.rows(rescored)}
    ordered = sorted(stage.rows(submissions), key=lambda row: row.number)
    assert [kept[row.id] for row in ordered] == [(1, release) for release in old]
    assert {row.scoring_version for row in ordered} == {2}
    row = stage.rows(competitions)[0]
    assert row.bits == pytest.approx(told + found.bits_told)
    assert found.bits_told == pytest.approx(sum(one.bits for one in stage.rows(instances)))
    entry = max(stage.rows(ledger), key=lambda one: one.seq)
    assert entry.kind == "rescored"
    assert entry.body["old_commitment"] != entry.body["commitment"] == row.commitment
    assert (entry.body["scoring_version"], row.scoring_version, stage.live.scoring_version) == (2, 2, 2)


@on_sqlite
def test_a_meter_at_its_limit_is_spent_by_a_correction(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    limit = Limits(per_day=None, leakage_bits=1.5 * stage.rows(competitions)[0].bits)
    limited = replace(stage.competition, rules=replace(stage.competition.rules, limits=limit))
    publish_rescoring(stage.services, "pets", corrected(limited, rows=4))
    assert status(stage.services, "pets") == "spent"
    assert stage.ledger_kinds()[-2:] == ["rescored", "spent"]


def test_another_process_goes_on_with_the_corrected_solution_at_once(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    other = Services(stage.services.settings, stage.database, stage.services.files, Referee(stage.database))
    other.serve([stage.live])
    old = stage.live
    right = corrected(stage.competition)
    publish_rescoring(stage.services, "pets", right)
    assert other.list_outdated() == ["pets"]
    content = a_file(old.competition, predictions(old.competition, 0.95, seed=9))
    answer = other.submit(old, IncomingSubmission("id-a", content, stage.moment))
    assert answer.status == 201
    assert other.competition("pets").scoring_version == 2
    assert np.array_equal(other.competition("pets").competition.solution.labels, right.solution.labels)
    assert other.list_outdated() == []


@on_sqlite
def test_a_file_with_a_class_that_only_the_corrected_solution_has_is_not_refused(begin: Begin) -> None:
    stage = begin()
    old = stage.live
    labels = old.competition.solution.labels.copy()
    labels[:30] = 2
    right = replace(
        old.competition,
        solution=replace(old.competition.solution, labels=labels),
        format=replace(old.competition.format, classes=(0, 1, 2)),
    )
    other = Services(stage.services.settings, stage.database, stage.services.files, Referee(stage.database))
    other.serve([old])
    stage.team("a")
    publish_rescoring(stage.services, "pets", right)
    assert other.submit(old, IncomingSubmission("id-a", a_file(right, labels), stage.moment)).status == 201


@pytest.mark.parametrize("folder", ["corrected", "stale", "edited"])
def test_a_restart_goes_on_with_the_solution_that_counts_whatever_its_folder_has(begin: Begin, folder: str) -> None:
    stage = begin()
    some_history(stage)
    wrong, right = stage.competition, corrected(stage.competition)
    publish_rescoring(stage.services, "pets", right)
    found = {"corrected": right, "stale": wrong, "edited": corrected(right, rows=7)}[folder]
    live = enter(stage.database, stage.services.files, found)
    assert live.scoring_version == 2
    assert np.array_equal(live.competition.solution.labels, right.solution.labels)
    assert (live.competition is found) == (folder == "corrected")


@on_sqlite
def test_a_restart_refuses_a_folder_of_another_task(begin: Begin) -> None:
    stage = begin()
    ids = np.arange(len(stage.competition.solution.ids)) + 7
    for other in (corrected(stage.competition, ids=ids), a_competition(mechanism="ladder")):
        with pytest.raises(ConflictError, match="slug of its own"):
            enter(stage.database, stage.services.files, other)


@on_sqlite
def test_a_solution_that_was_exchanged_in_the_database_is_noticed(begin: Begin) -> None:
    stage = begin()
    other = corrected(stage.competition)
    with stage.database.transaction() as connection:
        exchanged = keep_solution(connection, stage.services.files, other, stage.moment)
        connection.execute(update(competitions).values(solution_file=exchanged))
    with pytest.raises(DamagedFileError, match="not the one that was committed to"):
        enter(stage.database, stage.services.files, other)


@on_sqlite
def test_what_an_older_version_served_is_kept_at_the_next_start(begin: Begin) -> None:
    stage = begin()
    forget = update(competitions).values(solution_file=None)
    with stage.database.transaction() as connection:
        connection.execute(forget)
    other = Services(stage.services.settings, stage.database, stage.services.files, Referee(stage.database))
    with pytest.raises(ConflictError, match="only an older version has served"):
        preview_rescoring(other, "pets", corrected(stage.competition))
    with pytest.raises(ConflictError, match="differs from what is being served"):
        enter(stage.database, stage.services.files, corrected(stage.competition))
    enter(stage.database, stage.services.files, stage.competition)
    assert preview_rescoring(other, "pets", corrected(stage.competition)).scoring_version == 2


@on_sqlite
def test_a_correction_of_a_solution_that_was_corrected_meanwhile_is_previewed_again(begin: Begin) -> None:
    stage = begin()
    mine, theirs = corrected(stage.competition, rows=3), corrected(stage.competition, rows=5)
    follow = Rejudging.follow

    def overtaken(self: Rejudging, *given: Any, **more: Any) -> None:
        with pytest.MonkeyPatch.context() as before:
            before.setattr(Rejudging, "follow", follow)
            publish_rescoring(stage.services, "pets", theirs)
        follow(self, *given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rejudging, "follow", overtaken)
        with pytest.raises(ConflictError, match="another correction was published meanwhile"):
            publish_rescoring(stage.services, "pets", mine)
    assert np.array_equal(stage.competition.solution.labels, theirs.solution.labels)


@on_sqlite
def test_what_is_no_correction_is_refused(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    competition = stage.competition
    usage = competition.solution.usage.copy()
    usage[0] = "Private"
    for other, words in (
        (competition, "nothing to correct"),
        (a_competition(mechanism="ladder"), "mechanism"),
        (replace(competition, rules=replace(competition.rules, slug="cats")), "cats"),
        (corrected(competition, usage=usage), "change sides"),
        (corrected(competition, ids=np.arange(len(usage)) + 7), "other ids"),
    ):
        with pytest.raises(ConflictError, match=words):
            preview_rescoring(stage.services, "pets", other)


@on_sqlite
def test_rows_may_be_set_aside(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    usage = stage.competition.solution.usage.copy()
    usage[:10] = "Ignored"
    found = publish_rescoring(stage.services, "pets", corrected(stage.competition, rows=10, usage=usage))
    assert found.submissions == 6
    assert len(stage.competition.public) == 195


@on_sqlite
def test_the_same_predictions_get_the_new_release_also_by_a_repeated_request(begin: Begin) -> None:
    stage = begin()
    first = stage.send("a", 0.9, idempotency_key="k")
    publish_rescoring(stage.services, "pets", corrected(stage.competition, rows=300))
    again = stage.send_values("a", predictions(a_competition(), 0.9), idempotency_key="k")
    assert (again.status, again.content["duplicate"]) == (200, True)
    assert again.content["release"] != first.content["release"]
    assert again.content["release"] == releases(stage)[0]


def test_after_the_reveal_a_correction_has_a_private_board_of_its_own(begin: Begin) -> None:
    stage = begin()
    some_history(stage)
    freeze(stage.services, "pets")
    stage.pass_time(timedelta(hours=1))
    finalize(stage.services, "pets")
    reveal(stage.services, "pets")
    with stage.database.reading() as connection:
        old = find_board(connection, "pets", sees_all=False)
    publish_rescoring(stage.services, "pets", corrected(stage.competition))
    with stage.database.reading() as connection:
        new = find_board(connection, "pets", sees_all=False)
    assert (old.scoring_version, new.scoring_version) == (1, 2)
    assert [row["value"] for row in old.result["rows"]] != [row["value"] for row in new.result["rows"]]
    assert status(stage.services, "pets") == "revealed"
    assert stage.ledger_kinds()[-2:] == ["rescored", "finalized"]


@on_sqlite
def test_finals_go_on_naming_the_new_incumbent(begin: Begin) -> None:
    stage = begin(finals=1)
    some_history(stage)
    publish_rescoring(stage.services, "pets", corrected(stage.competition, rows=400))
    chosen = read_finals(stage.services, "pets", "id-b").submissions[0]
    assert np.isfinite(chosen.number)
    last = {row.name: row.last_improvement for row in stage.rows(teams)}
    accepted = [row for row in stage.rows(submissions) if row.team_id == "id-b" and row.accepted]
    assert last["b"] == (max(row.number for row in accepted) if accepted else None)


@on_sqlite
def test_merged_teams_are_judged_again_as_they_were_merged(begin: Begin) -> None:
    stage = begin()
    same = predictions(stage.competition, 0.9, seed=1)
    stage.send_values("a", same)
    stage.send("a", 0.6, seed=2)
    stage.send_values("b", same)  # what both have stays with the team that is taken in
    stage.send("b", 0.7, seed=3)
    with open_for_change(stage.database, stage.live) as change:
        target, source = (teams_rows.get(change.connection, name) for name in ("id-a", "id-b"))
        twins = members.move_submissions(change.connection, source=source.id, target=target.id)
        merging._merge_memories(change, target, source, twins)
        merging._merge_rows(change, target, source)
        change.enter_in_ledger("merged", target, **{"from": source.id})
    stage.send("a", 0.75, seed=4)
    before = by_team(stage)
    publish_rescoring(stage.services, "pets", corrected(stage.competition, rows=4))
    after = by_team(stage)
    assert (after["a"][1], len(stage.rows(instances))) == (before["a"][1], 1)
    state = State.from_json(stage.rows(instances)[0].state)
    assert state.attempts == 5
    assert state.released == after["a"][0]
    mine = {row.id for row in stage.rows(submissions) if row.team_id == "id-a"}
    assert state.incumbent in mine
