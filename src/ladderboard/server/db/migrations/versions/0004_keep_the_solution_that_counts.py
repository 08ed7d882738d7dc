"""Competitions keep the solution that counts, as a file; folders may change, lag behind or be read-only."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, empty: the next start with the folder that is being served fills it."""
    op.add_column("competitions", sa.Column("solution_file", sa.Text(), nullable=True))
