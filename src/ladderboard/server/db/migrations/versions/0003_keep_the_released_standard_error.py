"""Teams keep the standard error that was released with their number; earlier releases had none, and no interval."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, empty: no standard error was released before. Ranks are counted over the new index."""
    op.add_column("teams", sa.Column("standard_error", sa.Double(), nullable=True))
    op.create_index(
        "ix_teams_numbers", "teams", ["competition", "status", "kind", "board_order", "board_value", "standard_error"]
    )
    _forget_intervals()


def _forget_intervals() -> None:
    """Rewrite the releases: the first version's intervals came from the baseline's standard error and did not cover."""
    table = sa.table("submissions", sa.column("id", sa.Text), sa.column("release", sa.Text))
    connection, missing = op.get_bind(), {"interval": None, "standard_error": None}
    found = connection.execute(sa.select(table.c.id, table.c.release)).all()
    changed = [
        {"row": row.id, "new": json.dumps(json.loads(row.release) | missing, sort_keys=True, separators=(",", ":"))}
        for row in found
    ]
    if changed:
        written = sa.update(table).where(table.c.id == sa.bindparam("row")).values(release=sa.bindparam("new"))
        connection.execute(written, changed)
