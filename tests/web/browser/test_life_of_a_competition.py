"""A whole competition in a real browser: an organiser, two participants, a spectator; with script and without."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from ladderboard.cli.main import cli
from ladderboard.competition import Limits
from ladderboard.server.db.database import Database
from ladderboard.server.lifecycle import GRACE
from ladderboard.server.people.accounts import Registry
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.web.browser.conftest import DESKTOP, PHONE, opened, sign_in
from tests.web.pages.accessibility import assert_accessible
from tests.web.pages.conftest import EVIL
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

DEADLINE = NOON + timedelta(days=2)
PETS = "/competitions/pets"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WAYS: dict[str, dict[str, Any]] = {
    "desktop, light, script": {"viewport": DESKTOP, "color_scheme": "light"},
    "phone, dark, no script": {"viewport": PHONE, "color_scheme": "dark", "java_script_enabled": False},
}


@dataclass
class Clock:
    """The competition's time, which the test moves on."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Life:
    """A server whose time can be moved on, and the files that people submit."""

    server: Server
    clock: Clock
    folder: Path

    def file(self, share: float, *, seed: int = 0) -> Path:
        competition = self.server.services.competition("pets").competition
        path = self.folder / f"guess-{share}-{seed}.csv"
        path.write_bytes(a_file(competition, predictions(competition, share, seed=seed)))
        return path


@pytest.fixture
def life(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Life]:
    clock = Clock()
    shutil.copy(prepared_sqlite, tmp_path / "life.db")
    database = Database(f"sqlite:///{tmp_path / 'life.db'}", clock=clock)
    pets = a_competition(rows=800, limits=Limits(per_day=3), deadline=DEADLINE, publish_submissions=True)
    with serving(a_host(database, tmp_path, pets)) as server:
        Registry(server.app.state.accounts).add("olga", PASSWORD, role="organiser")
        yield Life(server, clock, tmp_path)
    database.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_competition_lives_from_the_first_sign_up_to_the_verified_result(
    browser: Browser, life: Life, way: str
) -> None:
    options = WAYS[way]
    Reader(life.server).sign_up("cem").found(EVIL).submit(life.file(0.65).read_bytes(), note=EVIL, name=f"{EVIL}.csv")
    with (
        opened(browser, life.server, **options) as ann,
        opened(browser, life.server, **options) as ben,
        opened(browser, life.server, **options) as spectator,
        opened(browser, life.server, **options) as olga,
    ):
        sign_up(ann, "ann")
        found_a_team(ann, "Owls")
        sign_up(ben, "ben")
        join(ben, code=invite(ann))
        submit_badly(ann, life)
        submit(ann, life.file(0.7), "Improved", note="a first <b>try</b>")
        submit(ben, life.file(0.9), "Improved")
        submit(ann, life.file(0.9, seed=5), None)
        refuse_a_fourth(ben)
        look_at_the_board(spectator)
        pick_one_final(ann)
        sign_in(olga, "olga")
        look_at_the_dashboard(olga)
        life.clock.now = DEADLINE + GRACE + timedelta(seconds=1)
        find_it_closed(ann)
        finalize(olga)
        visit(spectator, f"{PETS}/results")
        expect(spectator.get_by_role("heading", name="No results yet")).to_be_visible()
        reveal(olga)
        look_at_the_results(spectator)
        verify(life)


def visit(page: Page, path: str) -> None:
    """Open a page, which everybody must be able to read, and which fits its screen."""
    page.goto(path)
    read(page)
    assert page.evaluate(OVERFLOW) <= 0, path


def read(page: Page) -> None:
    """What has arrived in full is readable for everybody."""
    page.wait_for_load_state()
    assert_accessible(page.content())


def sign_up(page: Page, name: str) -> None:
    visit(page, "/sign-up")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def found_a_team(page: Page, name: str) -> None:
    visit(page, f"{PETS}/team")
    page.get_by_label("Team name").fill(name)
    page.get_by_role("button", name="Create team").click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def invite(page: Page) -> str:
    page.get_by_role("button", name="Create invitation").click()
    code = page.locator(".secret").first.inner_text()
    visit(page, f"{PETS}/team")
    assert code not in page.content(), "a code is shown once"
    return code


def join(page: Page, *, code: str) -> None:
    visit(page, f"{PETS}/team")
    page.get_by_label("Invitation code").fill(code)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("heading", name="Owls", level=1)).to_be_visible()


def send(page: Page, file: Path, *, note: str = "") -> None:
    visit(page, f"{PETS}/submit")
    page.set_input_files("#file", file)
    if note:
        page.locator("[name=note]").fill(note)
    page.get_by_role("button", name="Submit", exact=True).click()


def submit_badly(page: Page, life: Life) -> None:
    bad = life.folder / "bad.csv"
    bad.write_text("id,label\n1,0\n1,<script>alert(1)</script>\n")
    send(page, bad)
    expect(page.get_by_role("alert")).to_contain_text("Nothing was charged")
    expect(page.locator(".problems")).to_contain_text("line 3")


def submit(page: Page, file: Path, outcome: str | None, *, note: str = "") -> None:
    send(page, file, note=note)
    page.wait_for_url("**/submissions/*")
    improved = page.get_by_role("heading", name="Improved")
    expect(improved).to_have_count(1 if outcome == "Improved" else 0)
    read(page)


def refuse_a_fourth(page: Page) -> None:
    visit(page, f"{PETS}/submit")
    expect(page.get_by_role("heading", name="No attempts left")).to_be_visible()
    expect(page.locator("#file")).to_have_count(0)


def look_at_the_board(page: Page) -> None:
    visit(page, f"{PETS}/leaderboard")
    expect(page.get_by_role("rowheader", name="Owls")).to_be_visible()
    expect(page.get_by_role("rowheader", name=EVIL)).to_be_visible()
    answer = page.goto(f"{PETS}/organise")
    assert answer is not None
    assert "/sign-in" in page.url, "a spectator is asked to sign in"


def pick_one_final(page: Page) -> None:
    visit(page, f"{PETS}/submissions")
    for box in page.locator("input[name=pick]").all():
        box.uncheck()
    page.locator("input[name=pick]").nth(1).check()
    page.get_by_role("button", name="Save selection").click()
    expect(page.get_by_text("Your selection is saved.")).to_be_visible()
    expect(page.locator("input[name=pick]:checked")).to_have_count(1)
    expect(page.locator("input[name=pick]").nth(1)).to_be_checked()


def look_at_the_dashboard(page: Page) -> None:
    visit(page, f"{PETS}/organise")
    expect(page.get_by_role("heading", name="Health of the test set")).to_be_visible()
    expect(page.get_by_role("link", name="Close now…")).to_be_visible()
    expect(page.get_by_role("link", name="Finalize…")).to_have_count(0)
    for part in ("teams", "flags", "ledger"):
        visit(page, f"{PETS}/organise/{part}")
    visit(page, f"{PETS}/organise/teams")
    page.get_by_role("row", name="Owls").locator("summary").click()
    form = page.locator("details[open] form").first
    form.get_by_label("Extra submissions a day").fill("2")
    form.get_by_label("Reason").fill(EVIL)
    form.get_by_role("button", name="Grant").click()
    expect(page.get_by_role("status")).to_contain_text("extra submissions are granted")
    expect(page.get_by_role("rowheader", name="+2 a day")).to_be_visible()


def find_it_closed(page: Page) -> None:
    visit(page, f"{PETS}/submit")
    expect(page.get_by_role("heading", name="closed")).to_be_visible()
    expect(page.locator("#file")).to_have_count(0)


def finalize(page: Page) -> None:
    visit(page, f"{PETS}/organise")
    page.get_by_role("link", name="Finalize…").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Owls")).to_be_visible()
    read(page)
    page.get_by_role("button", name="Finalize").click()
    expect(page.get_by_role("status")).to_contain_text("Only organisers see it")


def reveal(page: Page) -> None:
    visit(page, f"{PETS}/results")
    expect(page.get_by_role("note")).to_contain_text("Only organisers see this page")
    visit(page, f"{PETS}/organise")
    page.get_by_role("link", name="Reveal…").click()
    expect(page.get_by_role("main")).to_contain_text("This cannot be undone")
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_role("status")).to_contain_text("is revealed")


def look_at_the_results(page: Page) -> None:
    visit(page, PETS)
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_role("heading", name="Final results")).to_be_visible()
    read(page)
    expect(page.get_by_role("rowheader", name="Owls")).to_contain_text("could be first")
    expect(page.get_by_role("main")).to_contain_text("Corrected for being the best of 2 teams")
    expect(page.get_by_role("img", name="From public to private rank, 2 teams")).to_have_count(1)
    expect(page.get_by_text("ladderboard ledger verify")).to_be_visible()


def verify(life: Life) -> None:
    """As the page says, without trust in the server."""
    for command in ("verify", "replay"):
        result = CliRunner().invoke(cli, ["ledger", command, life.server.url + PETS])
        assert result.exit_code == 0, result.output
