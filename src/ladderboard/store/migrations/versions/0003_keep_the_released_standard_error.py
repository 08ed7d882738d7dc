"""Teams keep the standard error that was released with their number; earlier releases had none."""

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
