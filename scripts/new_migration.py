"""Write the next step of the database: what `schema` has beyond the steps so far. Read it before you commit it.

python -m scripts.new_migration "Keep the time of the last visit"
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from alembic import command
from alembic.autogenerate.api import AutogenContext
from alembic.script import Script

from ladderboard.server.db.columns import Instant, Json
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import HERE, configuration, upgrade


def main(message: str) -> None:
    """Compare `schema` with a database at the newest step, and write the difference."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/now.db")
        steps = sorted((HERE / "versions").glob("[0-9]*.py"))
        if steps:
            upgrade(database)
        with database.transaction() as connection:
            config = configuration(connection)
            config.attributes["render_item"] = render_item
            made = command.revision(config, message, autogenerate=True, rev_id=f"{len(steps) + 1:04}")
        database.close()
    assert isinstance(made, Script)
    path = Path(made.path)
    path.write_text(re.sub(r"\n +# (###|commands).*", "", path.read_text()))
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", path], check=True)
    print(f"{path}: read it, correct it, and test it with data")


def render_item(kind: str, item: Any, _context: AutogenContext) -> str | Literal[False]:
    """Spell our own types as what the database keeps: a step stays as it is when they change."""
    if kind == "type" and isinstance(item, (Instant, Json)):
        return f"sa.{type(item.impl).__name__}()"
    return False


if __name__ == "__main__":
    main(sys.argv[1])
