"""Keep roles in competitions."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Keep roles in competitions."""
    op.create_table(
        "enrolment_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("real_name", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("uses_left", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "role IN ('teacher', 'assistant', 'reader', 'participant')", name=op.f("ck_enrolment_links_role")
        ),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_enrolment_links_competition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_enrolment_links")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_enrolment_links_code_hash")),
    )
    with op.batch_alter_table("enrolment_links", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_enrolment_links_competition_created_at"), ["competition", "created_at"], unique=False
        )

    op.create_table(
        "enrolments",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("real_name", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("enrolled_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "role IN ('teacher', 'assistant', 'reader', 'participant', 'former')", name=op.f("ck_enrolments_role")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_enrolments_account_id")),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_enrolments_competition")),
        sa.PrimaryKeyConstraint("competition", "account_id", name=op.f("pk_enrolments")),
    )
    with op.batch_alter_table("enrolments", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_enrolments_account_id"), ["account_id"], unique=False)
