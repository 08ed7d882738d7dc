"""Every table. What changes here needs a migration in `migrations/` (a test compares the two)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from ladderboard.server.db.columns import Instant, Json

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# -- competitions, teams ---------------------------------------------------------------------------------------------

competitions = Table(
    "competitions",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("rules", Json, nullable=False),
    Column("solution_digest", Text, nullable=False),
    # The file with the solution that counts; empty until a version that keeps it has served the competition.
    Column("solution_file", Text),
    # The list of the files of a competition made in the browser, itself a file; empty: it is served from a folder.
    Column("folder", Text, ForeignKey("files.digest")),
    Column("secret", LargeBinary, nullable=False),
    Column("commitment_salt", Text, nullable=False),
    Column("commitment", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("opened_at", Instant),
    Column("frozen_at", Instant),
    Column("finalized_at", Instant),
    Column("revealed_at", Instant),
    Column("spent_at", Instant),
    Column("scoring_version", Integer, nullable=False, default=1),
    # Part of what noise is derived from; raised by a restore, so that no attempt's noise is ever drawn twice.
    Column("noise_epoch", Integer, nullable=False, default=0),
    # Raised with everything that changes a public board; what is cached is cached under it.
    Column("board_version", BigInteger, nullable=False, default=0),
    Column("last_number", BigInteger, nullable=False, default=0),
    Column("bits", Double, nullable=False, default=0.0),
    Column("ledger_length", BigInteger, nullable=False, default=0),
    Column("ledger_head", Text, nullable=False),
)

drafts = Table(
    "drafts",
    metadata,
    # A competition that is being prepared in the browser; it goes when the competition is published.
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("folder", Text, ForeignKey("files.digest"), nullable=False),
    Column("changed_at", Instant, nullable=False),
)

teams = Table(
    "teams",
    metadata,
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("name", Text, nullable=False),
    # The name without case and width, by which it is found and kept unique.
    Column("name_key", Text, nullable=False),
    Column("kind", Text, nullable=False, default="team"),
    Column("status", Text, nullable=False, default="active"),
    Column("merged_into", Text, ForeignKey("teams.id")),
    Column("created_at", Instant, nullable=False),
    Column("salt", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    # Attempts in the queue: they count as used, and are in `attempts` once they are scored.
    Column("queued", Integer, nullable=False, default=0, server_default="0"),
    Column("accepts", Integer, nullable=False, default=0),
    # The calendar day in the competition's zone on which `quota_used` attempts were made.
    Column("quota_day", Text),
    Column("quota_used", Integer, nullable=False, default=0),
    Column("extra_per_day", Integer, nullable=False, default=0),
    Column("extra_total", Integer, nullable=False, default=0),
    # What the board shows, from releases only. `board_order` is what ranks are counted by, lowest first: the value as a
    # loss; or the rung, where ranks are the instances.
    Column("board_value", Double),
    Column("board_order", Double),
    Column("standard_error", Double),
    Column("last_improvement", BigInteger),
    Column("last_improved_at", Instant),
    Column("last_submitted_at", Instant),
    UniqueConstraint("competition", "name_key"),
    CheckConstraint("kind IN ('team', 'baseline')", name="kind"),
    CheckConstraint("status IN ('active', 'withdrawn', 'disqualified', 'merged')", name="status"),
    # A page of the board in its order.
    Index("ix_teams_board", "competition", "status", "board_order", "kind", "last_improvement", "id"),
    # Ranks and plausible ranks, which are counts over this index alone.
    Index("ix_teams_numbers", "competition", "status", "kind", "board_order", "board_value", "standard_error"),
)

instances = Table(
    "instances",
    metadata,
    # One memory of the mechanism: key = a team's id, or "board" where ranks are the instances; late entries have
    # their own, with ":late" at the end. `state_version` counts its changes.
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("state_version", BigInteger, nullable=False),
    Column("bits", Double, nullable=False, default=0.0),
    PrimaryKeyConstraint("competition", "key"),
)

members = Table(
    "members",
    metadata,
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("joined_at", Instant, nullable=False),
    # Who left keeps the row: one person, one team, no fresh start.
    Column("left_at", Instant),
    PrimaryKeyConstraint("competition", "account_id"),
    Index(None, "team_id"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("code_hash", Text, nullable=False, unique=True),
    # "join" lets a person in; "merge" offers the team to another one.
    Column("kind", Text, nullable=False, default="join"),
    Column("created_by", Text, ForeignKey("accounts.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_by", Text, ForeignKey("accounts.id")),
    Column("used_at", Instant),
    Column("revoked_at", Instant),
    Index(None, "team_id"),
)

# -- submissions -----------------------------------------------------------------------------------------------------

files = Table(
    "files",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    # None where the bytes are in the data folder.
    Column("content", LargeBinary),
    Column("stored_at", Instant, nullable=False),
)

submissions = Table(
    "submissions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id")),
    # The order on the board: 1, 2, … without gaps in a competition.
    Column("number", BigInteger, nullable=False),
    # What noise was derived with: the attempt of the instance (the team's, or the board's).
    Column("attempt", BigInteger, nullable=False),
    Column("noise_epoch", Integer, nullable=False),
    # "live", "late" (after the deadline, apart) or "baseline".
    Column("phase", Text, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("scored_at", Instant, nullable=False),
    Column("file_digest", Text, ForeignKey("files.digest"), nullable=False),
    Column("file_name", Text, nullable=False),
    Column("file_size", BigInteger, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("training_score", Double),
    # A keyed hash of the canonical predictions: equal ones of a team are the same submission.
    Column("fingerprint", Text, nullable=False),
    Column("sketch", LargeBinary),
    Column("release", Json, nullable=False),
    Column("scoring_version", Integer, nullable=False),
    Column("accepted", Boolean, nullable=False),
    Column("improved", Boolean, nullable=False),
    Column("board_value", Double),
    Column("picked_at", Instant),
    # What a submitted program has answered: read and scored in the place of its file, which never runs again.
    Column("output_digest", Text, ForeignKey("files.digest")),
    # The item scores that a scorer has made of it, where they are kept.
    Column("scores_digest", Text, ForeignKey("files.digest")),
    UniqueConstraint("team_id", "phase", "fingerprint"),
    UniqueConstraint("competition", "number"),
    Index(None, "team_id", "number"),
    Index(None, "competition", "received_at"),
)

PENDING = "status IN ('received', 'scoring')"

jobs = Table(
    "jobs",
    metadata,
    # A submission that takes longer to score than a request should: received → scoring → scored or failed.
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id")),
    Column("phase", Text, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("file_digest", Text, ForeignKey("files.digest"), nullable=False),
    Column("file_name", Text, nullable=False),
    Column("file_size", BigInteger, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("training_score", Double),
    Column("fingerprint", Text, nullable=False),
    Column("request_key", Text),
    # The day on which it was counted; None: on none.
    Column("quota_day", Text),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False, default=0),
    # When it may be taken: at once, after a pause, or when the lease of whoever has it ends.
    Column("due_at", Instant, nullable=False),
    # The secret of whoever has it; nobody else may record what became of it.
    Column("lease", Text),
    Column("begun_at", Instant),
    Column("finished_at", Instant),
    # Of a program: the log of its run on the sample, and what it answered to the hidden inputs.
    Column("log_digest", Text, ForeignKey("files.digest")),
    Column("output_digest", Text, ForeignKey("files.digest")),
    # The answer to its team once it is scored; why it failed, for its team; and for the organiser alone.
    Column("answer", Json),
    Column("failure", Text),
    Column("report", Text),
    CheckConstraint("status IN ('received', 'scoring', 'scored', 'failed')", name="status"),
    Index("ix_jobs_pending", "team_id", "received_at", sqlite_where=text(PENDING), postgresql_where=text(PENDING)),
    Index(None, "team_id", "begun_at"),
    Index(None, "competition", "received_at"),
)

sketch_bands = Table(
    "sketch_bands",
    metadata,
    # Parts of a submission's sketch, hashed: those that a submission with few other rows shares with it.
    Column("competition", Text, nullable=False),
    Column("hash", BigInteger, nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id"), nullable=False),
    PrimaryKeyConstraint("competition", "hash", "submission_id"),
)

rescored = Table(
    "rescored",
    metadata,
    Column("submission_id", Text, ForeignKey("submissions.id"), nullable=False),
    Column("scoring_version", Integer, nullable=False),
    Column("release", Json, nullable=False),
    PrimaryKeyConstraint("submission_id", "scoring_version"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("body_digest", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("answer", Json, nullable=False),
    Column("stored_at", Instant, nullable=False),
    PrimaryKeyConstraint("team_id", "key"),
    # Answers that cost no attempt, of which a team keeps a few; those that did cost one are not listed twice.
    Index(
        "ix_idempotency_free",
        "team_id",
        "stored_at",
        sqlite_where=text("status = 200"),
        postgresql_where=text("status = 200"),
    ),
)

flags = Table(
    "flags",
    metadata,
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("team_id", Text, ForeignKey("teams.id"), nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id"), nullable=False),
    Column("other_submission_id", Text, ForeignKey("submissions.id")),
    Column("kind", Text, nullable=False),
    Column("detail", Json, nullable=False),
    Column("at", Instant, nullable=False),
    Column("dismissed_at", Instant),
    Index(None, "competition", "at"),
    Index(None, "team_id"),
)

private_results = Table(
    "private_results",
    metadata,
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("scoring_version", Integer, nullable=False),
    Column("computed_at", Instant, nullable=False),
    Column("result", Json, nullable=False),
    PrimaryKeyConstraint("competition", "scoring_version"),
)

# -- the ledger ------------------------------------------------------------------------------------------------------

ledger = Table(
    "ledger",
    metadata,
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("kind", Text, nullable=False),
    # Seen by all. `sealed` is a salted hash of `opening`, which is shown to its team, and to all after the reveal.
    Column("body", Json, nullable=False),
    Column("sealed", Text),
    Column("opening", Json),
    Column("team_id", Text, ForeignKey("teams.id")),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("competition", "seq"),
    Index(None, "team_id", "seq"),
)

announcements = Table(
    "announcements",
    metadata,
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("title", Text, nullable=False),
    # Markdown.
    Column("text", Text, nullable=False),
    Column("posted_at", Instant, nullable=False),
    Index(None, "competition", "id"),
)

# -- people ----------------------------------------------------------------------------------------------------------

accounts = Table(
    "accounts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    # Empty: this account has no password.
    Column("password_hash", Text, nullable=False),
    # "organiser", "participant" or "reader".
    Column("role", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("disabled_at", Instant),
    CheckConstraint("role IN ('organiser', 'participant', 'reader')", name="role"),
)

enrolments = Table(
    "enrolments",
    metadata,
    # What somebody is in a competition: on its staff, or invited to take part.
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("role", Text, nullable=False),
    # For the staff's eyes: who this is, and where to write to; what the invitation said.
    Column("real_name", Text),
    Column("address", Text),
    Column("enrolled_at", Instant, nullable=False),
    PrimaryKeyConstraint("competition", "account_id"),
    CheckConstraint("role IN ('teacher', 'assistant', 'reader', 'participant', 'former')", name="role"),
    Index(None, "account_id"),
)

enrolment_links = Table(
    "enrolment_links",
    metadata,
    # An invitation to a competition: for one person, whose name or address is known, or a link for many.
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug"), nullable=False),
    Column("code_hash", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("real_name", Text),
    Column("address", Text),
    # None: as often as one likes until it expires.
    Column("uses_left", Integer),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    CheckConstraint("role IN ('teacher', 'assistant', 'reader', 'participant')", name="role"),
    Index(None, "competition", "created_at"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
    Index(None, "account_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Index(None, "account_id"),
)

linked_identities = Table(
    "linked_identities",
    metadata,
    # Who signs in to which account through an identity provider.
    Column("id", Text, primary_key=True),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    UniqueConstraint("issuer", "subject"),
    Index(None, "account_id"),
)

newcomers = Table(
    "newcomers",
    metadata,
    # Who came from a provider and has no account yet; deleted when they have chosen, or when their time is over.
    Column("hash", Text, primary_key=True),
    Column("provider", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("address", Text),
    Column("next", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
)

reset_codes = Table(
    "reset_codes",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("accounts.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
)

admissions = Table(
    "admissions",
    metadata,
    # A sign-up code (kind "code", hashed) or a name on the list (kind "name").
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("uses_left", Integer),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("kind", "key"),
)

throttles = Table(
    "throttles",
    metadata,
    Column("key", Text, primary_key=True),
    Column("window_start", Instant, nullable=False),
    Column("count", Integer, nullable=False),
)

# -- outside ---------------------------------------------------------------------------------------------------------

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("competition", Text, ForeignKey("competitions.slug")),
    Column("url", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("events", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("disabled_at", Instant),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("webhook_id", Text, ForeignKey("webhooks.id"), nullable=False),
    Column("event", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("tries", Integer, nullable=False, default=0),
    Column("next_at", Instant),
    Column("delivered_at", Instant),
    Column("last_answer", Text),
    Index(None, "next_at"),
    Index(None, "webhook_id", "created_at"),
)

facts = Table(
    "facts",
    metadata,
    # Single values of this installation: the key that signs cookies, its id.
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
