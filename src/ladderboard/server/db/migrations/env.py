"""How Alembic runs our steps: on the connection it is given, within the transaction that is already open there."""

from alembic import context

from ladderboard.server.db.migrations import VERSION_TABLE
from ladderboard.server.db.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite changes a table by copying it; without this a step could only add.
    render_as_batch=True,
    render_item=context.config.attributes.get("render_item"),
)
context.run_migrations()
