"""Error pages, proof that a form is ours, what is refused, and what never runs."""

import json
import re

import pytest
from fastapi.routing import APIRoute

from ladderboard.server.app.routes import PAGES
from ladderboard.server.competitions.pages.public import render_description
from tests.web.pages.conftest import EVIL
from tests.web.pages.readers import HTML, Reader
from tests.web.servers import Server

UPLOADS = {
    "/competitions/{slug}/submit",
    "/competitions/{slug}/organise/baselines",
    "/competitions/{slug}/organise/files",
    "/drafts/new",
    "/drafts/{draft_id}/files",
}
"""Forms with a file are read in another way; they have tests of their own."""


def forms() -> list[str]:
    """The address of every form there is, with something in the place of its parameters."""
    routes = [route for router in PAGES for route in router.routes]
    paths = {route.path for route in routes if isinstance(route, APIRoute) and "POST" in (route.methods or ())}
    return sorted(re.sub(r"\{(\w+)\}", lambda m: "pets" if m[1] == "slug" else "1", path) for path in paths - UPLOADS)


def test_a_missing_page_says_so_and_where_to_go_on(passer_by: Reader) -> None:
    page = passer_by.open("/nothing-here", status=404)
    assert page.heading == "Page not found"
    assert page.tree.one("main").all("a", href="/")


@pytest.mark.parametrize(
    "path",
    ["/competitions/nothing", "/mechanisms/nothing", f"/competitions/{EVIL}", "/competitions/pets/organise/nothing"],
)
def test_what_does_not_exist_is_not_found(passer_by: Reader, path: str) -> None:
    assert "<img src=x" not in passer_by.open(path, status=404).html


def test_programs_get_json_and_readers_a_page(site: Server) -> None:
    program = site.client().get("/competitions/nothing")
    assert program.json()["error"]["code"] == "not_found"
    api = site.client().get("/api/v1/competitions/nothing", headers=HTML)
    assert json.loads(api.text)["error"]["code"] == "not_found"


def test_a_wrong_method_has_a_page_too(passer_by: Reader) -> None:
    page = passer_by.send("/competitions/pets/rules", status=405)
    assert page.heading == "This address does not accept a form"


def test_an_error_page_knows_who_reads_it_and_leads_back_to_the_competition(fox: Reader) -> None:
    page = fox.open("/competitions/pets/organise", status=403)
    assert page.heading == "You may not do this"
    assert "a0" in page.tree.one("header").text
    assert page.tree.one("main").all("a", href="/competitions/pets")


def test_a_missing_page_greets_its_reader_and_leads_back_only_to_what_is_no_secret(
    fox: Reader, passer_by: Reader
) -> None:
    for path in ("/nothing-here", "/competitions/pets/nothing-here"):
        page = fox.open(path, status=404)
        assert "a0" in page.tree.one("header").text
        assert "ign in" not in page.tree.one("body").text
    assert page.tree.one("main").all("a", href="/competitions/pets")
    page = passer_by.open("/competitions/nothing/rules", status=404)
    assert not page.tree.one("main").all("a", href="/competitions/nothing")
    assert page.tree.one("main").all("a", href="/sign-in?next=%2Fcompetitions%2Fnothing%2Frules")


def test_a_form_that_is_too_old_says_so_and_not_that_its_reader_may_not(site: Server) -> None:
    reader = Reader(site).sign_in("a1")
    page = reader._read(reader.http.post("/competitions/pets/team/rename", data={"csrf": "old"}), 403)
    assert page.heading == "This form is too old"
    assert not page.tree.one("main").all("a", href="/sign-in")


def test_a_fault_of_ours_tells_its_number_and_nothing_else(own_site: Server) -> None:
    @own_site.app.get("/broken")
    def broken() -> None:
        raise RuntimeError("label 17 is 1")

    page = Reader(own_site).open("/broken", status=500)
    assert "label 17" not in page.html
    assert page.tree.one("main").one("code").text == page.answer.headers["x-request-id"]


@pytest.mark.parametrize("path", forms())
def test_a_form_is_refused_without_our_token(tokenless: Reader, path: str) -> None:
    for token in ("", "wrong"):
        answer = tokenless.http.post(path, data={"csrf": token, "name": "x", "password": "y"})
        assert answer.status_code == 403
        assert "reload the page" in answer.text


@pytest.fixture(scope="module")
def tokenless(site: Server) -> Reader:
    """Somebody who is signed in, for whom another site sends forms."""
    return Reader(site).sign_in("a1")


def test_a_token_of_another_session_is_refused(site: Server) -> None:
    one, other = Reader(site).sign_in("a1"), Reader(site).sign_in("a2")
    one.open("/account")
    answer = other.http.post("/account/sessions/end", data={"csrf": one._token})
    assert answer.status_code == 403


def test_a_form_that_another_site_sends_is_refused(site: Server) -> None:
    reader = Reader(site).sign_in("a1")
    reader.open("/account")
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = reader.http.post("/account/sessions/end", data={"csrf": reader._token}, headers=headers)
    assert answer.status_code == 403


def test_an_upload_without_our_token_is_refused_and_costs_nothing(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ada").found("Ones")
    files = {"file": ("a.csv", b"id,label\n1,0\n")}
    answer = reader.http.post("/competitions/pets/submit", data={"csrf": "wrong"}, files=files)
    assert answer.status_code == 403
    assert "3 of 3" in reader.open("/competitions/pets/submit").text


@pytest.mark.parametrize("where", ["//example.org", "https://example.org", "/\\example.org", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_site(site: Server, where: str) -> None:
    reader = Reader(site)
    reader.open("/sign-in")
    page = reader.send("/sign-in", {"name": "a3", "password": "correct horse", "next": where})
    assert page.path == "/"


def test_colours_are_chosen_without_script_and_kept(own_site: Server) -> None:
    reader = Reader(own_site)
    reader.open("/mechanisms")
    page = reader.send("/appearance", {"theme": "dark", "next": "/mechanisms"})
    assert page.path == "/mechanisms"
    assert page.tree.one("html").attributes["data-theme"] == "dark"
    assert reader.open("/").tree.one("html").attributes["data-theme"] == "dark"
    page = reader.send("/appearance", {"theme": "auto", "next": "/"})
    assert "data-theme" not in page.tree.one("html").attributes
    reader.http.cookies.set("theme", '"><script>')
    assert "data-theme" not in reader.open("/").tree.one("html").attributes


def test_no_text_of_a_person_ever_becomes_a_tag(site: Server) -> None:
    """The last team has a tag as its name, its notes and its files' names; its member reads all of its pages."""
    member = Reader(site).sign_in("a4")
    listing = member.open("/competitions/pets/submissions")
    first = listing.tree.one("tbody").all("a")[0].attributes["href"]
    pages = [
        listing,
        member.open(first),
        member.open("/competitions/pets/team"),
        member.open("/account"),
        member.open("/competitions/pets/leaderboard"),
        member.open("/competitions/pets"),
        member.open("/competitions/pets/data"),
        member.open(f"/competitions/pets/team?join={EVIL}"),
        member.open(f"/sign-in?next={EVIL}"),
    ]
    assert sum(EVIL in page.tree.text for page in pages) >= 6
    for page in pages:
        assert not [node for node in page.tree.all("img") if node.attributes.get("src") == "x"]
        assert not [node for node in page.tree.all("script") if "src" not in node.attributes]


def test_the_description_is_rendered_and_harmless(passer_by: Reader) -> None:
    article = passer_by.open("/competitions/pets").tree.one("article")
    assert article.one("h2").text == "About pets"
    assert article.one("table").one("thead").text == "a b"
    assert "<script>alert(1)</script>" in article.text
    assert not article.all("img")


def test_a_heading_that_repeats_the_title_is_not_shown_twice() -> None:
    assert render_description("# Pets \n\nText\n\n## Data\n", title="pets") == "<p>Text</p>\n<h2>Data</h2>\n"
    assert render_description("# Cats\n\n## Data\n", title="Pets") == "<h2>Cats</h2>\n<h3>Data</h3>\n"
    assert render_description("", title="Pets") == ""
