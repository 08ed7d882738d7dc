import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ladderboard.server.db.database import Database
from tests.cli.participate.participants import refusal, sign_up, told
from tests.hosting.competitions import a_competition
from tests.web.servers import Server, a_host, serving

pytestmark = pytest.mark.usefixtures("home")


def test_a_team_is_made_joined_shown_and_left(server: Server) -> None:
    sign_up(server, "ada")
    assert (
        told("team", "create", "Night Shift") == "Created the team 'Night Shift' in pets. You are its first member.\n"
    )
    code = told("team", "invite").splitlines()[0].removeprefix("Code: ")
    sign_up(server, "bob")
    assert told("team", "join", code) == "You joined the team 'Night Shift' in pets.\n"
    assert told("team", "show").splitlines() == [
        "Night Shift in pets (active)",
        "Members: ada, bob",
        "On the board: no score yet",
        "Attempts: 0, no limit.",
    ]
    assert json.loads(told("team", "show", "--json"))["name"] == "Night Shift"
    assert "You left your team in pets." in told("team", "leave", "--yes")
    assert "you have no team" in refusal("team", "show")


def test_a_code_knows_its_competition(prepared_sqlite: Path, tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    pets = a_competition()
    cars = replace(pets, rules=replace(pets.rules, slug="cars"))
    with serving(a_host(database, tmp_path, pets, cars)) as server:
        sign_up(server, "ada")
        told("team", "create", "Night Shift", "--competition", "cars")
        code = told("team", "invite", "--competition", "cars").splitlines()[0].removeprefix("Code: ")
        sign_up(server, "bob")
        assert told("team", "join", code) == "You joined the team 'Night Shift' in cars.\n"
    database.close()


def test_leaving_is_asked_twice(server: Server) -> None:
    sign_up(server)
    told("team", "create", "Night Shift")
    assert "Aborted" in refusal("team", "leave", given="n\n", expected=1)
    assert "ada" in told("team", "show")


def test_a_wrong_code_and_a_taken_name_are_sentences(server: Server) -> None:
    sign_up(server, "ada")
    told("team", "create", "Night Shift")
    sign_up(server, "bob")
    assert "this code is wrong" in refusal("team", "join", "wrong")
    assert "there is already a team 'Night Shift'" in refusal("team", "create", "Night Shift")
