"""The pages of people, checked by axe in a real browser: phone and desktop, light and dark."""

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from ladderboard.server.enrolment.invitations import invite_people, make_open_link
from ladderboard.server.enrolment.pasted_list import read_list
from ladderboard.server.people.accounts import Registry
from tests.web.browser.conftest import DESKTOP, PHONE, opened, sign_in
from tests.web.servers import PASSWORD, Server

PEOPLE = "/competitions/pets/organise/people"


def assert_no_violation(page: Page) -> None:
    """Fail with what axe finds, and where a page is wider than its window."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("viewport", "colours"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_axe_finds_nothing_wrong(
    browser: Browser, own_site: Server, viewport: Any, colours: Literal["dark", "light"]
) -> None:
    Registry(own_site.app.state.accounts).add("Olga", PASSWORD, role="organiser")
    database = own_site.services.database
    code, _ = make_open_link(database, "pets", uses=3)
    invite_people(database, "pets", read_list("Ada Lovelace <ada@example.org>").people, role="assistant")
    with opened(browser, own_site, viewport=viewport, color_scheme=colours, java_script_enabled=True) as page:
        page.goto(f"/invitation?code={code}")
        assert_no_violation(page)
        page.get_by_label("Your full name").fill("Grace Hopper")
        page.get_by_label("Name of your account").fill("grace")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Create account and accept").click()
        page.wait_for_url("**/competitions/pets")
        page.get_by_role("button", name="Sign out").click()
        sign_in(page, "Olga")
        page.goto(PEOPLE)
        assert_no_violation(page)
        page.get_by_label("Addresses or names").fill("Mary Somerville <mary@example.org>\nbroken@")
        page.get_by_role("button", name="Read the list").click()
        page.get_by_text("One line was not understood.").wait_for()
        assert_no_violation(page)
        page.get_by_role("button", name="Invite this person as participant").click()
        page.get_by_text("One person is invited.").wait_for()
        assert_no_violation(page)
