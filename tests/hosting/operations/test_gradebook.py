"""The gradebook: everybody with a name, and files as Moodle's and Canvas's importers read them."""

import csv
import io
from datetime import timedelta

import pytest
from sqlalchemy import insert

from ladderboard.core.errors import ConflictError, ParameterError
from ladderboard.server.db.rows.enrolments import enrol
from ladderboard.server.db.schema import enrolments, members, teams
from ladderboard.server.lifecycle import freeze
from ladderboard.server.operations.gradebook import read_grades, write_grades
from ladderboard.server.results.finalizing import finalize
from tests.hosting.competitions import NOON
from tests.hosting.hosts import Begin, Stage
from tests.hosting.people_fixtures import a_person

LINEAR = "linear 0.5=0 0.0=100"


def a_class(begin: Begin) -> Stage:
    """Teams a and b with one member each, and somebody who was invited and has no team."""
    stage = begin(mechanism="ladder", metric="error_rate")
    stage.team("base", kind="baseline")
    stage.send("base", 0.3, seed=5, is_baseline=True)
    for seed, (team, share) in enumerate([("a", 0.7), ("b", 0.9)]):
        stage.send(team, share, seed=seed)
    named = {"ada": ("Ada Lovelace", "ada@example.org"), "bob": ("=Bob", None), "carl": ("Carl Alone", "c@example.org")}
    for name, (real_name, address) in named.items():
        person = a_person(stage.database, name)
        with stage.database.transaction() as connection:
            enrol(connection, "pets", person.id, role="participant", now=NOON)
            mine = enrolments.c.account_id == person.id
            connection.execute(enrolments.update().where(mine).values(real_name=real_name, address=address))
            if name != "carl":
                team = f"id-{name[0]}"
                row = {"competition": "pets", "account_id": person.id, "team_id": team, "joined_at": NOON}
                connection.execute(insert(members), row)
    return stage


def finish(stage: Stage) -> None:
    stage.pass_time(timedelta(hours=1))
    freeze(stage.services, "pets")
    stage.pass_time(timedelta(hours=1))
    finalize(stage.services, "pets", at_once=True)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_everybody_is_in_it_and_points_come_with_the_final_scores(begin: Begin) -> None:
    stage = a_class(begin)
    early = read_grades(stage.database, "pets")
    assert [(row.name, row.team, row.points) for row in early] == [
        ("Ada Lovelace", "a", None),
        ("=Bob", "b", None),
        ("Carl Alone", None, None),
    ]
    with pytest.raises(ConflictError, match="finalize the competition first"):
        read_grades(stage.database, "pets", rule=LINEAR)
    finish(stage)
    ada, bob, carl = read_grades(stage.database, "pets", rule=LINEAR)
    for row in (ada, bob):
        assert row.private_score is not None
        assert row.points == pytest.approx(100 * (0.5 - row.private_score) / 0.5, abs=0.005)
    assert carl.points is None
    [_, best, _] = read_grades(stage.database, "pets", rule="ranks 1=100 rest=50")
    assert best.points == 100
    assert [row.points for row in read_grades(stage.database, "pets", rule="baselines base=60")] == [60, 60, None]


def test_a_disqualified_team_gets_no_points_by_a_rule(begin: Begin) -> None:
    stage = a_class(begin)
    with stage.database.transaction() as connection:
        connection.execute(teams.update().where(teams.c.name == "a").values(status="disqualified"))
    finish(stage)
    ada, bob, _ = read_grades(stage.database, "pets", rule="ranks 1=100")
    assert (ada.team_status, ada.points) == ("disqualified", None)
    assert bob.points == 100


def test_cells_are_harmless_and_points_are_numbers(begin: Begin) -> None:
    stage = a_class(begin)
    finish(stage)
    rows = table(write_grades(stage.database, "pets", rule=LINEAR))
    assert [row["name"] for row in rows] == ["Ada Lovelace", "'=Bob", "Carl Alone"]
    assert float(rows[0]["points"]) > 0


def test_moodle_gets_an_address_and_points_of_known_people_alone(begin: Begin) -> None:
    stage = a_class(begin)
    finish(stage)
    [row] = table(write_grades(stage.database, "pets", rule=LINEAR, layout="moodle"))
    assert list(row) == ["Email address", stage.live.rules.title]
    assert row["Email address"] == "ada@example.org"
    assert 0 < float(row[stage.live.rules.title]) <= 100


def test_canvas_gets_its_own_columns_and_the_points_possible(begin: Begin) -> None:
    stage = a_class(begin)
    finish(stage)
    title = stage.live.rules.title
    possible, ada, bob, carl = table(write_grades(stage.database, "pets", rule="ranks 1=90 rest=10", layout="canvas"))
    assert list(ada) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    assert (possible["Student"], possible[title]) == ("    Points Possible", "90.0")
    assert (ada["Student"], ada["SIS Login ID"]) == ("Ada Lovelace", "ada@example.org")
    assert (bob["SIS Login ID"], carl[title]) == ("", "")


def test_a_file_for_an_importer_needs_a_rule(begin: Begin) -> None:
    stage = a_class(begin)
    with pytest.raises(ParameterError, match="needs points"):
        write_grades(stage.database, "pets", layout="canvas")
