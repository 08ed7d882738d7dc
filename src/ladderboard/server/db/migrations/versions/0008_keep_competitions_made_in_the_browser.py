"""Keep competitions made in the browser."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Keep competitions made in the browser."""
    op.create_table(
        "drafts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["folder"], ["files.digest"], name=op.f("fk_drafts_folder")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    with op.batch_alter_table("competitions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("folder", sa.Text(), nullable=True))
        batch_op.create_foreign_key(batch_op.f("fk_competitions_folder"), "files", ["folder"], ["digest"])
