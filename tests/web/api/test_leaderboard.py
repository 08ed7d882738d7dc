"""`GET …/leaderboard`: pages, ranks, CSV, and never a stale board."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, teams
from ladderboard.server.submissions.records import IncomingSubmission
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.hosting.hosts import on_sqlite
from tests.web.servers import Server, a_host, serving

BOARD = "/api/v1/competitions/pets/leaderboard"


def add_teams(server: Server, *rows: tuple[str, float], **values: Any) -> None:
    """Teams that have a number already."""
    with server.services.database.transaction() as connection:
        for number, (name, value) in enumerate(rows):
            row = {
                "id": f"id-{name}",
                "competition": "pets",
                "name": name,
                "name_key": name.casefold(),
                "salt": "5a17",
                "created_at": NOON,
                "attempts": 3,
                "board_value": value,
                "board_order": -value,
                "last_improvement": number + 1,
                "last_improved_at": NOON,
            }
            connection.execute(insert(teams).values(row | values))
        connection.execute(update(competitions).values(board_version=competitions.c.board_version + 1))


def board(server: Server, **query: Any) -> Any:
    answer = server.client().get(BOARD, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_equal_values_share_a_rank_and_a_baseline_has_none(server: Server) -> None:
    add_teams(server, ("a", 0.8), ("b", 0.7), ("c", 0.7), ("d", 0.4))
    add_teams(server, ("majority", 0.65), kind="baseline")
    add_teams(server, ("gone", 0.9), status="withdrawn")
    found = board(server)
    shown = [(row["team"], row["rank"], row["is_tied"], row["kind"]) for row in found["items"]]
    assert shown == [
        ("a", 1, False, "team"),
        ("b", 2, True, "team"),
        ("c", 2, True, "team"),
        ("majority", None, False, "baseline"),
        ("d", 4, False, "team"),
    ]
    assert (found["total"], found["page"], found["next"], found["status"]) == (5, 1, None, "open")
    assert (found["metric"], found["lower_is_better"]) == ("accuracy", False)
    assert found["items"][0]["rank_range"] == {"best": 1, "worst": 3}
    assert found["items"][0]["last_improvement"] == NOON.isoformat()


def test_a_team_without_a_number_is_not_on_the_board(server: Server) -> None:
    add_teams(server, ("a", 0.8))
    add_teams(server, ("new", 0.8), board_value=None, board_order=None)
    assert [row["team"] for row in board(server)["items"]] == ["a"]


def test_pages_follow_each_other_with_the_same_ranks(server: Server) -> None:
    add_teams(server, *((f"team {n:02}", 0.9 - n // 2 / 100) for n in range(25)))
    client, seen = server.client(), []
    address: str | None = f"{BOARD}?per_page=10"
    while address is not None:
        part = client.get(address).json()
        seen += [(row["team"], row["rank"]) for row in part["items"]]
        address = part["next"]
    assert seen == [(f"team {n:02}", 1 + 2 * (n // 2)) for n in range(25)]


def test_a_search_keeps_the_ranks_of_the_whole_board(server: Server) -> None:
    add_teams(server, ("Whale", 0.9), ("seal", 0.8), ("WHALER", 0.7), ("100%", 0.6))
    found = board(server, search="whale")
    assert [(row["team"], row["rank"]) for row in found["items"]] == [("Whale", 1), ("WHALER", 3)]
    assert [row["team"] for row in board(server, search="0%")["items"]] == ["100%"]
    assert board(server, search="_")["items"] == []


def test_a_search_leads_on_to_its_next_page(server: Server) -> None:
    add_teams(server, ("a & b", 0.9), ("seal", 0.8), ("b & a", 0.7))
    first = board(server, search=" & ", per_page=1)
    assert ([row["team"] for row in first["items"]], first["total"]) == (["a & b"], 2)
    second = server.client().get(first["next"]).json()
    assert ([row["team"] for row in second["items"]], second["next"]) == (["b & a"], None)


def test_the_csv_is_whole_and_runs_no_formula(server: Server) -> None:
    add_teams(server, ("=HYPERLINK(1)", 0.9), ("plain", 0.8))
    answer = server.client().get(BOARD, params={"format": "csv", "per_page": 1})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["team"], row["rank"], row["value"]) for row in rows] == [
        ("'=HYPERLINK(1)", "1", "0.9"),
        ("plain", "2", "0.8"),
    ]


@pytest.mark.parametrize("query", [{"page": 0}, {"per_page": 201}, {"page": "x"}, {"format": "xml"}])
def test_a_query_that_makes_no_sense_is_refused(server: Server, query: dict[str, Any]) -> None:
    answer = server.client().get(BOARD, params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")


def test_what_is_held_is_not_sent_again_until_something_was_released(server: Server) -> None:
    add_teams(server, ("a", 0.6))
    client = server.client()
    first = client.get(BOARD)
    held = {"If-None-Match": first.headers["etag"]}
    assert client.get(BOARD, headers=held).status_code == 304
    assert client.get(f"{BOARD}?page=2", headers=held).status_code == 200
    competition = server.services.competition("pets").competition
    content = a_file(competition, predictions(competition, 0.95))
    server.services.referee.submit(
        server.services.competition("pets"), IncomingSubmission("id-a", content, server.services.database.now())
    )
    again = client.get(BOARD, headers=held)
    assert again.status_code == 200
    assert again.json()["items"][0]["value"] > 0.8


def test_what_another_process_wrote_is_seen_at_once(server: Server) -> None:
    add_teams(server, ("a", 0.6))
    assert board(server)["items"][0]["team"] == "a"
    with server.services.database.transaction() as connection:  # as another server process would
        connection.execute(update(teams).values(name="renamed"))
        connection.execute(update(competitions).values(board_version=competitions.c.board_version + 1))
    assert board(server)["items"][0]["team"] == "renamed"


def test_the_status_is_that_of_the_moment_though_the_board_stands_still(server: Server) -> None:
    add_teams(server, ("a", 0.6))
    assert board(server)["status"] == "open"
    with server.services.database.transaction() as connection:
        connection.execute(update(competitions).values(spent_at=NOON))
    assert board(server)["status"] == "spent"


@on_sqlite
def test_a_private_board_is_for_members_and_organisers(database: Database, tmp_path: Path) -> None:
    services = a_host(database, tmp_path, a_competition(visibility="private"))
    with serving(services) as server:
        assert server.client().get(BOARD).status_code == 404
        outsider = server.sign_up("Otto")
        assert outsider.get(BOARD).status_code == 404
        answer = server.organiser().get(BOARD)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-cache"


def test_an_unknown_competition_is_not_found(server: Server) -> None:
    answer = server.client().get("/api/v1/competitions/cats/leaderboard")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
