"""Write a full database at the newest step as SQL text, for the tests of upgrades to come: a row in every table.

python -m scripts.freeze_revision

Run it when a step is released, not before: from then on the step and the text stay as they are.
"""

import re
import sqlite3
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Connection, Double, Integer, LargeBinary, Table, insert, select

from ladderboard.server.db.backup import write_backup
from ladderboard.server.db.columns import Instant, Json
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import list_revisions, upgrade
from ladderboard.server.db.schema import metadata
from tests.store.history import with_history

REVISIONS = Path("tests/store/revisions")


def main() -> None:
    """Fill a database, back it up, and write the backup as text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = Database(f"sqlite:///{folder}/now.db")
        upgrade(database)
        files = with_history(database, folder).live.files
        with database.transaction() as connection:
            for table in metadata.sorted_tables:
                if connection.execute(select(table).limit(1)).first() is None:
                    connection.execute(insert(table).values(_a_row(connection, table)))
        write_backup(database, files, folder / "x.backup")
        database.close()
        made = sqlite3.connect(folder / "x.backup")
        text = "\n".join(made.iterdump())
        made.close()
    path = REVISIONS / f"{list_revisions()[-1]}.sql"
    REVISIONS.mkdir(exist_ok=True)
    path.write_text(text + "\n")
    print(f"{path}: {len(text)} characters")


def _a_row(connection: Connection, table: Table) -> dict[str, Any]:
    return {column.name: _a_value(connection, table, column) for column in table.columns}


def _a_value(connection: Connection, table: Table, column: Column[Any]) -> Any:
    """Something that fits: a row that is there for a reference, one of the allowed words, else anything of the type."""
    for key in column.foreign_keys:
        return None if key.column.table is table else connection.scalar(select(key.column).limit(1))
    for check in table.constraints:
        if isinstance(check, CheckConstraint) and str(check.sqltext).startswith(f"{column.name} IN"):
            return re.findall("'(.+?)'", str(check.sqltext))[0]
    values: list[tuple[type[Any], Any]] = [
        (Instant, datetime(2026, 3, 14, tzinfo=UTC)),
        (Json, {"some": ["json", 1.5, None]}),
        (Boolean, True),
        (Integer, 7),
        (Double, 0.25),
        (LargeBinary, b"\x00\xff"),
    ]
    return next((value for kind, value in values if isinstance(column.type, kind)), f"{table.name}.{column.name}")


if __name__ == "__main__":
    main()
