"""Counts of what somebody did in a while, for limits that hold over all server processes."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from ladderboard.store.schema import throttles
from ladderboard.store.upserts import insert_or_keep


def count(connection: Connection, key: str, *, now: datetime, window: timedelta) -> tuple[int, datetime]:
    """Count one more under ``key``; returns how many there are in its window, and when that ends."""
    insert_or_keep(connection, throttles, key=key, window_start=now, count=0)
    row = connection.execute(select(throttles).where(throttles.c.key == key).with_for_update()).one()
    is_over = now >= row.window_start + window
    start, number = (now, 1) if is_over else (row.window_start, row._mapping["count"] + 1)
    connection.execute(throttles.update().where(throttles.c.key == key).values(window_start=start, count=number))
    return number, start + window


def forget(connection: Connection, key: str) -> None:
    """Begin again at nothing."""
    connection.execute(delete(throttles).where(throttles.c.key == key))


def forget_before(connection: Connection, moment: datetime) -> None:
    """Drop what began so long ago that its window is over."""
    connection.execute(delete(throttles).where(throttles.c.window_start < moment))
