"""Reading a submission against bare `polars.read_csv` of the same bytes, and the memory it takes.

Processor time: polars alone divides a file between all cores, while a server lets each reader have one.
"""

import io
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.row import Row, compare
from ladderboard.tabular import SubmissionFormat, read_predictions, sample_submission

ROWS = 1_000_000
ROUNDS = 12
MEMORY_LIMIT_MB = 150
"""What a whole upload may take, from request to release; reading it is a part of that."""

Array = npt.NDArray[Any]

MEASURED_IN_A_PROCESS_OF_ITS_OWN = """
import sys, numpy as np
from ladderboard.tabular import SubmissionFormat, read_predictions
def kilobytes(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
ids = np.load(sys.argv[2])
format = SubmissionFormat("id", ids, ("prediction",), "numbers")
small = SubmissionFormat("id", ids[:2], ("prediction",), "numbers")
for _ in range(20):  # what polars and its threads take once and for all belongs to the idle server
    read_predictions("id,prediction\\n{},1\\n{},2\\n".format(*ids[:2]).encode(), small)
idle = kilobytes("VmRSS")
read_predictions(open(sys.argv[1], "rb").read(), format)
print((kilobytes("VmHWM") - idle) / 1024)
"""


def run() -> list[Row]:
    """All rows; every file is valid, since a broken one costs nobody an attempt and may take its time."""
    rng = np.random.default_rng(0)
    whole = np.arange(ROWS)
    sparse = rng.choice(10**12, ROWS, replace=False)
    text = np.array([f"patient_{one:07d}" for one in range(ROWS)])
    return [
        in_order_row("1,000,000 rows in order, integer ids", whole, rng, target=1.3),
        in_order_row("1,000,000 rows in order, text ids", text, rng, target=1.5),
        shuffled_row("1,000,000 rows shuffled, integer ids 0 to n − 1", whole, rng),
        shuffled_row("1,000,000 rows shuffled, integer ids of 12 digits", sparse, rng),
        shuffled_row("1,000,000 rows shuffled, text ids", text, rng),
        small_row(rng),
        memory_row("in order, integer ids", whole, rng, shuffled=False, target=0.5),
        memory_row("shuffled, text ids", text, rng, shuffled=True, target=0.9),
    ]


def in_order_row(what: str, ids: Array, rng: np.random.Generator, *, target: float) -> Row:
    """Reading with all checks against reading alone."""
    return _row(f"read_predictions, {what}", ids, _table(ids, rng.random(ROWS)), target=target, rounds=ROUNDS)


def shuffled_row(what: str, ids: Array, rng: np.random.Generator) -> Row:
    """The same where every row has to be brought to its place, by one plain sort of the ids."""
    order = rng.permutation(ROWS)
    return _row(f"read_predictions, {what}", ids, _table(ids[order], rng.random(ROWS)), target=5.0, rounds=ROUNDS)


def small_row(rng: np.random.Generator) -> Row:
    """A thousand rows: what a submission costs before its size matters."""
    ids = np.arange(1000)
    return _row("read_predictions, 1,000 rows", ids, _table(ids, rng.random(1000)), target=1.5, rounds=300)


def memory_row(what: str, ids: Array, rng: np.random.Generator, *, shuffled: bool, target: float) -> Row:
    """The peak above idle of a process that reads one file, its bytes included."""
    order = rng.permutation(ROWS) if shuffled else slice(None)
    with TemporaryDirectory() as folder:
        table, wanted = Path(folder) / "table.csv", Path(folder) / "ids.npy"
        table.write_bytes(_table(ids[order], rng.random(ROWS)))
        np.save(wanted, ids)
        command = [sys.executable, "-c", MEASURED_IN_A_PROCESS_OF_ITS_OWN, str(table), str(wanted)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    what = f"read_predictions, peak memory above idle, 1,000,000 rows {what}"
    return Row(what, float(said), MEMORY_LIMIT_MB, target, unit="MB")


def _row(what: str, ids: Array, data: bytes, *, target: float, rounds: int) -> Row:
    format = SubmissionFormat("id", ids, ("prediction",), "numbers")  # noqa: A001 (as the library calls it)
    read_predictions(sample_submission(format), format)  # the index is made once for all submissions
    return compare(
        f"{what}, processor time",
        lambda _: read_predictions(data, format),
        lambda _: pl.read_csv(data),
        target=target,
        rounds=rounds,
        clock=time.process_time,
    )


def _table(ids: Array, values: Array) -> bytes:
    written = io.BytesIO()
    pl.DataFrame({"id": ids, "prediction": values.round(6)}).write_csv(written)
    return written.getvalue()
