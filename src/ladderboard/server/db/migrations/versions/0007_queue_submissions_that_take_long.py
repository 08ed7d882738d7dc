"""Submissions that take long to score wait in a queue, and what programs answered is kept beside their files."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the queue, what counts as used while it waits, and two files of a submission."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=True),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("file_digest", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("file_size", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("training_score", sa.Double(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("request_key", sa.Text(), nullable=True),
        sa.Column("quota_day", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("begun_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("log_digest", sa.Text(), nullable=True),
        sa.Column("output_digest", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("report", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN ('received', 'scoring', 'scored', 'failed')", name=op.f("ck_jobs_status")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_jobs_account_id")),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_jobs_competition")),
        sa.ForeignKeyConstraint(["file_digest"], ["files.digest"], name=op.f("fk_jobs_file_digest")),
        sa.ForeignKeyConstraint(["log_digest"], ["files.digest"], name=op.f("fk_jobs_log_digest")),
        sa.ForeignKeyConstraint(["output_digest"], ["files.digest"], name=op.f("fk_jobs_output_digest")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_jobs_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_jobs_competition_received_at"), ["competition", "received_at"], unique=False
        )
        batch_op.create_index(
            "ix_jobs_pending",
            ["team_id", "received_at"],
            unique=False,
            sqlite_where=sa.text("status IN ('received', 'scoring')"),
            postgresql_where=sa.text("status IN ('received', 'scoring')"),
        )
        batch_op.create_index(batch_op.f("ix_jobs_team_id_begun_at"), ["team_id", "begun_at"], unique=False)

    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("output_digest", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("scores_digest", sa.Text(), nullable=True))
        batch_op.create_foreign_key(batch_op.f("fk_submissions_scores_digest"), "files", ["scores_digest"], ["digest"])
        batch_op.create_foreign_key(batch_op.f("fk_submissions_output_digest"), "files", ["output_digest"], ["digest"])

    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.add_column(sa.Column("queued", sa.Integer(), server_default="0", nullable=False))
