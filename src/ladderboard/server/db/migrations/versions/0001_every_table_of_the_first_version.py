"""Every table of the first version."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Every table of the first version."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("role IN ('organiser', 'participant', 'reader')", name=op.f("ck_accounts_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name_key", name=op.f("uq_accounts_name_key")),
    )
    op.create_table(
        "admissions",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_admissions")),
    )
    op.create_table(
        "competitions",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("solution_digest", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("commitment_salt", sa.Text(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=True),
        sa.Column("frozen_at", sa.BigInteger(), nullable=True),
        sa.Column("finalized_at", sa.BigInteger(), nullable=True),
        sa.Column("revealed_at", sa.BigInteger(), nullable=True),
        sa.Column("spent_at", sa.BigInteger(), nullable=True),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("noise_epoch", sa.Integer(), nullable=False),
        sa.Column("board_version", sa.BigInteger(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("bits", sa.Double(), nullable=False),
        sa.Column("ledger_length", sa.BigInteger(), nullable=False),
        sa.Column("ledger_head", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_competitions")),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    op.create_table(
        "files",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_files")),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("window_start", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_throttles")),
    )
    op.create_table(
        "instances",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("bits", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_instances_competition")),
        sa.PrimaryKeyConstraint("competition", "key", name=op.f("pk_instances")),
    )
    op.create_table(
        "private_results",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("computed_at", sa.BigInteger(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_private_results_competition")),
        sa.PrimaryKeyConstraint("competition", "scoring_version", name=op.f("pk_private_results")),
    )
    op.create_table(
        "reset_codes",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_reset_codes_account_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_reset_codes")),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_sessions_account_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sessions")),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sessions_account_id"), ["account_id"], unique=False)

    op.create_table(
        "teams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("merged_into", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("accepts", sa.Integer(), nullable=False),
        sa.Column("quota_day", sa.Text(), nullable=True),
        sa.Column("quota_used", sa.Integer(), nullable=False),
        sa.Column("extra_per_day", sa.Integer(), nullable=False),
        sa.Column("extra_total", sa.Integer(), nullable=False),
        sa.Column("board_value", sa.Double(), nullable=True),
        sa.Column("board_order", sa.Double(), nullable=True),
        sa.Column("last_improvement", sa.BigInteger(), nullable=True),
        sa.Column("last_improved_at", sa.BigInteger(), nullable=True),
        sa.Column("last_submitted_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('team', 'baseline')", name=op.f("ck_teams_kind")),
        sa.CheckConstraint("status IN ('active', 'withdrawn', 'disqualified', 'merged')", name=op.f("ck_teams_status")),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_teams_competition")),
        sa.ForeignKeyConstraint(["merged_into"], ["teams.id"], name=op.f("fk_teams_merged_into")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("competition", "name_key", name=op.f("uq_teams_competition_name_key")),
    )
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.create_index(
            "ix_teams_board",
            ["competition", "status", "board_order", "kind", "last_improvement", "id"],
            unique=False,
        )

    op.create_table(
        "tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_account_id"), ["account_id"], unique=False)

    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_webhooks_competition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("last_answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name=op.f("fk_deliveries_webhook_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deliveries_next_at"), ["next_at"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_deliveries_webhook_id_created_at"), ["webhook_id", "created_at"], unique=False
        )

    op.create_table(
        "idempotency",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_idempotency_team_id")),
        sa.PrimaryKeyConstraint("team_id", "key", name=op.f("pk_idempotency")),
    )
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.create_index(
            "ix_idempotency_free",
            ["team_id", "stored_at"],
            unique=False,
            sqlite_where=sa.text("status = 200"),
            postgresql_where=sa.text("status = 200"),
        )

    op.create_table(
        "invitations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_by", sa.Text(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["accounts.id"], name=op.f("fk_invitations_created_by")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_invitations_team_id")),
        sa.ForeignKeyConstraint(["used_by"], ["accounts.id"], name=op.f("fk_invitations_used_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_invitations_code_hash")),
    )
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitations_team_id"), ["team_id"], unique=False)

    op.create_table(
        "ledger",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.Column("opening", sa.Text(), nullable=True),
        sa.Column("team_id", sa.Text(), nullable=True),
        sa.Column("previous", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_ledger_competition")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_ledger_team_id")),
        sa.PrimaryKeyConstraint("competition", "seq", name=op.f("pk_ledger")),
    )
    with op.batch_alter_table("ledger", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ledger_team_id_seq"), ["team_id", "seq"], unique=False)

    op.create_table(
        "members",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_members_account_id")),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_members_competition")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_members_team_id")),
        sa.PrimaryKeyConstraint("competition", "account_id", name=op.f("pk_members")),
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_members_team_id"), ["team_id"], unique=False)

    op.create_table(
        "submissions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("noise_epoch", sa.Integer(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("scored_at", sa.BigInteger(), nullable=False),
        sa.Column("file_digest", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("file_size", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("training_score", sa.Double(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=True),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("improved", sa.Boolean(), nullable=False),
        sa.Column("board_value", sa.Double(), nullable=True),
        sa.Column("picked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_submissions_account_id")),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_submissions_competition")),
        sa.ForeignKeyConstraint(["file_digest"], ["files.digest"], name=op.f("fk_submissions_file_digest")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_submissions_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("competition", "number", name=op.f("uq_submissions_competition_number")),
        sa.UniqueConstraint("team_id", "phase", "fingerprint", name=op.f("uq_submissions_team_id_phase_fingerprint")),
    )
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_submissions_competition_received_at"), ["competition", "received_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_submissions_team_id_number"), ["team_id", "number"], unique=False)

    op.create_table(
        "flags",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.Column("other_submission_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("dismissed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["competition"], ["competitions.slug"], name=op.f("fk_flags_competition")),
        sa.ForeignKeyConstraint(["other_submission_id"], ["submissions.id"], name=op.f("fk_flags_other_submission_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_flags_submission_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_flags_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flags")),
    )
    with op.batch_alter_table("flags", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_flags_competition_at"), ["competition", "at"], unique=False)
        batch_op.create_index(batch_op.f("ix_flags_team_id"), ["team_id"], unique=False)

    op.create_table(
        "rescored",
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_rescored_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "scoring_version", name=op.f("pk_rescored")),
    )
    op.create_table(
        "sketch_bands",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("hash", sa.BigInteger(), nullable=False),
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_sketch_bands_submission_id")),
        sa.PrimaryKeyConstraint("competition", "hash", "submission_id", name=op.f("pk_sketch_bands")),
    )
