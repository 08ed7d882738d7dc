"""The newcomer's path: from a server without folders to a board with three teams, in a browser, counted in clicks."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from ladderboard.server.db.database import Database
from ladderboard.server.people.first_organiser import make_link_code
from tests.hosting.competitions import NOON
from tests.web.browser.conftest import DESKTOP, PATIENCE, PHONE, opened
from tests.web.servers import PASSWORD, Server, a_host, serving

LECTURER, STUDENT = 15, 6
"""The clicks that the paths may take."""
TRUTH = [("diseased" if i % 3 == 0 else "healthy") for i in range(300)]
SOLUTION = "id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(TRUTH))


@dataclass
class Person:
    """Somebody with a browser; clicks are counted."""

    page: Page
    clicks: int = 0

    def click(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("main").get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("main").get_by_role("link", name=name, exact=True))

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)

    def choose_file(self, label: str, content: str) -> None:
        """One click opens the system's dialog; what happens in there is the system's."""
        self.clicks += 1
        file = {"name": "answers.csv", "mimeType": "text/csv", "buffer": content.encode()}
        self.page.get_by_label(label).set_input_files(file)  # type: ignore[arg-type]


@pytest.fixture
def empty_server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that was started without folders."""
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=lambda: NOON)
    with serving(a_host(database, tmp_path)) as server:
        yield server
    database.close()


def assert_axe_finds_nothing(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_lecturer_makes_a_board_and_three_students_are_on_it(browser: Browser, empty_server: Server) -> None:
    code = make_link_code(empty_server.services.database)
    with opened(browser, empty_server) as page:
        ada = Person(page)
        page.goto(f"/first-organiser?code={code}")
        ada.fill("Name", "Ada")
        ada.fill("Password", PASSWORD)
        ada.press("Create account")
        ada.fill("Title", "Sick or not")
        ada.choose_file("Choose the file with the answers", SOLUTION.replace("\n7,healthy\n", "\n7,\n"))
        ada.press("Check the file")
        expect(page.get_by_text("line 9")).to_be_visible()
        assert_axe_finds_nothing(page)
        ada.choose_file("Choose the file with the answers", SOLUTION)
        ada.press("Check the file")
        expect(page.get_by_text("Answer this first")).to_be_visible()
        assert_axe_finds_nothing(page)
        ada.clicks += 1
        page.get_by_label("Positive class").select_option("diseased")
        ada.fill("Description", "# Sick or not\n\nWho is *ill*?")
        expect(page.locator("#description-preview em")).to_have_text("ill")
        ada.press("Publish")
        expect(page.get_by_text("The competition is published.")).to_be_visible()
        assert_axe_finds_nothing(page)
        assert ada.clicks <= LECTURER
        for path in ("edit", "files"):
            page.goto(f"/competitions/sick-or-not/organise/{path}")
            assert_axe_finds_nothing(page)
    for number, name in enumerate(("ann", "ben", "cem")):
        with opened(
            browser, empty_server, viewport=PHONE if number else DESKTOP, java_script_enabled=number != 2
        ) as page:
            take_part(Person(page), name, number)
    with opened(browser, empty_server, color_scheme="dark") as page:
        page.goto("/competitions/sick-or-not/leaderboard")
        for name in ("ann", "ben", "cem"):
            expect(page.get_by_role("rowheader", name=f"Team {name}")).to_be_visible()
        assert_axe_finds_nothing(page)


def take_part(person: Person, name: str, number: int) -> None:
    page = person.page
    page.goto("/competitions/sick-or-not")
    person.follow("Submit predictions")
    person.follow("Sign up")
    person.fill("Name", name)
    person.fill("Password", PASSWORD)
    person.press("Sign up")
    person.fill("Your team's name", f"Team {name}")
    person.choose_file("Choose a file of predictions", predictions(number))
    person.press("Submit")
    page.wait_for_url(re.compile("/submissions/"), timeout=PATIENCE)
    assert person.clicks <= STUDENT


def predictions(wrong: int) -> str:
    """Scores that are right but for a few rows."""
    right = [label == "diseased" for label in TRUTH]
    rows = (f"{i},{one != (i % 10 < wrong):d}\n" for i, one in enumerate(right))
    return "id,label\n" + "".join(rows)


def test_a_competition_is_made_by_keyboard_alone(browser: Browser, empty_server: Server) -> None:
    code = make_link_code(empty_server.services.database)
    with opened(browser, empty_server) as page:
        page.goto(f"/first-organiser?code={code}")
        for label, text in (("Name", "Ada"), ("Password", PASSWORD)):
            tab_to(page, page.get_by_label(label))
            page.keyboard.type(text)
        page.keyboard.press("Enter")
        page.wait_for_url("**/drafts/new")
        tab_to(page, page.get_by_label("Title"))
        page.keyboard.type("Sick or not")
        tab_to(page, page.get_by_label("Choose the file with the answers"))
        with page.expect_file_chooser() as asked:
            page.keyboard.press("Enter")
        asked.value.set_files({"name": "answers.csv", "mimeType": "text/csv", "buffer": SOLUTION.encode()})
        tab_to(page, page.get_by_role("button", name="Check the file"))
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/drafts/[0-9a-f]+"))
        tab_to(page, page.get_by_label("Positive class"))
        page.keyboard.type("dis")
        tab_to(page, page.get_by_label("Title"), backwards=True)
        page.keyboard.press("Enter")  # saves, and does not publish
        expect(page.get_by_text("The draft is saved.")).to_be_visible()
        tab_to(page, page.get_by_role("button", name="Publish"))
        page.keyboard.press("Enter")
        expect(page.get_by_text("The competition is published.")).to_be_visible()


def tab_to(page: Page, wanted: Locator, *, backwards: bool = False) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse would."""
    for _ in range(60):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
    raise AssertionError(f"the keyboard does not reach {wanted}")
