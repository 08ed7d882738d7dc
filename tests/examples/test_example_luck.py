"""The example behind the table of docs/theory/multiplicity.md is run at a small size: examples/luck_of_the_best.py."""

import re
import subprocess
import sys

from tests.shared_data import ROOT


def test_the_table_has_a_row_for_each_kind_of_board_and_shows_the_luck_of_equal_systems() -> None:
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "luck_of_the_best.py"), "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    heading, *rows = done.stdout.splitlines()
    assert heading.split() == ["board", "observed", "corrected", "cropped", "shrunk", "James-Stein"]
    assert len(rows) == 8
    observed, corrected, cropped, _, _ = map(float, re.findall(r"([+-]\d\.\d\d) \(", rows[0]))
    assert rows[0].startswith("all equal")
    assert observed > max(0.0, corrected, cropped)  # two seeded boards of fifty equal systems
