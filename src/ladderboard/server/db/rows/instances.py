"""The states of a mechanism's instances: of teams, or of the board where ranks are the instances."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, insert, select, update

from ladderboard.server.db.schema import instances

LATE = ":late"
"""The suffix of an instance's key that only late entries use."""


class StateMovedError(Exception):
    """Another submission was recorded since this one was judged; nothing was written, judge again."""


def read_state(connection: Connection, slug: str, key: str) -> str | None:
    """Read the state of an instance; None before its first attempt."""
    return connection.scalar(_STATE, {"slug": slug, "instance": key})


def read_versioned_state(connection: Connection, slug: str, key: str) -> tuple[str | None, int]:
    """Read the state of an instance and how often it has changed; None and 0 before its first attempt."""
    row = connection.execute(_VERSIONED, {"slug": slug, "instance": key}).one_or_none()
    return (None, 0) if row is None else (row.state, row.state_version)


def read_states(connection: Connection, slug: str, keys: Sequence[str]) -> dict[str, str]:
    """Read the states of several instances; those before their first attempt have none."""
    mine = (instances.c.competition == slug) & instances.c.key.in_(list(keys))
    return {row.key: row.state for row in connection.execute(select(instances.c.key, instances.c.state).where(mine))}


def replace_state(connection: Connection, slug: str, key: str, *, state_version: int, state: str, bits: float) -> None:
    """Replace the state that was read at ``state_version``. Raises `StateMovedError` where it has changed since."""
    if state_version == 0:
        if read_state(connection, slug, key) is not None:
            raise StateMovedError
        first = {"competition": slug, "key": key, "state": state, "state_version": 1, "bits": bits}
        connection.execute(insert(instances), first)
        return
    change = {"slug": slug, "instance": key, "read_at": state_version, "state": state, "bits": bits}
    if connection.execute(_REPLACE, {**change, "state_version": state_version + 1}).rowcount != 1:
        raise StateMovedError


IS_INSTANCE = (instances.c.competition == bindparam("slug")) & (instances.c.key == bindparam("instance"))
_STATE = select(instances.c.state).where(IS_INSTANCE)
_VERSIONED = select(instances.c.state, instances.c.state_version).where(IS_INSTANCE)
_REPLACE = update(instances).where(IS_INSTANCE, instances.c.state_version == bindparam("read_at"))
