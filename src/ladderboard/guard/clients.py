"""The clients of a guard's service: who may ask, by token, and how often each did.

All of it is in the guard's file, so that an attempt and its client are one transaction. The functions take the open
connection of `GuardFile.use` or of a transaction.
"""

import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError, SignInRequiredError
from ladderboard.core.tokens import hash_secret, make_secret

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class GuardClient:
    """A client without its token. ``attempts`` and ``accepts`` count what it asked, not what others did."""

    name: str
    added_at: str
    is_revoked: bool
    attempts: int
    accepts: int


def add_client(connection: sqlite3.Connection, name: str) -> str:
    """Add a client and return its token, which is not stored; a revoked one gets a new token and keeps its counts.

    Raises `ParameterError` for a name that cannot be used, `ConflictError` for one that is in use.
    """
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"{name!r} cannot name a client; use up to 64 letters, digits, '.', '_' and '-', a letter or digit first"
        )
    token, now = make_secret(), datetime.now(UTC).isoformat(timespec="seconds")
    added = connection.execute(
        "INSERT INTO clients (name, token_hash, added_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET token_hash = excluded.token_hash, is_revoked = 0 WHERE is_revoked",
        (name, hash_secret(token), now),
    )
    if added.rowcount != 1:
        raise ConflictError(
            f"there is a client {name!r} already; revoke it to give it a new token, or choose another name"
        )
    return token


def revoke_client(connection: sqlite3.Connection, name: str) -> None:
    """Make a client's token invalid at once. Raises `NotFoundError`."""
    if connection.execute("UPDATE clients SET is_revoked = 1 WHERE name = ?", (name,)).rowcount != 1:
        known = ", ".join(one.name for one in list_clients(connection)) or "none"
        raise NotFoundError(f"there is no client {name!r}; known: {known}")


def list_clients(connection: sqlite3.Connection) -> list[GuardClient]:
    """List all clients by name, also revoked ones."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM clients ORDER BY name")  # noqa: S608 (constant)
    return [_client_from_row(row) for row in rows]


def find_client(connection: sqlite3.Connection, token: str) -> GuardClient:
    """Find whose token this is. Raises `SignInRequiredError`."""
    query = f"SELECT {_COLUMNS} FROM clients WHERE token_hash = ?"  # noqa: S608 (constant)
    row = connection.execute(query, (hash_secret(token),)).fetchone()
    if row is None or _client_from_row(row).is_revoked:
        raise SignInRequiredError(UNKNOWN_TOKEN)
    return _client_from_row(row)


def count_attempt(connection: sqlite3.Connection, name: str, *, is_accepted: bool) -> None:
    """Count an attempt of a client, within the transaction that records it. Raises `SignInRequiredError`."""
    counted = connection.execute(
        "UPDATE clients SET attempts = attempts + 1, accepts = accepts + ? WHERE name = ? AND NOT is_revoked",
        (is_accepted, name),
    )
    if counted.rowcount != 1:  # revoked while it was asking
        raise SignInRequiredError(UNKNOWN_TOKEN)


UNKNOWN_TOKEN = "this token is unknown or revoked; ask whoever runs the service for a new one"  # noqa: S105 (no secret)
_COLUMNS = "name, added_at, is_revoked, attempts, accepts"


def _client_from_row(row: tuple[str, str, int, int, int]) -> GuardClient:
    name, added_at, is_revoked, attempts, accepts = row
    return GuardClient(name, added_at, bool(is_revoked), attempts, accepts)
