"""Whatever becomes of the process that reads a Parquet file, the one that asked lives on and says what to do."""

from dataclasses import replace
from pathlib import Path

import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import parquet, read_predictions
from tests.tabular import files

GOOD = files.parquet(id=[1, 2, 3], prediction=[0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("script", "seconds"),
    [
        ("import os; os.abort()", 30.0),
        ("import sys; sys.stdin.buffer.read(); print('table'); sys.exit(1)", 30.0),
        ("import time; time.sleep(60)", 0.2),
        ("print('nonsense')", 30.0),
    ],
    ids=["abort", "failure", "no answer", "nonsense"],
)
def test_a_reader_that_dies_hangs_or_babbles_means_a_broken_file(
    script: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(script)
    monkeypatch.setattr(parquet, "CHILD", child)
    monkeypatch.setattr(parquet, "SECONDS", seconds)
    with pytest.raises(SubmissionError, match="the Parquet file is broken"):
        read_predictions(GOOD, files.NUMBERS)


def test_a_table_that_is_small_only_while_it_is_packed_is_refused() -> None:
    packed = files.parquet(id=[str(one) for one in range(10_000)], prediction=["x" * 1000] * 10_000)
    assert len(packed) < 100_000
    with pytest.raises(SubmissionError) as caught:
        read_predictions(packed, replace(files.NUMBERS, max_unpacked_bytes=1_000_000))
    assert set(caught.value.counts) == {"unpacks_too_large"}


def test_parquet_without_polars_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("import sys; sys.modules['polars'] = None\n" + parquet.CHILD.read_text())
    monkeypatch.setattr(parquet, "CHILD", child)
    with pytest.raises(SubmissionError, match="needs polars: pip install"):
        read_predictions(GOOD, files.NUMBERS)
