"""examples/submit_over_http.py is run against a real server, as a user runs it."""

import shutil
import subprocess
import sys
from pathlib import Path

from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition
from tests.web.servers import a_host, serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "submit_over_http.py"


def test_the_example_takes_part_and_is_told_the_truth(prepared_sqlite: Path, tmp_path: Path) -> None:
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    with serving(a_host(database, tmp_path, a_competition(metric="auc"))) as server:
        command = [sys.executable, "-W", "error", str(EXAMPLE), server.url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    database.close()
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("refused before it was sent: line 1: ")
    for number, line in enumerate(lines[1:4], start=1):
        assert line.startswith(f"attempt {number}: No change: Your score stays 0.500 (the baseline).")
    assert lines[4] == "rank 1 of 1"
