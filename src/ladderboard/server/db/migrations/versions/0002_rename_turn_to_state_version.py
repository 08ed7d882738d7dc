"""The column `turn` of instances is called `state_version`: it counts the changes of the state beside it."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rename the column in place, which both databases can."""
    op.execute("ALTER TABLE instances RENAME COLUMN turn TO state_version")
