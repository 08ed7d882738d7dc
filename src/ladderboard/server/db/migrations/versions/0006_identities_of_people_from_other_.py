"""Identities of people from other providers."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Identities of people from other providers."""
    op.create_table(
        "newcomers",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("next", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_newcomers")),
    )
    op.create_table(
        "linked_identities",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_linked_identities_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_linked_identities")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_linked_identities_issuer_subject")),
    )
    with op.batch_alter_table("linked_identities", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_linked_identities_account_id"), ["account_id"], unique=False)
