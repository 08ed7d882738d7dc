"""The laboratory: what a second worker brings."""

import shutil
import tempfile
from pathlib import Path

from benchmarks.row import Row, compare
from ladderboard_lab.arena.arena import Plan, run_arena

PLAN = Plan(
    n=1000,
    k=1500,
    repetitions=4,
    stream_repetitions=1,
    stream_length=20,
    mechanisms=("parameter_free", "spending", "witness"),
    attacks=("boosting", "best_of_n", "ladder_aware_boosting"),
    streams=("nested",),
)
"""Three dozen cells of about equal length; the pool's processes are started in the round that is not counted."""


def run() -> list[Row]:
    """An arena with two workers against the same with one."""
    return [
        compare(
            "arena with two workers, against one",
            lambda _: _fight(workers=2),
            lambda _: _fight(workers=1),
            target=1 / 1.7,
            rounds=2,
        )
    ]


def _fight(*, workers: int) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        run_arena(PLAN, folder, workers=workers, quiet=True)
    finally:
        shutil.rmtree(folder)
