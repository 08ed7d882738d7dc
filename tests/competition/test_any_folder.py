"""Whatever a folder holds, it is inspected to the end: findings, never an exception."""

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.competition import Inspection, inspect_folder
from tests.competition.folders import solution_csv, write_folder
from tests.competition.rules.test_rules_file import EVERY_KEY

VALUES = [
    "0",
    "-1",
    "1e999",
    "nan",
    "true",
    '""',
    '"none"',
    "[]",
    "[1, 2]",
    "{}",
    "2027-01-01",
    "07:30:00",
    "'x'",
    "=",
    "9" * 30,
]
CELLS = ["", "nan", "1e400", "-0", "007", "Public", '"', ";", "\x00", "é", "1,5", " 3 ", "9" * 40]


def inspected(toml: str | bytes, solution: str | bytes) -> Inspection:
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder), "", solution)
        (Path(folder) / "competition.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
        found = inspect_folder(Path(folder))
    assert found.competition is not None or any(not finding.is_warning for finding in found.findings)
    return found


@given(toml=st.binary(max_size=200), solution=st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_inspected(toml: bytes, solution: bytes) -> None:
    assert inspected(toml, solution).competition is None
    inspected(EVERY_KEY, solution)


@pytest.mark.parametrize("seed", range(60))
def test_spoilt_values_are_inspected(seed: int) -> None:
    rng = random.Random(seed)
    lines = EVERY_KEY.splitlines()
    for place in rng.sample([i for i, line in enumerate(lines) if "=" in line], 2):
        lines[place] = f"{lines[place].split('=')[0]}= {rng.choice(VALUES)}"
    inspected("\n".join(lines), solution_csv(60))


@pytest.mark.parametrize("seed", range(60))
def test_spoilt_cells_are_inspected(seed: int) -> None:
    rng = random.Random(seed)
    rows = [line.split(",") for line in solution_csv(60).splitlines()]
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        row[rng.randrange(3)] = rng.choice(CELLS)
    metric = rng.choice(["accuracy", "auc", "rmse", "rmsle", "log_loss", "spearman", "quadratic_kappa"])
    inspected(f"title = 'W'\nslug = 'w'\nmetric = '{metric}'\n", "\n".join(",".join(row) for row in rows))
