"""Every page that can be opened by its address: it is there, accessible, small, safe, and asks nobody else."""

import gzip
import re

import pytest

from ladderboard.mechanisms import MECHANISMS
from tests.web.pages.accessibility import assert_accessible
from tests.web.pages.readers import Reader

PUBLIC = [
    "/",
    "/competitions/pets",
    "/competitions/pets/data",
    "/competitions/pets/rules",
    "/competitions/pets/leaderboard",
    "/competitions/pets/leaderboard?q=owl",
    "/competitions/pets/leaderboard?q=nobody",
    "/competitions/pets/leaderboard?page=7",
    "/competitions/pets/submit",
    "/competitions/pets/announcements",
    "/competitions/later",
    "/competitions/later/leaderboard",
    "/competitions/later/rules",
    "/api",
    "/mechanisms",
    *(f"/mechanisms/{name}" for name in MECHANISMS),
    "/sign-in",
    "/sign-up",
    "/reset-password",
    "/first-organiser",
]
MEMBERS = [
    "/competitions/pets/leaderboard",
    "/competitions/pets/submit",
    "/competitions/pets/submissions",
    "/competitions/pets/team",
    "/competitions/later/submit",
    "/competitions/later/submissions",
    "/competitions/later/team",
    "/account/delete",
    "/account",
]
SCRIPT_AND_STYLE_BYTES = 100_000
STYLE_BYTES = 40_000


@pytest.mark.parametrize("path", PUBLIC)
def test_a_passer_by_can_read_every_public_page(passer_by: Reader, path: str) -> None:
    page = passer_by.open(path)
    assert page.heading
    assert len(page.html) < 100_000


@pytest.mark.parametrize("path", MEMBERS)
def test_a_member_can_read_the_pages_of_the_team(fox: Reader, path: str) -> None:
    assert fox.open(path).heading


@pytest.mark.parametrize("path", MEMBERS[2:4] + MEMBERS[-1:])
def test_whoever_has_to_sign_in_comes_back_to_the_page_afterwards(passer_by: Reader, path: str) -> None:
    page = passer_by.open(path)
    assert page.path == "/sign-in"
    assert page.tree.one("form", action="/sign-in").one("input", name="next").attributes["value"] == path


def test_every_mechanism_has_words_for_participants() -> None:
    for made in MECHANISMS.values():
        assert made.words.guarantee
        assert made.words.limits
        assert made.words.reading


def test_script_and_style_of_a_page_are_small_and_our_own(fox: Reader) -> None:
    for path in ("/competitions/pets/leaderboard", "/competitions/pets/submit", "/"):
        page = fox.open(path)
        used = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.html)
        assert used
        sizes = {one: len(fox.http.get(one).content) for one in used}
        assert sum(sizes.values()) < SCRIPT_AND_STYLE_BYTES
        assert max(size for one, size in sizes.items() if ".css" in one) < STYLE_BYTES
        assert len(gzip.compress(page.html.encode())) < 20_000
        links = [node.attributes.get("href", "") for node in page.tree.one("head").all("link")]
        assert all(link.startswith("/static/") for link in links)


def test_assets_are_kept_for_ever_under_an_address_that_names_their_content(passer_by: Reader) -> None:
    found = re.search(r'href="(/static/ladderboard\.css\?v=\w+)"', passer_by.open("/").html)
    assert found is not None
    answer = passer_by.http.get(found[1])
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert passer_by.http.get("/static/ladderboard.css?v=older").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["../text.py", "..%2ftext.py", "%2e%2e/text.py", "nothing.css", "....//x"])
def test_nothing_else_is_served_as_an_asset(passer_by: Reader, name: str) -> None:
    assert passer_by.http.get(f"/static/{name}").status_code == 404


def test_pages_carry_a_strict_policy_and_other_safe_headers(passer_by: Reader) -> None:
    headers = passer_by.open("/").answer.headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_only_the_embedded_board_may_be_framed_and_it_knows_no_cookies(fox: Reader) -> None:
    answer = fox.http.get("/competitions/pets/embed")
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    assert "set-cookie" not in answer.headers
    assert "csrf" not in answer.text
    assert "data-own" not in answer.text
    page = assert_accessible(answer.text, is_embedded=True)
    assert "Owls" in page.one("table").text


def test_monitors_may_ask_for_the_head_of_a_page_only(passer_by: Reader) -> None:
    answer = passer_by.http.head("/competitions/pets")
    assert answer.status_code == 200
    assert answer.content == b""


def test_the_api_page_names_the_fields_of_a_body_and_marks_code(passer_by: Reader) -> None:
    text = passer_by.open("/api").text
    assert "(application/json, required): name, password, code" in text
    assert "`" not in text
