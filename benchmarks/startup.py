"""How long it takes until something happens: imports and the command line, against what they stand on."""

import subprocess
import sys
from pathlib import Path

from benchmarks.row import Row, compare

ROUNDS = 15


def run() -> list[Row]:
    """All rows; every timing is a fresh Python process."""
    command = str(Path(sys.executable).with_name("ladderboard"))
    return [
        _row("import ladderboard, against numpy", _python("import ladderboard"), _python("import numpy"), 2.0),
        _row("ladderboard --help, against importing click", [command, "--help"], _python("import click"), 2.0),
    ]


def _row(what: str, ours: list[str], floor: list[str], target: float) -> Row:
    return compare(what, lambda _: _finish(ours), lambda _: _finish(floor), target=target, rounds=ROUNDS)


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _finish(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
