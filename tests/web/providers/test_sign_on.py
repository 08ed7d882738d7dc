"""Signing in with an identity provider: who gets into which account, and what a provider that lies gains."""

import time
from typing import Any

import httpx
import pytest

from ladderboard.server.people.accounts import Registry
from tests.web.pages.readers import Reader
from tests.web.providers.conftest import Start
from tests.web.providers.identity_provider import IdentityProvider
from tests.web.servers import PASSWORD, Server

WITH = "/sign-in/with/uni"


def name_of(reader: Reader) -> str:
    """Whose account is open in that browser; empty: nobody's."""
    page = reader.open("/account")
    return "" if page.path == "/sign-in" else page.heading


def arrive(board: Server, name: str = "ada", **fields: str) -> Reader:
    """Somebody who comes from the provider for the first time."""
    reader = Reader(board)
    assert reader.open(WITH).heading == "Choose a name"
    reader.send("/sign-in/new", {"name": name, **fields})
    return reader


def test_a_newcomer_chooses_a_name_and_comes_back_to_the_same_account(
    board: Server, provider: IdentityProvider
) -> None:
    reader = Reader(board)
    page = reader.open(f"{WITH}?next=/competitions/pets/rules")
    assert page.tree.one("input", name="name").attributes["value"] == "ada"
    assert reader.send("/sign-in/new", {"name": "Ada L"}).path == "/competitions/pets/rules"
    assert name_of(reader) == "Ada L"
    again = Reader(board)
    assert again.open(f"{WITH}?next=/account").heading == "Ada L", "no question the second time"
    provider.person = {"sub": "s-2", "preferred_username": "ada"}
    assert Reader(board).open(WITH).heading == "Choose a name", "another person of the same name"


def test_every_attempt_has_a_state_a_nonce_and_a_challenge_of_its_own(
    board: Server, provider: IdentityProvider
) -> None:
    for _ in range(2):
        Reader(board).open(WITH)
    first, second = provider.asked
    for key in ("state", "nonce", "code_challenge"):
        assert len(first[key]) >= 43
        assert first[key] != second[key]
    assert first["code_challenge_method"] == "S256"
    assert first["redirect_uri"] == f"{board.url}/sign-in/back/uni"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1"])
def test_the_host_that_a_request_names_leads_nowhere(board: Server, host: str) -> None:
    answer = board.client().get(WITH, headers={"Host": host})
    assert answer.status_code == 303
    assert "evil" not in answer.headers["location"]
    assert httpx.URL(answer.headers["location"]).params["redirect_uri"] == f"{board.url}/sign-in/back/uni"


@pytest.mark.parametrize(
    "onwards", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_afterwards_people_stay_on_this_site(board: Server, onwards: str) -> None:
    arrive(board)
    reader = Reader(board)
    page = reader.open(httpx.URL(WITH, params={"next": onwards}).raw_path.decode())
    assert page.path == "/"
    assert page.answer.url.host == "127.0.0.1"


LIES: dict[str, dict[str, Any]] = {
    "for another site": {"lie": {"aud": "another"}},
    "for several sites": {"lie": {"aud": ["board", "another"]}},
    "asked for by another site": {"lie": {"azp": "another"}},
    "by another issuer": {"lie": {"iss": "https://login.example.edu"}},
    "from another attempt": {"lie": {"nonce": "earlier"}},
    "without a nonce": {"lie": {"nonce": None}},
    "outdated": {"lie": {"exp": int(time.time()) - 3600}},
    "for ever": {"lie": {"exp": None}},
    "from the future": {"lie": {"iat": int(time.time()) + 36000}},
    "about nobody": {"lie": {"sub": None}},
    "about an empty name": {"lie": {"sub": ""}},
    "about a number": {"lie": {"sub": 7}},
    "unsigned": {"signed": "none"},
    "signed with the public key": {"signed": "HS256"},
    "signed by somebody else": {"signed": "foreign"},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_proof_that_does_not_hold_signs_nobody_in(board: Server, provider: IdentityProvider, lie: str) -> None:
    arrive(board)
    for name, value in LIES[lie].items():
        setattr(provider, name, value)
    reader = Reader(board)
    page = reader.open(WITH, status=403)
    assert "University did not prove who you are" in page.text
    assert name_of(reader) == ""
    provider.lie, provider.signed = {}, "RS256"
    assert Reader(board).open(f"{WITH}?next=/account").heading == "ada", "the same person with a proof that holds"


def test_an_address_opens_no_account_however_verified(board: Server, provider: IdentityProvider) -> None:
    victim = arrive(board, "victim")
    provider.person = {"sub": "thief", "email": "victim@example.edu", "email_verified": True}
    board.app.state.accounts.sign_up("victim@example.edu", PASSWORD)
    thief = Reader(board)
    assert thief.open(WITH).heading == "Choose a name"
    thief.send("/sign-in/new", {"name": "victim"}, status=409)
    assert name_of(thief) == ""
    assert name_of(victim) == "victim"


@pytest.mark.parametrize(
    ("claims", "is_admitted"),
    [
        ({"email": "a@example.edu", "email_verified": True}, True),
        ({"email": "a@EXAMPLE.edu", "email_verified": True}, True),
        ({"email": "a@example.edu", "email_verified": False}, False),
        ({"email": "a@example.edu"}, False),
        ({"email": "a@evil.example.edu", "email_verified": True}, False),
        ({"email": "a@evil.com@example.edu", "email_verified": True}, False),
        ({"email": "a@example.edu\n@evil.com", "email_verified": True}, False),
        ({"email": ["a@example.edu"], "email_verified": True}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("in_userinfo", [False, True])
def test_a_domain_admits_verified_addresses_only(
    start: Start, provider: IdentityProvider, claims: dict[str, Any], *, is_admitted: bool, in_userinfo: bool
) -> None:
    board = start(provider.url, 'domains = ["example.edu"]')
    provider.person, provider.in_userinfo = {"sub": "s", **claims}, in_userinfo
    reader = Reader(board)
    reader.open(WITH)
    page = reader.send("/sign-in/new", {"name": "ada"}, status=200 if is_admitted else 403)
    assert name_of(reader) == ("ada" if is_admitted else "")
    assert is_admitted or "verified address at example.edu" in page.text


def test_whoever_has_no_address_of_the_domain_needs_an_invitation_where_sign_up_needs_one(
    start: Start, provider: IdentityProvider
) -> None:
    board = start(provider.url, 'domains = ["example.edu"]', sign_up="code")
    code = Registry(board.app.state.accounts).make_sign_up_code(uses=1)
    reader = Reader(board)
    reader.open(WITH)
    reader.send("/sign-in/new", {"name": "ada"}, status=403)
    reader.open(WITH)
    reader.send("/sign-in/new", {"name": "ada", "code": code})
    assert name_of(reader) == "ada"


def test_an_account_is_linked_by_whoever_is_signed_in_to_it_and_by_a_form_of_ours(
    board: Server, provider: IdentityProvider
) -> None:
    reader = Reader(board).sign_up("bob")
    page = reader.open(WITH)
    assert page.heading == "Link University"
    assert "bob" in page.text
    provider.lie = {}
    assert "Linked accounts" in reader.send("/sign-in/new").text
    again = Reader(board)
    assert again.open(f"{WITH}?next=/account").heading == "bob"
    other = Reader(board).sign_up("eve")
    assert "belongs to another account" in other.open(WITH, status=409).text
    assert name_of(other) == "eve"


def test_coming_back_from_the_provider_links_nothing_by_itself(board: Server) -> None:
    """Else a page elsewhere could link its own identity with the account of whoever visits it."""
    reader = Reader(board).sign_up("bob")
    assert reader.open(WITH).heading == "Link University"
    reader.http.post("/sign-in/new", data={"csrf": "wrong"})
    assert "Remove" not in reader.open("/account").tree.one("aside").text
    assert Reader(board).open(WITH).heading == "Choose a name"


def test_what_another_browser_began_or_finished_is_worth_nothing(board: Server) -> None:
    begun = board.client()
    url = begun.get(WITH).headers["location"]
    back = httpx.get(url).headers["location"]
    for attempt in (back, back.replace("state=", "state=x"), back.split("?")[0]):
        assert "not begun in this browser" in Reader(board).open(attempt, status=403).text
    reader = Reader(board)
    reader.http.cookies.update(begun.cookies)
    assert reader.open(back).heading == "Choose a name"
    assert "not begun" in reader.open(back, status=403).text, "a second time"


def test_a_refusal_is_told_in_our_words(board: Server, provider: IdentityProvider) -> None:
    provider.refuses = True
    page = Reader(board).open(WITH, status=403)
    assert "University did not sign you in" in page.text
    assert "0900" not in page.text


def test_a_provider_that_is_gone_leaves_passwords(start: Start) -> None:
    board = start("http://127.0.0.1:9")
    reader = Reader(board)
    page = reader.open(WITH, status=503)
    assert "University does not answer right now" in page.text
    assert page.tree.all("input", name="password")
    board.app.state.accounts.sign_up("ada", PASSWORD)
    assert name_of(Reader(board).sign_in("ada")) == "ada"


def test_an_issuer_that_calls_itself_otherwise_is_refused(start: Start, provider: IdentityProvider) -> None:
    board = start(provider.url.replace("127.0.0.1", "localhost"))
    assert "did not prove who you are" in Reader(board).open(WITH, status=403).text


def test_passwords_can_be_switched_off(start: Start, provider: IdentityProvider) -> None:
    board = start(provider.url, password_sign_in=False)
    reader = Reader(board)
    page = reader.open("/sign-up")
    assert page.path == "/sign-in"
    assert not page.tree.all("input", name="password")
    for path in ("/api/v1/accounts", "/api/v1/tokens"):
        answer = board.client().post(path, json={"name": "ada", "password": PASSWORD})
        assert answer.status_code == 403
        assert "passwords are switched off" in answer.text
    signed_in = arrive(board)
    assert name_of(signed_in) == "ada"
    page = signed_in.open("/account")
    assert not page.tree.all("input", name="password")
    (form,) = (one for one in page.tree.all("form") if "identities" in one.attributes["action"])
    assert "only way to sign in" in signed_in.send(form.attributes["action"], status=409).text


def test_an_account_without_a_password_cannot_be_entered_with_one(board: Server) -> None:
    arrive(board)
    for password in ("", PASSWORD):
        answer = board.client().post("/api/v1/tokens", json={"name": "ada", "password": password})
        assert answer.status_code == 401


def test_a_disabled_account_stays_closed(board: Server) -> None:
    arrive(board)
    Registry(board.app.state.accounts).disable("ada")
    assert "disabled" in Reader(board).open(WITH, status=403).text
