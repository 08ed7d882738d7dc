"""Every release again from the ledger: with merges, rungs, late entries, baselines, epochs of noise, other versions."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from ladderboard.server.audit import replaying
from ladderboard.server.audit.audit import PublishedEntry
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.audit.replaying import LedgerReplay, Replayed
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, instances, ledger, submissions
from ladderboard.server.results.rescoring import publish_rescoring
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.hosting.hosts import Begin, Stage
from tests.hosting.people_fixtures import Clock
from tests.hosting.teams.clubs import Club

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])
Served = Stage | Club


def entries(stage: Served) -> list[PublishedEntry]:
    with stage.database.reading() as connection:
        return list(whole_view(connection, stage.live.slug).entries(connection))


def replayed(stage: Served, ledger_entries: list[PublishedEntry] | None = None) -> list[Replayed]:
    """By a fresh competition that remembers nothing of the first run."""
    live = LiveCompetition(stage.competition, stage.live.secret, stage.live.files, stage.live.scoring_version)
    replay = LedgerReplay({live.scoring_version: live}, live.files.read)
    return list(replay.releases(lambda: entries(stage) if ledger_entries is None else ledger_entries))


def play(stage: Stage, rounds: int = 6) -> None:
    for step in range(rounds):
        for index, team in enumerate(("a", "b", "c")):
            stage.send(team, min(0.95, 0.5 + 0.06 * step + 0.03 * index), seed=10 * step + index)


@on_sqlite
@pytest.mark.parametrize("mechanism", ["ladder", "witness_ladder", "shaky_ladder", "bayes_boot_ladder"])
def test_every_release_is_the_same_bit_for_bit(begin: Begin, mechanism: str) -> None:
    stage = begin(mechanism=mechanism, metric="error_rate")
    play(stage, rounds=4)
    found = replayed(stage)
    assert [one.outcome for one in found] == ["same"] * 12
    assert [one.number for one in found] == list(range(1, 13))


def test_on_a_board_of_rungs_the_teams_interleave(begin: Begin) -> None:
    stage = begin(instances="rank", ranks=3, mechanism="shaky_ladder", metric="error_rate")
    play(stage)
    found = replayed(stage)
    assert {one.outcome for one in found} == {"same"}
    assert any(one.recorded["accepted"] for one in found)


@on_sqlite
@pytest.mark.parametrize("instances", ["team", "rank"])
def test_a_merged_team_goes_on_from_both(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instances: str
) -> None:
    competition = a_competition(mechanism="shaky_ladder", metric="error_rate", instances=instances, ranks=3)
    club = Club(database, Clock(database, monkeypatch), tmp_path, competition)
    (kept, [ada]), (other, [bob]) = club.found("ada", team="Ada's"), club.found("bob", team="Bob's")
    for seed, (team, share) in enumerate([(kept, 0.6), (other, 0.7), (other, 0.8), (kept, 0.62)]):
        club.send(team, share, seed=seed)
    club.send(kept, 0.8, seed=2)  # what the other team sent too
    club.merge(ada, bob, into="Ada's", team="Bob's")
    for seed, share in enumerate((0.9, 0.7, 0.95), start=10):
        club.send(kept, share, seed=seed)
    found = replayed(club)
    assert [one.outcome for one in found] == ["same"] * 8
    without_merge = [one for one in entries(club) if one.entry.kind != "merged"]
    assert (replayed(club, without_merge)[-1].outcome == "different") == (instances == "team")


def test_late_entries_go_on_from_where_the_deadline_found_their_team(begin: Begin) -> None:
    stage = begin(
        mechanism="shaky_ladder", metric="error_rate", deadline=NOON + timedelta(hours=1), late_submissions=True
    )
    play(stage, rounds=3)
    stage.pass_time(timedelta(hours=2))
    play(stage, rounds=5)
    found = replayed(stage)
    assert {one.outcome for one in found} == {"same"}
    assert {row.phase for row in stage.rows(submissions)} == {"live", "late"}


@on_sqlite
def test_baselines_and_epochs_of_noise_are_replayed(begin: Begin) -> None:
    stage = begin(mechanism="shaky_ladder", metric="error_rate")
    stage.team("base", kind="baseline")
    stage.send("base", 0.6, seed=90, is_baseline=True)
    play(stage, rounds=2)
    with stage.database.transaction() as connection:
        connection.execute(update(competitions).values(noise_epoch=1))
    stage.send("a", 0.9, seed=91)
    assert {one.outcome for one in replayed(stage)} == {"same"}


@on_sqlite
def test_a_training_score_is_part_of_what_is_replayed(begin: Begin) -> None:
    stage = begin(mechanism="thresholdout", metric="error_rate")
    stage.send("a", 0.7, seed=1, training_score=0.25)
    stage.send("a", 0.8, seed=2, training_score=0.05)
    assert {one.outcome for one in replayed(stage)} == {"same"}


@on_sqlite
def test_a_release_that_was_changed_is_found(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    play(stage, rounds=2)
    forged = entries(stage)
    opening = forged[3].opening
    assert opening is not None
    forged[3] = replace(forged[3], opening={**opening, "release": {**opening["release"], "value": 0.0}})
    found = replayed(stage, forged)
    assert [one.outcome for one in found].count("different") == 1
    assert found[2].outcome == "different"
    assert found[2].seq == 4


@on_sqlite
def test_another_file_than_was_scored_is_found(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    play(stage, rounds=1)
    other = a_file(stage.competition, predictions(stage.competition, 0.9, seed=77))
    live = LiveCompetition(stage.competition, stage.live.secret, stage.live.files)
    found = list(LedgerReplay({1: live}, lambda _digest: other).releases(lambda: entries(stage)))
    assert {one.outcome for one in found} == {"different"}
    assert "does not hold the predictions" in found[0].words


@on_sqlite
def test_a_file_that_is_missing_is_said_to_be(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    play(stage, rounds=1)
    live = LiveCompetition(stage.competition, stage.live.secret, stage.live.files)
    found = list(LedgerReplay({1: live}, lambda _: stage.live.files.read("0" * 64)).releases(lambda: entries(stage)))
    assert {one.outcome for one in found} == {"not replayed"}
    assert "missing" in found[0].words


@on_sqlite
def test_under_other_versions_the_last_digits_may_differ(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin(mechanism="full_disclosure", metric="rmse")
    stage.send("a", 0.8, seed=1)
    told = entries(stage)
    opening = told[1].opening
    assert opening is not None
    value = opening["release"]["value"] * (1 + 1e-13)
    told[1] = replace(told[1], opening={**opening, "release": {**opening["release"], "value": value}})
    assert replayed(stage, told)[0].outcome == "different"
    monkeypatch.setattr(replaying, "read_versions", lambda: {"numpy": "0"})
    assert replayed(stage, told)[0].outcome == "same after rounding"


@on_sqlite
def test_another_secret_makes_other_noise(begin: Begin) -> None:
    stage = begin(mechanism="shaky_ladder", metric="error_rate")
    play(stage, rounds=3)
    live = LiveCompetition(stage.competition, b"another secret of thirty-two byt", stage.live.files)
    found = list(LedgerReplay({1: live}, live.files.read).releases(lambda: entries(stage)))
    assert {one.outcome for one in found} == {"different"}


@on_sqlite
def test_a_server_with_other_versions_says_so_in_the_ledger(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    again = Stage(stage.database, Path(), stage.competition)
    assert again.ledger_kinds() == ["created"], "the same versions say nothing"
    monkeypatch.setattr("ladderboard.server.competitions.opening.read_versions", lambda: {"numpy": "99"})
    later = Stage(stage.database, Path(), stage.competition)
    assert later.ledger_kinds() == ["created", "versions"]
    with later.database.reading() as connection:
        bodies = list(connection.scalars(select(ledger.c.body).order_by(ledger.c.seq)))
        assert connection.scalar(select(instances.c.key)) is None
    assert bodies[1] == {"versions": {"numpy": "99"}}
    again.services.close()
    later.services.close()


@on_sqlite
@pytest.mark.parametrize("instances", ["team", "rank"])
def test_a_correction_scored_everything_anew(begin: Begin, instances: str) -> None:
    stage = begin(mechanism="shaky_ladder", metric="error_rate", instances=instances, ranks=3)
    old = stage.live
    play(stage, rounds=3)
    solution = old.competition.solution
    labels = solution.labels.copy()
    labels[:40] = 1 - labels[:40]
    corrected = replace(old.competition, solution=replace(solution, labels=labels))
    publish_rescoring(stage.services, "pets", corrected)
    stage.send("a", 0.97, seed=99)
    new = stage.live
    assert new.scoring_version == 2

    def outcomes(*scorings: LiveCompetition) -> list[str]:
        fresh = {
            one.scoring_version: LiveCompetition(one.competition, one.secret, one.files, one.scoring_version)
            for one in scorings
        }
        return [one.outcome for one in LedgerReplay(fresh, old.files.read).releases(lambda: entries(stage))]

    assert outcomes(old, new) == ["same"] * 11
    assert outcomes(new) == ["not replayed"] * 9 + ["same"] * 2
    assert outcomes(old) == ["same"] * 9 + ["not replayed"] * 2
    wrong = replace(new, competition=old.competition)
    assert outcomes(old, wrong)[9:] == ["different"] * 2
