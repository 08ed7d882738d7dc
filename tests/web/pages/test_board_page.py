"""The leaderboard's page: ranges, ties, baselines, search, paging, freshness, and its size with ten thousand teams."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import event, insert

from ladderboard.server.boards.board_page import BoardCache
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import teams as teams_rows
from ladderboard.server.db.rows.competitions import renew_board
from ladderboard.server.db.schema import teams as team_rows
from ladderboard.server.submissions.records import IncomingSubmission
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.web.pages.conftest import EVIL
from tests.web.pages.readers import Page, Reader
from tests.web.pages.tree import Node
from tests.web.servers import Server, a_host, serving

BOARD = "/competitions/pets/leaderboard"


def rows_of(page: Page) -> list[Node]:
    return page.tree.one("table", class_="board").one("tbody").all("tr")


def add_teams(server: Server, count: int) -> None:
    """Teams with numbers on a grid, as if they had submitted; three share each, and many the last ones."""
    now = datetime.now(UTC)

    def value(i: int) -> float:
        return 0.9 - min(i // 3, 150) / 200

    with server.services.database.transaction() as connection:
        rows = [
            {
                "id": f"team-{i:05}", "competition": "pets", "name": f"Team {i}", "name_key": f"team {i}", "salt": "aa",
                "created_at": now, "attempts": 1 + i % 7, "accepts": 1, "board_value": value(i),
                "board_order": -value(i), "last_improvement": i, "last_improved_at": now,
            }
            for i in range(count)
        ]  # fmt: skip
        connection.execute(insert(team_rows), rows)
        renew_board(connection, "pets")


def test_the_board_draws_ranges_groups_ties_and_escapes_names(passer_by: Reader) -> None:
    page = passer_by.open(BOARD)
    rows = rows_of(page)
    named = {row.one("th").text: row for row in rows}
    assert set(named) == {"Foxes", "Owls", "Bears", "Moles", EVIL}
    # The Foxes and the Owls sent the very same predictions.
    ranks = [named[name].one(class_="rank").text for name in ("Foxes", "Owls")]
    assert ranks == ["1 tied", "1 tied"]
    assert "tied" in named["Foxes"].attributes["class"].split()
    assert "first" in rows[0].attributes["class"].split()
    assert "last" in rows[1].attributes["class"].split()
    for row in rows:
        whisker = row.one(class_="plausible").one("svg")
        assert whisker.attributes["aria-label"].startswith("rank")
    assert "<img src=x" not in page.html


def test_the_claim_counts_the_teams_whose_range_reaches_the_top(passer_by: Reader) -> None:
    page = passer_by.open(BOARD)
    first = sum("mayfirst" in row.attributes.get("class", "").split() for row in rows_of(page))
    assert 1 < first < 5
    assert page.tree.one("p", class_="claim").text == f"Of 5 teams, {first} may truly be first."


def test_numbers_are_the_released_ones_and_nothing_has_more_digits(site: Server, passer_by: Reader) -> None:
    shown = [row.one(class_="value").text for row in rows_of(passer_by.open(BOARD))]
    items = site.client().get("/api/v1/competitions/pets/leaderboard").json()["items"]
    assert [float(text) for text in shown] == [item["value"] for item in items]
    ranges = [row.one(class_="said").text for row in rows_of(passer_by.open(BOARD))]
    told = [item["rank_range"] for item in items]
    assert ranges == [f"{r['best']}–{r['worst']}" if r["best"] != r["worst"] else f"{r['best']}" for r in told]


def test_a_search_finds_teams_by_their_letters_and_keeps_their_ranks(passer_by: Reader) -> None:
    (row,) = rows_of(passer_by.open(f"{BOARD}?q=MOL"))
    assert row.one("th").text == "Moles"
    assert row.one(class_="rank").text == "4"
    assert "No team's name contains “<b>x”" in passer_by.open(f"{BOARD}?q=<b>x").text


def test_members_see_where_their_own_team_stands(fox: Reader) -> None:
    page = fox.open(BOARD)
    assert "Your team is at rank 1 with" in page.text
    (own,) = [row for row in rows_of(page) if "data-own" in row.attributes]
    assert own.one("th").text == "Foxes"


def test_a_board_without_plausible_ranks_speaks_of_none(prepared_sqlite: Path, tmp_path: Path) -> None:
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}")
    with serving(a_host(database, tmp_path, a_competition(mechanism="full_disclosure", instances="rank"))) as server:
        add_submission(server)
        olaf = Reader(server).sign_up("olaf").found("Owls")
        competition = server.services.competition("pets").competition
        olaf.submit(a_file(competition, predictions(competition, 0.7, seed=5)))
        page = olaf.open(BOARD)
    database.close()
    assert "Your team is at rank 2 with 0.7" in page.text
    assert "plausible ranks are" not in page.text
    assert "whisker" not in page.text
    assert not page.tree.one("table", class_="board").all(class_="plausible")
    assert "a better score may stand below a worse one" in page.text


def test_a_page_that_has_not_changed_is_not_sent_again(own_site: Server) -> None:
    reader = Reader(own_site)
    add_teams(own_site, 5)
    reader.open(BOARD)
    tag = reader.open(BOARD).answer.headers["etag"]
    asked = {"If-None-Match": tag}
    assert reader.http.get(BOARD, headers=asked).status_code == 304
    assert reader.open(BOARD).tree.one(data_part="board-part").attributes["data-tag"] == tag
    add_submission(own_site)
    fresh = reader.http.get(BOARD, headers=asked)
    assert fresh.status_code == 200
    assert "Newcomers" in fresh.text


def test_whether_a_page_has_changed_is_found_without_counting_or_ranking_teams(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ann").found("Owls")
    add_teams(own_site, 3)
    address = "/api/v1/competitions/pets/leaderboard"
    held = {one: {"If-None-Match": reader.http.get(one).headers["etag"]} for one in (BOARD, address)}
    own_site.app.state.board_cache = BoardCache()
    statements: list[str] = []
    engine = own_site.services.database.engine
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2].lower()))
    assert [reader.http.get(one, headers=headers).status_code for one, headers in held.items()] == [304, 304]
    assert [one for one in statements if "count(" in one or ("from teams" in one and "join" not in one)] == []
    assert reader.http.get(BOARD).status_code == 200
    assert [one for one in statements if "count(" in one] != []


def add_submission(server: Server) -> None:
    competition = server.services.competition("pets").competition
    Reader(server).sign_up("nora").found("Newcomers").submit(a_file(competition, predictions(competition, 0.95)))


def test_the_baseline_is_marked_and_has_no_rank(own_site: Server) -> None:
    add_teams(own_site, 4)
    services, now = own_site.services, datetime.now(UTC)
    live = services.competition("pets")
    with services.database.transaction() as connection:
        connection.execute(
            insert(team_rows).values(
                id="base", competition="pets", name="majority", name_key="majority", salt="aa", kind="baseline",
                created_at=now,
            )
        )  # fmt: skip
    values = predictions(live.competition, 0.8, seed=3)
    services.referee.submit(live, IncomingSubmission("base", a_file(live.competition, values), now, is_baseline=True))
    (row,) = [row for row in rows_of(Reader(own_site).open(BOARD)) if "baseline" in row.attributes["class"].split()]
    assert row.one("th").text == "majority baseline"
    assert row.one(class_="rank").text == "–"
    assert not row.one(class_="plausible").all("svg")


def test_pages_of_the_board_lead_to_each_other(own_site: Server) -> None:
    add_teams(own_site, 130)
    reader = Reader(own_site)
    first, last = reader.open(BOARD), reader.open(f"{BOARD}?page=3")
    assert len(rows_of(first)) == 50
    assert len(rows_of(last)) == 30
    links = [link.attributes["href"] for link in first.tree.one("nav", aria_label="Pages").all("a")]
    assert links == [f"{BOARD}?page={page}" for page in (1, 2, 3)]
    assert rows_of(last)[0].one(class_="rank").text == "100 tied"
    assert reader.open(f"{BOARD}?page=banana").html.count("<tr") == first.html.count("<tr")


def test_a_page_past_the_end_is_the_last_one(own_site: Server) -> None:
    reader = Reader(own_site)
    assert "Nobody is on the board yet" in reader.open(f"{BOARD}?page=9").text
    add_teams(own_site, 60)
    page = reader.open(f"{BOARD}?page=9")
    assert len(rows_of(page)) == 10
    assert page.tree.one("nav", aria_label="Pages").one(aria_current="page").text == "page 2"
    found = reader.open(f"{BOARD}?page=9&q=team 5")
    assert {row.one("th").text for row in rows_of(found)} == {"Team 5", *(f"Team {i}" for i in range(50, 60))}


def test_a_page_of_ten_thousand_teams_is_small_and_ranks_all_of_them_once_for_each_change(own_site: Server) -> None:
    reader, scans = Reader(own_site), []

    def notice(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "GROUP BY teams.board_order" in statement:
            scans.append(statement)

    add_teams(own_site, 10_000)
    event.listen(own_site.services.database.engine, "before_cursor_execute", notice)
    pages = [reader.open(BOARD) for _ in range(3)]
    assert len(scans) == 1
    with own_site.services.database.transaction() as connection:
        teams_rows.change(connection, "team-00007", name="Climbers", board_value=0.95, board_order=-0.95)
        renew_board(connection, "pets")
    pages += [reader.open(BOARD) for _ in range(3)]
    assert len(scans) == 2
    assert all(len(rows_of(page)) == 50 and len(page.html.encode()) < 150_000 for page in pages)
    assert [rows_of(page)[0].one("th").text for page in pages] == ["Team 0"] * 3 + ["Climbers"] * 3


def test_a_team_that_changes_its_name_or_leaves_is_drawn_again_at_once(own_site: Server) -> None:
    add_teams(own_site, 5)
    reader, database = Reader(own_site), own_site.services.database
    assert [row.one(class_="rank").text for row in rows_of(reader.open(BOARD))] == ["1 tied"] * 3 + ["4 tied"] * 2
    with database.transaction() as connection:
        teams_rows.change(connection, "team-00003", name="Renamed", name_key="renamed")
        teams_rows.change(connection, "team-00001", status="withdrawn")
        renew_board(connection, "pets")
    rows = rows_of(reader.open(BOARD))
    assert [row.one("th").text for row in rows] == ["Team 0", "Team 2", "Renamed", "Team 4"]
    assert [row.one(class_="rank").text for row in rows] == ["1 tied"] * 2 + ["3 tied"] * 2
