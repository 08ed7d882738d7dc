"""Who comes from an identity provider: into which account, or into a new one.

An identity is the pair of issuer and subject. An address never leads into an account: what a provider says of it can
only open the door for a new one, where the operator has named its domain. An identity is linked with an account that
exists by somebody who is signed in to it, and by a form of this site.
"""

from datetime import timedelta

from ladderboard.core.errors import ConflictError, ForbiddenError, NotFoundError
from ladderboard.core.tokens import hash_secret, make_secret
from ladderboard.server.db.database import Connection
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.names import normalize_name
from ladderboard.server.people.records import Account
from ladderboard.server.people.roles import Person
from ladderboard.server.providers import sql
from ladderboard.server.providers.records import Claims, LinkedIdentity, Newcomer, Provider

NEWCOMER_LASTS = timedelta(minutes=30)
MOST_LINKED = 10


def recognise(people: Accounts, claims: Claims, person: Person | None) -> Account | None:
    """The account that this identity signs in to; None where there is none yet.

    Raises `ForbiddenError` for a disabled account, `ConflictError` where somebody else is signed in.
    """
    with people.database.transaction() as connection:
        identity = sql.find(connection, claims)
        if identity is None:
            return None
        sql.note_use(connection, identity.id, people.database.now(connection))
    account = people.get(identity.account_id)
    if account.disabled_at is not None:
        raise ForbiddenError("this account is disabled; ask the organiser")
    if person is not None and person.id != account.id:
        raise ConflictError("this identity belongs to another account; sign out first, then sign in with it")
    return account


def keep_newcomer(people: Accounts, provider: Provider, claims: Claims, *, onwards: str) -> str:
    """Remember who came, until they have chosen; returns a secret for a cookie."""
    secret = make_secret()
    with people.database.transaction() as connection:
        now = people.database.now(connection)
        newcomer = Newcomer(
            **vars(claims), provider=provider.name, next=onwards, created_at=now, expires_at=now + NEWCOMER_LASTS
        )
        sql.keep_newcomer(connection, hash_secret(secret), newcomer)
    return secret


def find_newcomer(people: Accounts, secret: str | None) -> Newcomer:
    """Who came; raises `ForbiddenError` where that is unknown or too long ago."""
    with people.database.reading() as connection:
        found = (
            None
            if secret is None
            else sql.find_newcomer(connection, hash_secret(secret), people.database.now(connection))
        )
    if found is None:
        raise ForbiddenError("this took too long, or was done already; sign in again")
    return found


def is_admitted(provider: Provider, newcomer: Newcomer) -> bool:
    """Whether the provider's domains admit the newcomer, whatever the rule for signing up."""
    return newcomer.address is not None and newcomer.address.rpartition("@")[2] in provider.domains


def make_account(
    people: Accounts, provider: Provider, newcomer: Newcomer, *, secret: str, name: str, code: str | None
) -> Account:
    """Make an account without a password for a newcomer.

    Raises `ForbiddenError` where they may not have one, `ConflictError` for a name that is taken, and `ParameterError`.
    """
    spelled = normalize_name(name)
    with people.database.transaction() as connection:
        if not sql.drop_newcomer(connection, hash_secret(secret)):
            raise ForbiddenError("this was done already; sign in again")
        if not is_admitted(provider, newcomer):
            if provider.domains and people.settings.sign_up == "open":
                raise ForbiddenError(
                    f"with {provider.title}, people with a verified address at {' or '.join(provider.domains)} can "
                    "make an account here"
                )
            people.admit(connection, spelled, code)
        account = people.insert(connection, spelled, "", role="participant")
        _link(people, connection, newcomer, account.id)
        return account


def link(people: Accounts, person: Person, newcomer: Newcomer, *, secret: str) -> None:
    """Link the identity with the account of somebody who is signed in."""
    with people.database.transaction() as connection:
        if not sql.drop_newcomer(connection, hash_secret(secret)):
            raise ForbiddenError("this was done already; sign in again")
        if sql.count_linked(connection, person.id) >= MOST_LINKED:
            raise ConflictError(f"this account has {MOST_LINKED} identities; remove one first")
        _link(people, connection, newcomer, person.id)


def unlink(people: Accounts, person: Person, identity_id: str) -> None:
    """Remove an identity, unless nothing else would be left to sign in with."""
    with people.database.transaction() as connection:
        people.hold(connection, person.id)  # two removals at once would each see the other's
        if not people.has_password_in(connection, person.id) and sql.count_linked(connection, person.id) == 1:
            raise ConflictError("this is your only way to sign in; link another one first")
        if not sql.unlink(connection, person.id, identity_id):
            raise NotFoundError("you have no such identity")


def list_linked(people: Accounts, person: Person) -> list[LinkedIdentity]:
    """List the identities that sign in to one's account."""
    with people.database.reading() as connection:
        return sql.list_linked(connection, person.id)


def _link(people: Accounts, connection: Connection, newcomer: Newcomer, account_id: str) -> None:
    if not sql.link(connection, newcomer, account_id, people.database.now(connection)):
        raise ConflictError("this identity belongs to an account already; sign in with it")
