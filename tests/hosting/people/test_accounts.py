"""Accounts, passwords, sessions and tokens, on both databases."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from threading import Event, Semaphore
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from ladderboard.core.errors import (
    ConflictError,
    ForbiddenError,
    HostingError,
    NotFoundError,
    ParameterError,
    SignInRequiredError,
    TooManyRequestsError,
)
from ladderboard.core.tokens import hash_secret
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import metadata, sessions, throttles, tokens
from ladderboard.server.people import identities
from ladderboard.server.people.accounts import Accounts, Registry
from ladderboard.server.people.passwords import AT_ONCE, MOST_WAITING, Passwords
from ladderboard.server.people.records import Role
from ladderboard.server.people.roles import Person
from ladderboard.server.settings import Settings
from tests.hosting.people_fixtures import QUICK, Clock

SECRET = "correct horse"

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])
"""For rules whose SQL other tests have tried on both databases."""


class SignUps:
    """Accounts, and the list of who may sign up, on one database."""

    def __init__(self, database: Database, clock: Clock, **settings: Any) -> None:
        self.database, self.clock = database, clock
        self.accounts = Accounts(database, replace(Settings(), **settings), passwords=Passwords(QUICK))
        self.registry = Registry(self.accounts)

    def person(self, token: str) -> Person:
        found = identities.find_person_by_token(self.database, token)
        assert found is not None
        return found


@pytest.fixture
def clock(database: Database, monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(database, monkeypatch)


@pytest.fixture
def people(database: Database, clock: Clock) -> SignUps:
    return SignUps(database, clock)


# -- signing up -------------------------------------------------------------------------------------------------------


@on_sqlite
def test_who_signed_up_can_sign_in_by_any_spelling_of_the_name(people: SignUps) -> None:
    made = people.accounts.sign_up("  Zoë  Straße ", SECRET)
    assert (made.name, made.role) == ("Zoë Straße", "participant")
    for spelling in ("Zoë Straße", "ZOË STRASSE", "zoë strasse"):
        assert people.accounts.sign_in(spelling, SECRET).id == made.id


def test_a_name_is_given_once_whatever_its_spelling(people: SignUps) -> None:
    people.accounts.sign_up("Ada", SECRET)
    with pytest.raises(ConflictError, match="taken"):
        people.accounts.sign_up("ＡＤＡ", SECRET)
    assert people.registry.list_accounts(limit=10)[1] == 1


@on_sqlite
def test_a_password_that_is_too_easy_is_refused(people: SignUps) -> None:
    with pytest.raises(ParameterError, match="8 to 200"):
        people.accounts.sign_up("Ada", "short")
    with pytest.raises(ParameterError, match="same as the name"):
        people.accounts.sign_up("Ada Lovelace", "ada lovelace")


@on_sqlite
def test_signing_up_by_code_needs_a_code_that_is_not_used_up(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_up="code")
    code = people.registry.make_sign_up_code(uses=1)
    for wrong in (None, "", "abcde-abcde-abcde-abcde"):
        with pytest.raises(ForbiddenError, match="code"):
            people.accounts.sign_up("Ada", SECRET, code=wrong)
    people.accounts.sign_up("Ada", SECRET, code=f" {code.upper()} ")
    with pytest.raises(ForbiddenError, match="code"):
        people.accounts.sign_up("Grace", SECRET, code=code)


@on_sqlite
def test_a_refused_sign_up_does_not_use_the_code(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_up="code")
    people.registry.add("Ada", SECRET, role="organiser")
    code = people.registry.make_sign_up_code(uses=1)
    with pytest.raises(ConflictError):
        people.accounts.sign_up("ada", SECRET, code=code)
    assert people.accounts.sign_up("Grace", SECRET, code=code).name == "Grace"


def test_a_code_for_three_lets_in_three_of_many_who_come_at_once(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_up="code")
    code = people.registry.make_sign_up_code(uses=3)

    def come(number: int) -> bool:
        try:
            people.accounts.sign_up(f"person {number}", SECRET, code=code)
        except ForbiddenError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(come, range(12))) == 3
    assert people.registry.list_accounts(limit=100)[1] == 3


def test_many_who_want_one_name_at_once_get_one_account(people: SignUps) -> None:
    def come(_: int) -> bool:
        try:
            people.accounts.sign_up("Ada", SECRET)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(come, range(8))) == 1


@on_sqlite
def test_signing_up_by_list_takes_the_names_on_it(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_up="list")
    assert people.registry.allow(" Ada ") == "Ada"
    with pytest.raises(ForbiddenError, match="list"):
        people.accounts.sign_up("Grace", SECRET)
    assert people.accounts.sign_up("ADA", SECRET).name == "ADA"


@on_sqlite
def test_one_address_can_sign_up_so_many_an_hour(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_ups_per_hour=2)
    for name in ("one", "two"):
        people.accounts.sign_up(name, SECRET, address="192.0.2.1")
    with pytest.raises(TooManyRequestsError) as refusal:
        people.accounts.sign_up("three", SECRET, address="192.0.2.1")
    assert refusal.value.retry_after == 3600
    people.accounts.sign_up("three", SECRET, address="192.0.2.2")
    clock.advance(hours=1)
    people.accounts.sign_up("four", SECRET, address="192.0.2.1")


# -- signing in -------------------------------------------------------------------------------------------------------


@on_sqlite
def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(people: SignUps) -> None:
    people.accounts.sign_up("Ada", SECRET)
    with pytest.raises(SignInRequiredError) as wrong:
        people.accounts.sign_in("Ada", "wrong horse")
    with pytest.raises(SignInRequiredError) as unknown:
        people.accounts.sign_in("Nobody", "wrong horse")
    assert str(wrong.value) == str(unknown.value)


class Counting(PasswordHasher):
    """Counts the work."""

    checks = 0

    def verify(self, *given: Any) -> Any:
        self.checks += 1
        return super().verify(*given)


@on_sqlite
def test_an_unknown_name_costs_the_same_work_as_a_wrong_password(database: Database) -> None:
    hasher = Counting(time_cost=1, memory_cost=8, parallelism=1)
    accounts = Accounts(database, Settings(), passwords=Passwords(hasher))
    accounts.sign_up("Ada", SECRET)
    for name in ("Ada", "Nobody"):
        before = hasher.checks
        with pytest.raises(SignInRequiredError):
            accounts.sign_in(name, "wrong horse")
        assert hasher.checks == before + 1


def test_production_uses_the_default_cost_of_argon2() -> None:
    kept = Passwords().hash(SECRET)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


@on_sqlite
def test_wrong_passwords_slow_down_one_name_from_one_address_for_a_minute(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=3)
    people.accounts.sign_up("Ada", SECRET)
    for _ in range(3):
        with pytest.raises(SignInRequiredError):
            people.accounts.sign_in("Ada", "wrong horse", address="192.0.2.66")
    with pytest.raises(TooManyRequestsError) as refusal:
        people.accounts.sign_in("Ada", SECRET, address="192.0.2.66")
    assert refusal.value.retry_after is not None
    assert 0 < refusal.value.retry_after <= 60
    # Whoever guesses locks nobody out: from elsewhere the owner comes in, and here too after a minute.
    assert people.accounts.sign_in("Ada", SECRET, address="192.0.2.1").name == "Ada"
    clock.advance(minutes=1)
    assert people.accounts.sign_in("Ada", SECRET, address="192.0.2.66").name == "Ada"


@on_sqlite
def test_all_addresses_of_one_ipv6_network_are_one_place(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=3, sign_ups_per_hour=2)
    people.accounts.sign_up("Ada", SECRET, address="2001:db8:0:1::1")
    for number in range(3):
        with pytest.raises(SignInRequiredError):
            people.accounts.sign_in("ada", "wrong password", address=f"2001:db8:0:1:{number}::7")
    with pytest.raises(TooManyRequestsError):
        people.accounts.sign_in("ada", SECRET, address="2001:db8:0:1:ffff::9")
    people.accounts.sign_in("ada", SECRET, address="2001:db8:0:2::1")
    people.accounts.sign_up("Bob", SECRET, address="2001:db8:0:1:5::1")
    with pytest.raises(TooManyRequestsError):
        people.accounts.sign_up("Cleo", SECRET, address="2001:db8:0:1:6::1")


def test_only_some_wait_for_their_password_to_be_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladderboard.server.people.passwords.PATIENCE_SECONDS", 600)
    may_go_on, hashing = Event(), Semaphore(0)

    class Slow(PasswordHasher):
        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            hashing.release()
            assert may_go_on.wait(600)
            return "hashed"

    passwords = Passwords(Slow())
    with ThreadPoolExecutor(20) as threads:
        waiting = [threads.submit(passwords.hash, SECRET) for _ in range(20)]
        refused = [one.exception() for one in islice(as_completed(waiting), 20 - AT_ONCE - MOST_WAITING)]
        assert all(isinstance(one, TooManyRequestsError) for one in refused)
        assert all(hashing.acquire(timeout=120) for _ in range(AT_ONCE))
        assert not hashing.acquire(blocking=False)
        may_go_on.set()
    assert sum(one.exception() is None for one in waiting) == AT_ONCE + MOST_WAITING


@on_sqlite
def test_a_right_password_begins_the_count_again(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=2)
    people.accounts.sign_up("Ada", SECRET)
    for _ in range(4):
        with pytest.raises(SignInRequiredError):
            people.accounts.sign_in("Ada", "wrong horse")
        people.accounts.sign_in("Ada", SECRET)


@on_sqlite
def test_guessing_many_names_from_one_address_is_slowed_down_too(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=1)
    for number in range(10):
        with pytest.raises(SignInRequiredError):
            people.accounts.sign_in(f"name {number}", SECRET, address="192.0.2.66")
    with pytest.raises(TooManyRequestsError):
        people.accounts.sign_in("name 10", SECRET, address="192.0.2.66")


def test_limits_hold_over_threads(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=5)

    def guess(_: int) -> type[HostingError]:
        try:
            people.accounts.sign_in("Ada", "wrong horse")
        except HostingError as refusal:
            return type(refusal)
        raise AssertionError

    with ThreadPoolExecutor(8) as guessers:
        answers = list(guessers.map(guess, range(20)))
    assert answers.count(SignInRequiredError) == 5
    assert answers.count(TooManyRequestsError) == 15


def test_old_counts_are_swept_out(people: SignUps, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladderboard.server.people.accounts.SWEEP_ONE_IN", 1)
    for number in range(3):
        with pytest.raises(SignInRequiredError):
            people.accounts.sign_in(f"name {number}", SECRET)
    clock.advance(hours=2)
    with pytest.raises(SignInRequiredError):
        people.accounts.sign_in("somebody", SECRET)
    with people.database.reading() as connection:
        assert len(connection.execute(select(throttles)).all()) == 2


@on_sqlite
def test_a_hash_of_older_parameters_is_renewed_when_its_owner_comes(database: Database) -> None:
    Accounts(database, Settings(), passwords=Passwords(QUICK)).sign_up("Ada", SECRET)
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    accounts = Accounts(database, Settings(), passwords=stronger)
    accounts.sign_in("Ada", SECRET)
    with database.reading() as connection:
        kept = connection.scalar(select(metadata.tables["accounts"].c.password_hash))
    assert kept is not None
    assert "m=16,t=2" in kept
    assert accounts.sign_in("Ada", SECRET).name == "Ada"


# -- a lost password --------------------------------------------------------------------------------------------------


def test_a_lost_password_is_replaced_by_a_one_time_code(people: SignUps) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    session = identities.begin_session(people.database, account)
    token, _ = identities.make_token(people.database, account)
    code = people.registry.make_reset_code("ada")
    assert people.accounts.reset_password(code, "battery staple").id == account.id
    assert people.accounts.sign_in("Ada", "battery staple").id == account.id
    with pytest.raises(SignInRequiredError):
        people.accounts.sign_in("Ada", SECRET)
    assert identities.find_person_by_session(people.database, session) is None
    assert identities.find_person_by_token(people.database, token) is not None
    with pytest.raises(ForbiddenError, match="used"):
        people.accounts.reset_password(code, "another staple")


@on_sqlite
def test_a_reset_takes_all_tokens_back_where_that_is_asked_for(people: SignUps) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    token, _ = identities.make_token(people.database, account)
    people.accounts.reset_password(people.registry.make_reset_code("Ada"), "battery staple", revoke_tokens=True)
    assert identities.find_person_by_token(people.database, token) is None


@on_sqlite
def test_a_code_expires_and_a_newer_one_replaces_it(people: SignUps, clock: Clock) -> None:
    people.accounts.sign_up("Ada", SECRET)
    older, newer = people.registry.make_reset_code("Ada"), people.registry.make_reset_code("Ada")
    with pytest.raises(ForbiddenError):
        people.accounts.reset_password(older, "battery staple")
    clock.advance(hours=48)
    with pytest.raises(ForbiddenError):
        people.accounts.reset_password(newer, "battery staple")
    assert people.accounts.sign_in("Ada", SECRET).name == "Ada"


@on_sqlite
def test_a_new_password_that_is_refused_does_not_use_the_code(people: SignUps) -> None:
    people.accounts.sign_up("Ada", SECRET)
    code = people.registry.make_reset_code("Ada")
    with pytest.raises(ParameterError):
        people.accounts.reset_password(code, "short")
    people.accounts.reset_password(code, "battery staple")


@on_sqlite
def test_codes_cannot_be_guessed_fast(database: Database, clock: Clock) -> None:
    people = SignUps(database, clock, sign_in_tries_per_minute=2)
    for _ in range(2):
        with pytest.raises(ForbiddenError):
            people.accounts.reset_password("guess", "battery staple")
    with pytest.raises(TooManyRequestsError):
        people.accounts.reset_password("guess", "battery staple")


@on_sqlite
def test_a_changed_password_ends_all_other_sessions(people: SignUps) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    here, elsewhere = (identities.begin_session(people.database, account) for _ in range(2))
    with pytest.raises(SignInRequiredError):
        people.accounts.change_password(account.id, password="wrong horse", new_password="battery staple")
    people.accounts.change_password(
        account.id, password=SECRET, new_password="battery staple", session=hash_secret(here)
    )
    assert identities.find_person_by_session(people.database, here) is not None
    assert identities.find_person_by_session(people.database, elsewhere) is None
    assert people.accounts.sign_in("Ada", "battery staple").name == "Ada"


# -- sessions and tokens ----------------------------------------------------------------------------------------------


@on_sqlite
def test_sessions_that_are_over_do_not_pile_up(people: SignUps, clock: Clock) -> None:
    account, other = people.accounts.sign_up("Ada", SECRET), people.accounts.sign_up("Bob", SECRET)
    identities.begin_session(people.database, other)
    identities.end_session(people.database, identities.begin_session(people.database, account))
    identities.begin_session(people.database, account)
    clock.advance(days=30)
    kept = identities.begin_session(people.database, account)
    with people.database.reading() as connection:
        owners = list(connection.scalars(select(sessions.c.account_id)))
    assert sorted(owners) == sorted([account.id, other.id])
    assert identities.find_person_by_session(people.database, kept) is not None


@on_sqlite
def test_a_session_ends_when_its_owner_says_so_or_after_a_month(people: SignUps, clock: Clock) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    one, other = (identities.begin_session(people.database, account) for _ in range(2))
    person = identities.find_person_by_session(people.database, one)
    assert person is not None
    assert (person.name, sorted(person.scopes)) == ("Ada", ["read", "submit"])
    identities.end_session(people.database, one)
    assert identities.find_person_by_session(people.database, one) is None
    clock.advance(days=30, seconds=-1)
    assert identities.find_person_by_session(people.database, other) is not None
    clock.advance(seconds=1)
    assert identities.find_person_by_session(people.database, other) is None


def test_a_token_is_good_until_it_expires_or_is_revoked(people: SignUps, clock: Clock) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    lasting, _ = identities.make_token(people.database, account, label="laptop")
    clock.advance(seconds=1)
    short, known = identities.make_token(people.database, account, label="cluster", days=2)
    assert people.person(short).id == account.id
    clock.advance(days=2)
    assert identities.find_person_by_token(people.database, short) is None
    person = people.person(lasting)
    listed, total = identities.list_tokens(people.database, person, limit=10)
    assert ([one.label for one in listed], total) == (["cluster", "laptop"], 2)
    identities.revoke_token(people.database, person, listed[1].id)
    assert identities.find_person_by_token(people.database, lasting) is None
    with pytest.raises(NotFoundError):
        identities.revoke_token(people.database, person, listed[1].id)
    assert known.expires_at is not None


@on_sqlite
def test_a_new_token_expires_and_can_be_renewed(people: SignUps, clock: Clock) -> None:
    ada = people.accounts.sign_up("Ada", SECRET)
    secret, token = identities.make_token(people.database, ada)
    assert token.expires_at == token.created_at + timedelta(days=180)
    person = people.person(secret)
    clock.advance(days=179)
    identities.renew_token(people.database, person, token.id)
    clock.advance(days=179)
    assert people.person(secret) == person
    clock.advance(days=2)
    assert identities.find_person_by_token(people.database, secret) is None
    _, lasting = identities.make_token(people.database, ada, days=None)
    assert lasting.expires_at is None
    with pytest.raises(NotFoundError):
        identities.renew_token(people.database, person, "somebody else's")


@on_sqlite
def test_a_changed_password_takes_all_tokens_back_where_that_is_asked_for(people: SignUps) -> None:
    ada = people.accounts.sign_up("Ada", SECRET)
    secret, _ = identities.make_token(people.database, ada)
    people.accounts.change_password(ada.id, password=SECRET, new_password="battery staple")
    assert identities.find_person_by_token(people.database, secret) is not None
    people.accounts.change_password(ada.id, password="battery staple", new_password="horse correct", revoke_tokens=True)
    assert identities.find_person_by_token(people.database, secret) is None


@on_sqlite
@pytest.mark.parametrize("name", ["Аda", "Adа", "Αda"], ids=["first", "last", "greek"])
def test_a_name_of_two_alphabets_is_refused(people: SignUps, name: str) -> None:
    with pytest.raises(ParameterError, match="letters in one word; use one alphabet"):
        people.accounts.sign_up(name, SECRET)


@on_sqlite
def test_a_name_that_looks_like_one_that_is_taken_is_refused_either_way(people: SignUps) -> None:
    people.accounts.sign_up("Capa", SECRET)
    with pytest.raises(ConflictError, match=r"looks like .*, which is taken"):
        people.accounts.sign_up("Сара", SECRET)
    people.accounts.sign_up("Роза", SECRET)
    people.accounts.sign_up("Осса", SECRET)
    with pytest.raises(ConflictError, match=r"looks like .*, which is taken"):
        people.accounts.sign_up("Occa", SECRET)


@on_sqlite
@pytest.mark.parametrize(
    ("role", "scopes"), [("reader", {"read"}), ("participant", {"read", "submit"}), ("organiser", {"read", "submit"})]
)
def test_a_token_without_wishes_does_what_is_usual_for_the_role(people: SignUps, role: Role, scopes: set[str]) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    _, known = identities.make_token(people.database, replace(account, role=role))
    assert set(known.scopes) == scopes


@on_sqlite
def test_nobody_can_revoke_the_token_of_somebody_else(people: SignUps) -> None:
    ada, eve = people.accounts.sign_up("Ada", SECRET), people.accounts.sign_up("Eve", SECRET)
    token, known = identities.make_token(people.database, ada)
    with pytest.raises(NotFoundError):
        identities.revoke_token(
            people.database, people.person(identities.make_token(people.database, eve)[0]), known.id
        )
    assert people.person(token).id == ada.id


@on_sqlite
def test_a_token_does_no_more_than_its_scopes_and_its_owners_role_allow(people: SignUps) -> None:
    olga = people.registry.add("Olga", SECRET, role="organiser")
    token, _ = identities.make_token(people.database, olga, scopes=["organise", "read"])
    assert people.person(token).is_organiser
    assert not people.person(identities.make_token(people.database, olga, scopes=["read"])[0]).is_organiser
    people.registry.set_role("Olga", "reader")
    assert people.person(token).scopes == {"read"}
    assert not people.person(token).is_organiser
    with pytest.raises(ForbiddenError, match="scope"):
        identities.make_token(people.database, people.accounts.sign_up("Ada", SECRET), scopes=["organise"])


def test_who_is_disabled_is_out_at_once_and_comes_back_when_enabled(people: SignUps) -> None:
    account = people.accounts.sign_up("Mallory", SECRET)
    session, (token, _) = (
        identities.begin_session(people.database, account),
        identities.make_token(people.database, account),
    )
    people.registry.disable("mallory")
    assert identities.find_person_by_session(people.database, session) is None
    assert identities.find_person_by_token(people.database, token) is None
    with pytest.raises(ForbiddenError, match="disabled"):
        people.accounts.sign_in("Mallory", SECRET)
    with pytest.raises(SignInRequiredError):
        people.accounts.sign_in("Mallory", "wrong horse")
    people.registry.enable("mallory")
    assert people.accounts.sign_in("Mallory", SECRET).disabled_at is None
    assert identities.find_person_by_session(people.database, session) is None


@on_sqlite
def test_the_use_of_a_token_is_noted_at_most_once_a_minute(people: SignUps, clock: Clock) -> None:
    token, _ = identities.make_token(people.database, people.accounts.sign_up("Ada", SECRET))

    def noted() -> Any:
        identities.find_person_by_token(people.database, token)
        with people.database.reading() as connection:
            return connection.scalar(select(tokens.c.last_used_at))

    first = noted()
    assert first == clock.moment
    clock.advance(seconds=60)
    assert noted() == first
    clock.advance(seconds=1)
    assert noted() == clock.moment


def test_no_secret_is_in_the_database(people: SignUps) -> None:
    account = people.accounts.sign_up("Ada", SECRET)
    secrets = [
        SECRET,
        identities.begin_session(people.database, account),
        identities.make_token(people.database, account)[0],
        people.registry.make_reset_code("Ada"),
        people.registry.make_sign_up_code(),
    ]
    with people.database.reading() as connection:
        kept = [str(row) for table in metadata.sorted_tables for row in connection.execute(select(table))]
    assert kept
    assert not [secret for secret in secrets for row in kept if secret in row or secret.replace("-", "") in row]
    assert not [row for row in kept if "127.0.0.1" in row]


def test_an_account_that_could_be_taken_for_another_is_refused_with_its_name(people: SignUps) -> None:
    people.accounts.sign_up("Carol", SECRET)
    with pytest.raises(ConflictError, match="the name 'Car0l' looks like 'Carol', which is taken; choose another"):
        people.accounts.sign_up("Car0l", SECRET)
    with pytest.raises(ConflictError, match="the name 'Carol' is taken"):
        people.accounts.sign_up("Carol", SECRET)
