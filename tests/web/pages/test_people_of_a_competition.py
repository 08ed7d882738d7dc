"""The page of a competition's people and the door behind an invitation, read and filled in without script."""

import re

import pytest

from ladderboard.server.enrolment.staff import give_role
from ladderboard.server.people.accounts import Registry
from tests.web.pages.readers import Page, Reader
from tests.web.servers import PASSWORD, Server

DESK = "/competitions/pets/organise"
PEOPLE = f"{DESK}/people"
CLASS = "Ada Lovelace <ada@example.org>\nbroken@\nEve & Co <eve@example.org>"


@pytest.fixture
def olga(own_site: Server) -> Reader:
    Registry(own_site.app.state.accounts).add("Olga", PASSWORD, role="organiser")
    return Reader(own_site).sign_in("Olga")


def somebody(server: Server, name: str, role: str = "") -> Reader:
    reader = Reader(server).sign_up(name)
    if role:
        give_role(server.services.database, "pets", name, role)  # type: ignore[arg-type]
    return reader


def paths_of(page: Page) -> list[str]:
    return re.findall(r"http://\S+(/invitation\?code=[a-z0-9-]+)", page.html)


def test_a_list_is_shown_before_anybody_is_invited_and_the_good_lines_are_kept(olga: Reader) -> None:
    olga.open(PEOPLE)
    asked = olga.send(f"{PEOPLE}/invite", {"people": CLASS, "role": "participant", "days": "30"})
    assert "One line was not understood." in asked.text
    assert "Line 2: 'broken@' is not an email address" in asked.text
    assert not paths_of(asked)
    good = asked.tree.one("input", name="people").attributes["value"]
    assert good == "Ada Lovelace\tada@example.org\nEve & Co\teve@example.org"
    made = olga.send(f"{PEOPLE}/invite", {"people": good, "role": "participant", "days": "30", "confirmed": "yes"})
    assert len(set(paths_of(made))) == 2
    assert "Ada Lovelace, ada@example.org" in olga.open(PEOPLE).text
    assert not paths_of(olga.open(PEOPLE)), "links are shown once"


def test_whoever_is_invited_takes_part_under_any_name_and_the_teacher_sees_who_it_is(
    own_site: Server, olga: Reader
) -> None:
    olga.open(PEOPLE)
    sent = {"people": "Ada Lovelace <ada@example.org>", "role": "participant", "days": "30", "confirmed": "yes"}
    [path] = paths_of(olga.send(f"{PEOPLE}/invite", sent))
    ada = Reader(own_site)
    for _ in range(2):  # opening spends nothing
        assert "This invitation is for Ada Lovelace, ada@example.org." in ada.open(path).text
    code = path.partition("code=")[2]
    short = ada.send("/invitation", {"code": code, "name": "night owl", "password": "short"}, status=422)
    assert short.tree.one("input", name="name").attributes["value"] == "night owl"
    assert ada.send("/invitation", {"code": code, "name": "night owl", "password": PASSWORD}).path == (
        "/competitions/pets"
    )
    for told in ("Ada Lovelace", "participant", "ada@example.org", "night owl"):
        assert told in olga.open(PEOPLE).tree.one("table").text
    ada.found("Owls")
    assert "Lovelace" not in Reader(own_site).open("/competitions/pets/leaderboard").html
    assert "used, revoked or expired" in Reader(own_site).open(path, status=404).text


def test_one_link_serves_many_and_asks_each_for_a_name(own_site: Server, olga: Reader) -> None:
    olga.open(PEOPLE)
    [path] = paths_of(olga.send(f"{PEOPLE}/link", {"uses": "2", "days": "7"}))
    code = path.partition("code=")[2]
    bob = somebody(own_site, "bob")
    assert "Accept as bob" in bob.open(path).text
    bob.send("/invitation", {"code": code, "real_name": " "}, status=422)
    assert bob.send("/invitation", {"code": code, "real_name": "Robert Real"}).path == "/competitions/pets"
    page = olga.open(PEOPLE)
    assert "Robert Real" in page.text
    assert "Link for one more person" in page.text
    [link] = re.findall(rf"{PEOPLE}/links/\w+/revoke", page.html)
    olga.send(link)
    assert "revoked or expired" in Reader(own_site).open(path, status=404).text
    olga.send(f"{PEOPLE}/link", {"uses": "-1", "days": "7"}, status=422)


@pytest.mark.parametrize("role", ["teacher", "assistant", "reader"])
def test_each_role_sees_what_it_may_do_and_no_more(own_site: Server, role: str) -> None:
    somebody(own_site, "bob").found("Bears")
    helper = somebody(own_site, "helper", role)
    desk = helper.open(DESK)
    assert ("Close now" in desk.text) == (role == "teacher")
    assert ("Add a baseline" in desk.text) == (role == "teacher")
    for path in (f"{DESK}/flags", f"{DESK}/queue", f"{DESK}/ledger", PEOPLE):
        helper.open(path)
    teams = helper.open(f"{DESK}/teams")
    assert ("Disqualify" in teams.text) == (role != "reader")
    status = {"reader": 403}.get(role, 200)
    helper.send(f"{DESK}/teams/ruling", {"team": "Bears", "status": "withdrawn"}, status=status)
    helper.open(PEOPLE)
    helper.send(f"{PEOPLE}/link", {"days": "7"}, status=status)
    status = 200 if role == "teacher" else 403
    helper.open(DESK)
    helper.send(f"{PEOPLE}/role", {"name": "bob", "role": "participant"}, status=status)
    invited = {"people": "a@example.org", "role": "teacher", "days": "7", "confirmed": "yes"}
    helper.open(DESK)
    helper.send(f"{PEOPLE}/invite", invited, status=status)
    helper.open(f"{DESK}/freeze", status=status)
    helper.open("/competitions/later/organise", status=403)


def test_others_do_not_see_the_page(own_site: Server) -> None:
    assert Reader(own_site).open(PEOPLE).path == "/sign-in"
    somebody(own_site, "bob").open(PEOPLE, status=403)
    somebody(own_site, "carl", "participant").open(PEOPLE, status=403)


def test_a_form_from_elsewhere_spends_no_invitation(own_site: Server, olga: Reader) -> None:
    olga.open(PEOPLE)
    [path] = paths_of(olga.send(f"{PEOPLE}/link", {"days": "7"}))
    bob = somebody(own_site, "bob")
    answer = bob.http.post("/invitation", data={"code": path.partition("code=")[2], "real_name": "Bob Real"})
    assert answer.status_code == 403
    assert "Bob Real" not in olga.open(PEOPLE).text
