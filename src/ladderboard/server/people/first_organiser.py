"""The first organiser: a one-time link, printed where a server without one starts, makes the account.

Whoever reads the server's output runs the server. A link is kept as a hash, ends after a week, and is worth nothing as
soon as there is an organiser.
"""

from datetime import timedelta

from ladderboard.core.errors import ForbiddenError
from ladderboard.core.networks import find_network
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import MINUTE, Accounts, count_use
from ladderboard.server.people.identities import hash_code, make_code
from ladderboard.server.people.names import normalize_name
from ladderboard.server.people.records import Account
from ladderboard.server.people.sql import accounts

LINK_PATH = "/first-organiser"
LINK_LASTS = timedelta(days=7)
KIND = "organiser"


def make_link_code(database: Database) -> str:
    """Make the code of a link; those that were printed before stay good until one of them is used."""
    code = make_code()
    with database.transaction() as connection:
        accounts.admit(connection, kind=KIND, key=hash_code(code), uses=1, now=database.now(connection))
    return code


def sign_up_first(people: Accounts, name: str, password: str, *, code: str, address: str = "") -> Account:
    """Make the first organiser's account. Raises `ForbiddenError` for another code, or where there is an organiser."""
    if not people.settings.password_sign_in:
        raise ForbiddenError("passwords are switched off; sign in, then run `ladderboard users role NAME organiser`")
    most = people.settings.sign_in_tries_per_minute
    count_use(people.database, "first", find_network(address), most=most, window=MINUTE, doing="attempts with a link")
    spelled = normalize_name(name)
    hashed = people.passwords.hash(password, name=spelled)
    with people.database.transaction() as connection:
        people.database.go_alone(connection, "first organiser")  # two links may be used at once
        if accounts.has_role(connection, "organiser"):
            raise ForbiddenError("this server has an organiser already; ask them for an account with that role")
        since = people.database.now(connection) - LINK_LASTS
        if not accounts.use_admission(connection, kind=KIND, key=hash_code(code), since=since):
            raise ForbiddenError("this link is wrong or too old; `ladderboard serve` prints a new one when it starts")
        return people.insert(connection, spelled, hashed, role="organiser")
