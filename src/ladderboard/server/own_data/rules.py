"""One's own data: all of it as a file, and its deletion.

Deleting takes away who somebody was: name, password, sessions, tokens, linked accounts, full name and address, notes
and names of files. What the team submitted stays, because scores of others and the ledger rest on it; nothing beside it
leads to the person. The ledger never held a person's name. A team's name stays in it: a chain of hashes cannot forget.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ladderboard.core.errors import ConflictError, ForbiddenError, ParameterError
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, ledger
from ladderboard.server.own_data import sql
from ladderboard.server.people.accounts import Accounts, find_account
from ladderboard.server.people.names import name_key


def stream_export(database: Database, account_id: str) -> Iterator[bytes]:
    """Write everything that is kept about an account as one JSON object, in parts; no secret is in it."""
    with database.reading() as connection:
        tables = {"account": sql.find_account(connection, account_id), **dict(sql.list_tables(connection, account_id))}
        yield f'{_write(tables)[:-2]},\n  "submissions": ['.encode()
        for number, row in enumerate(sql.read_submissions(connection, account_id)):
            yield f"{',' if number else ''}\n    {json.dumps(row, ensure_ascii=False, default=_plain)}".encode()
        yield b"\n  ]\n}\n"


def delete_own_account(people: Accounts, account_id: str, *, name: str, password: str, address: str = "") -> None:
    """Delete one's own account, with its name typed and the password where it has one.

    Raises `ParameterError` for another name, `ForbiddenError` for a wrong password, `ConflictError` for the last
    organiser.
    """
    account = people.get(account_id)
    if name_key(name.strip()) != name_key(account.name):
        raise ParameterError(f"to delete this account, type its name, {account.name!r}; nothing was deleted")
    if people.has_password(account_id):
        people.sign_in(account.name, password, address=address)
    with people.database.transaction() as connection:
        _erase(people.database, connection, account_id)


def delete_account(database: Database, name: str) -> str:
    """Delete somebody's account for them, as the operator; returns the name it had."""
    with database.transaction() as connection:
        account = find_account(connection, name)
        _erase(database, connection, account.id)
        return account.name


def _erase(database: Database, connection: Connection, account_id: str) -> None:
    account = sql.find_account(connection, account_id)
    if account["role"] == "organiser" and not sql.has_other_organiser(connection, account_id):
        raise ConflictError("this is the last organiser of the server; make somebody else an organiser first")
    if str(account["name"]).startswith("deleted-"):
        raise ForbiddenError("this account is deleted already")
    if sql.has_pending_job(connection, account_id):
        raise ConflictError("a submission of this account waits to be scored; delete the account when it is")
    now = database.now(connection)
    for slug, team_id in sql.list_teams(connection, account_id):
        competitions.hold(connection, slug)
        sql.leave(connection, slug, account_id, now)
        ledger.append(connection, slug, kind="left", at=now, body={"team": team_id}, team_id=team_id)
        competitions.renew_board(connection, slug)
    sql.erase(connection, account_id, now)


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be exported")
