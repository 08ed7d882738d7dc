"""Who finds the door to submitting open, and what the others are told to do instead."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ladderboard.core.records import Budget
from ladderboard.server import lifecycle
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.people import identities
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.submissions.pages.submit import BudgetLine, budget_line, find_availability
from tests.hosting.competitions import NOON
from tests.web.pages.readers import Page, Reader
from tests.web.servers import Server

SUBMIT = "/competitions/pets/submit"


@pytest.fixture
def context(site: Server) -> CompetitionContext:
    """The competition as a member of the Foxes sees it."""
    account = site.app.state.accounts.sign_in("a0", "correct horse")
    person = identities.find_person_by_session(
        site.services.database, identities.begin_session(site.services.database, account)
    )
    return read_context(site.services, "pets", person)


@pytest.fixture
def frozen(own_site: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server whose competition was closed by hand a minute ago."""
    lifecycle.freeze(own_site.services, "pets")
    monkeypatch.setattr(own_site.services.database, "_clock", lambda: NOON + timedelta(minutes=1))
    return own_site


def test_nobody_is_asked_to_sign_in_to_submit_where_nothing_is_scored_any_more(frozen: Server) -> None:
    passer_by = Reader(frozen)
    for link in ("/competitions/pets/leaderboard", "/competitions/pets/results"):
        page = passer_by.open(SUBMIT)
        assert page.tree.one(class_="care").one("h2").text == "Closed"
        assert page.tree.one(class_="care").one("a").attributes["href"] == link
        assert SUBMIT not in {tab.attributes["href"] for tab in page.tree.one(class_="tabs").all("a")}
        if lifecycle.status(frozen.services, "pets") == "closed":
            finalize(frozen.services, "pets", at_once=True)
            lifecycle.reveal(frozen.services, "pets")


def test_a_competition_closed_by_hand_shows_no_deadline_that_no_longer_counts(
    frozen: Server, passer_by: Reader
) -> None:
    assert "Deadline" in passer_by.open("/competitions/pets").tree.one(class_="masthead").text
    assert "Sign in to submit" in passer_by.open(SUBMIT).text
    page = Reader(frozen).open("/competitions/pets")
    assert "Deadline" not in page.tree.one(class_="masthead").text
    assert "This competition is closed" in page.text


def test_no_form_offers_to_found_a_team_where_that_would_be_refused(frozen: Server) -> None:
    page = Reader(frozen).sign_up("ada").open("/competitions/pets/team")
    assert "no new teams can be created" in page.text
    assert not page.tree.one("main").all("form", action="/competitions/pets/team")


def test_who_comes_to_submit_and_has_no_account_is_led_there_and_back(own_site: Server) -> None:
    reader = Reader(own_site)
    onwards = {"next": SUBMIT}
    assert f"/sign-up?next={SUBMIT}" in _links(reader.open(SUBMIT))
    assert f"/sign-up?next={SUBMIT}" in _links(reader.open("/sign-in?next=" + SUBMIT))
    assert f"/sign-in?next={SUBMIT}" in _links(reader.open("/sign-up?next=" + SUBMIT))
    page = reader.send("/sign-up", {"name": "ada", "password": "correct horse", **onwards})
    assert page.path == SUBMIT
    assert page.tree.one("input", name="team").attributes["value"] == "ada"


def test_whoever_follows_an_invitation_finds_joining_first(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ada")
    headings = [["Create a team", "Join a team"], ["Join a team", "Create a team"]]
    for path, order in zip(("/competitions/pets/team", "/competitions/pets/team?join=abc"), headings, strict=True):
        assert [heading.text for heading in reader.open(path).tree.one("main").all("h2")] == order


def test_before_the_opening_the_page_says_when_and_what_to_do_until_then(passer_by: Reader, fox: Reader) -> None:
    for reader, link in ((passer_by, "/sign-up?next=/competitions/later/team"), (fox, "/competitions/later/team")):
        availability = reader.open("/competitions/later/submit").tree.one(class_="care")
        assert "Submissions open on 17 March 2026, 12:00 UTC." in availability.text
        assert availability.one("a").attributes["href"] == link


@pytest.mark.parametrize(
    ("budget", "line"),
    [
        (None, None),
        (Budget(12, 9, is_spent=False), "Answers left: 3 of 12. After the last one, your team gets no more scores."),
        (
            Budget(100, None, is_spent=False),
            "Corrections: 100 in all. How many are left would itself be an answer, so it is not shown.",
        ),
    ],
)
def test_a_budget_is_told_in_advance(context: CompetitionContext, budget: Budget | None, line: str | None) -> None:
    availability = find_availability(_with_budget(context, budget))
    assert availability.is_open
    assert _said(availability.budget) == line
    assert availability.budget == budget_line(budget)


def test_a_team_whose_budget_is_spent_is_not_asked_for_a_file(context: CompetitionContext) -> None:
    availability = find_availability(_with_budget(context, Budget(2, 2, is_spent=True)))
    assert (availability.is_open, availability.title) == (False, "Your team's answers are used up")


def _with_budget(context: CompetitionContext, budget: Budget | None) -> CompetitionContext:
    told = replace(context)
    vars(told)["budget"] = budget  # where its cached property keeps it
    return told


def _said(line: BudgetLine | None) -> str | None:
    return None if line is None else f"{line.label}: {line.value}. {line.hint}"


def _links(page: Page) -> list[str]:
    return [link.attributes["href"] for link in page.tree.all("a")]
