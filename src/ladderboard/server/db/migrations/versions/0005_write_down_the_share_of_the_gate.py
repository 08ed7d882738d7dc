"""Boards of the Witness Ladder keep the gate's share that they were made with, one half; the default is now a third."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Write the share into the rules of every board that did not state one."""
    table = sa.table("competitions", sa.column("slug", sa.Text), sa.column("rules", sa.Text))
    connection = op.get_bind()
    for slug, text in connection.execute(sa.select(table.c.slug, table.c.rules)).all():
        # The column is JSON, and so is the text in it.
        rules = json.loads(json.loads(text))
        parameters = rules["mechanism_parameters"]
        if rules["mechanism"] == "witness_ladder" and "gate_share" not in parameters:
            parameters["gate_share"] = 0.5
            written = _dump(_dump(rules))
            connection.execute(sa.update(table).where(table.c.slug == slug).values(rules=written))


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
