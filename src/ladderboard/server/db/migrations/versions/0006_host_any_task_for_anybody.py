"""Sign-in by providers, the queue, competitions made in the browser, roles in competitions, and announcements."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and the columns of those that refer to them."""
    _add_identities()
    _add_queue()
    _add_drafts()
    _add_roles()
    _add_announcements()


def _add_identities() -> None:
    """Accounts that other providers vouch for, and newcomers who are still to choose a name."""
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


def _add_queue() -> None:
    """The queue, what counts as used while it waits, and two files of a submission."""
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


def _add_drafts() -> None:
    """Competitions made in the browser, and their drafts."""
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


def _add_roles() -> None:
    """Roles in competitions, and the links that invite to them."""
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


def _add_announcements() -> None:
    """Announcements."""
    op.create_table(
        "announcements",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_announcements_competition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcements")),
    )
    with op.batch_alter_table("announcements", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_announcements_competition_id"), ["competition", "id"], unique=False)
