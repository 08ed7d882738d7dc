"""The link that `serve` prints while there is no organiser: good once, for a week, spent by sending the form."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ladderboard.core.errors import ForbiddenError
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.first_organiser import make_link_code, sign_up_first
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.settings import Settings
from tests.hosting.competitions import NOON
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, QUICK, Server, a_host, serving


@dataclass
class SetClock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


CLOCK = SetClock()


@pytest.fixture
def empty_site(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server without accounts and competitions."""
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    CLOCK.now = NOON
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=CLOCK)
    with serving(a_host(database, tmp_path)) as server:
        yield server
    database.close()


def test_the_link_makes_an_organiser_once_and_opening_it_spends_nothing(empty_site: Server) -> None:
    code = make_link_code(empty_site.services.database)
    reader = Reader(empty_site)
    for _ in range(3):
        page = reader.open(f"/first-organiser?code={code}")
    assert page.heading == "The first organiser"
    reader.send("/first-organiser", {"name": "Ada", "password": PASSWORD, "code": code})
    assert "organiser" in reader.open("/account").text
    again = Reader(empty_site)
    again.open(f"/first-organiser?code={code}")
    page = again.send("/first-organiser", {"name": "Eve", "password": PASSWORD, "code": code}, status=403)
    assert "has an organiser already" in page.text


@pytest.mark.parametrize("code", ["", "wrong", "aaaaa-bbbbb-ccccc-ddddd"])
def test_another_code_makes_nobody(empty_site: Server, code: str) -> None:
    make_link_code(empty_site.services.database)
    reader = Reader(empty_site)
    reader.open("/first-organiser")
    page = reader.send("/first-organiser", {"name": "Eve", "password": PASSWORD, "code": code}, status=403)
    assert "prints a new one" in page.text
    assert not empty_site.app.state.accounts.has_organiser()


def test_a_password_that_is_refused_spends_nothing_and_keeps_the_name(empty_site: Server) -> None:
    code = make_link_code(empty_site.services.database)
    reader = Reader(empty_site)
    reader.open(f"/first-organiser?code={code}")
    page = reader.send("/first-organiser", {"name": "Ada", "password": "short", "code": code}, status=422)
    assert page.tree.one("input", name="name").attributes["value"] == "Ada"
    reader.send("/first-organiser", {"name": "Ada", "password": PASSWORD, "code": code})
    assert empty_site.app.state.accounts.has_organiser()


def test_a_link_of_last_week_is_too_old(empty_site: Server) -> None:
    code = make_link_code(empty_site.services.database)
    CLOCK.now = NOON + timedelta(days=8)
    with pytest.raises(ForbiddenError, match="too old"):
        sign_up_first(empty_site.app.state.accounts, "Ada", PASSWORD, code=code)


def test_the_database_holds_no_code(empty_site: Server, tmp_path: Path) -> None:
    code = make_link_code(empty_site.services.database)
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("site.db*"))
    assert code.encode() not in kept
    assert code.replace("-", "").encode() not in kept


def test_of_two_links_used_at_once_one_makes_an_organiser(database: Database) -> None:
    people = Accounts(database, Settings(), passwords=Passwords(QUICK))
    codes = [make_link_code(database) for _ in range(4)]

    def try_code(number: int) -> bool:
        try:
            sign_up_first(people, f"Ada {number}", PASSWORD, code=codes[number])
        except ForbiddenError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(try_code, range(4))) == 1
