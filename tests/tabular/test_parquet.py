"""Whatever becomes of the process that reads a Parquet file, the one that asked lives on and says what to do."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, integers

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import parquet, read_predictions
from ladderboard.tabular.parquet.footer import Declared, FooterError, read_footer
from ladderboard.tabular.parquet.reader import MODULE, ParquetReader
from tests.tabular import files

GOOD = files.parquet(id=[1, 2, 3], prediction=[0.1, 0.2, 0.3])


@pytest.fixture
def reader() -> Iterator[ParquetReader]:
    """A reader of its own, so that its process can be looked at."""
    own = ParquetReader()
    yield own
    own.close()


@pytest.mark.parametrize(
    ("script", "seconds"),
    [
        ("import os; os.abort()", 30.0),
        ("import time; time.sleep(60)", 0.2),
        ("print('nonsense')", 30.0),
        ("import sys; sys.stdout.buffer.write(bytes([255] * 8))", 30.0),
    ],
    ids=["abort", "no answer", "nonsense", "too much"],
)
def test_a_reader_that_dies_hangs_or_babbles_means_a_broken_file(
    script: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "READER", ParquetReader((sys.executable, "-c", script)))
    monkeypatch.setattr("ladderboard.tabular.parquet.reader.SECONDS", seconds)
    with pytest.raises(SubmissionError, match="the Parquet file is broken"):
        read_predictions(GOOD, files.NUMBERS)


def test_one_process_reads_many_files_and_another_follows_one_that_died(reader: ParquetReader) -> None:
    read = partial(reader.read, GOOD, most_rows=10, most_bytes=1000)
    assert read() == read() == ({"word": "table"}, b"id,prediction\n1,0.1\n2,0.2\n3,0.3\n")
    process = reader._child
    assert read()[0] == {"word": "table"}
    assert reader._child is process
    assert process is not None
    process.kill()
    process.wait()
    assert read()[0] == {"word": "table"}


def test_what_a_file_declares_is_looked_at_before_it_is_unpacked(reader: ParquetReader) -> None:
    """Each of these would take hundreds of megabytes once it is unpacked; none of that is ever held."""
    rows = 100_000
    bombs = [
        files.parquet(id=range(rows), **{f"p{column}": [0.5] * rows for column in range(50)}),
        files.parquet(id=range(1000), prediction=["x" * 250_000] * 1000),
        files.parquet(id=range(1000), prediction=[chr(97 + row % 26) + "x" * 250_000 for row in range(1000)]),
    ]
    reader.read(GOOD, most_rows=10, most_bytes=1000)
    before = _peak_megabytes(reader)
    for bomb in bombs:
        assert len(bomb) < 1_000_000
        ending, text = reader.read(bomb, most_rows=2 * rows, most_bytes=30_000_000)
        assert (ending, len(text) < 100_000) == ({"word": "large"}, True)
    assert _peak_megabytes(reader) - before < 60


def test_a_file_that_lies_about_its_size_ends_at_the_limit_of_memory(reader: ParquetReader) -> None:
    honest = files.parquet(id=[1, 2], prediction=["x" * 150_000_000, "y"])
    declared = read_footer(honest).bytes
    lying = _with_number(honest, _size_of(declared, honest), 100)
    assert read_footer(lying).bytes < 1000
    assert reader.read(lying, most_rows=10, most_bytes=1_000_000) in (({}, b""), ({"word": "broken"}, b""))
    assert reader.read(GOOD, most_rows=10, most_bytes=1000)[0] == {"word": "table"}


def test_a_good_file_is_read_whatever_was_read_before_it(reader: ParquetReader) -> None:
    """What earlier files leave reserved is none of its own memory, which is little where many cells are alike."""
    numbers = np.random.default_rng(0).random((200, 10_000))
    large = files.parquet(id=range(10_000), **{f"p{place}": column for place, column in enumerate(numbers)})
    alike = files.parquet(id=range(28_000), prediction=["x" * 1000] * 28_000)
    read = partial(reader.read, most_rows=10**6, most_bytes=10**9)
    assert [read(each)[0] for each in (large, large, alike)] == [{"word": "table"}] * 3


@settings(max_examples=200, deadline=None)
@given(data())
def test_a_damaged_footer_is_read_or_refused_and_never_breaks_its_reader(draw: DataObject) -> None:
    place = draw.draw(integers(0, len(GOOD) - 1))
    damaged = GOOD[:place] + bytes([draw.draw(integers(0, 255))]) + GOOD[place + 1 :]
    with suppress(FooterError):
        assert isinstance(read_footer(damaged), Declared)


def test_a_table_that_is_small_only_while_it_is_packed_is_refused() -> None:
    packed = files.parquet(id=[str(one) for one in range(10_000)], prediction=["x" * 1000] * 10_000)
    assert len(packed) < 100_000
    with pytest.raises(SubmissionError) as caught:
        read_predictions(packed, replace(files.NUMBERS, max_unpacked_bytes=1_000_000))
    assert set(caught.value.counts) == {"unpacks_too_large"}


def test_parquet_without_polars_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"import sys; sys.modules['polars'] = None\nfrom {MODULE} import main; main()"
    monkeypatch.setattr(parquet, "READER", ParquetReader((sys.executable, "-c", script)))
    with pytest.raises(SubmissionError, match="needs polars: pip install"):
        read_predictions(GOOD, files.NUMBERS)


def _peak_megabytes(reader: ParquetReader) -> float:
    assert reader._child is not None
    status = Path(f"/proc/{reader._child.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000


def _size_of(declared: int, file: bytes) -> int:
    """The size of the long column, which is nearly all that is declared, as its footer has it."""
    sizes = [size for size in range(declared - 200, declared) if _varint(2 * size) in file[-1000:]]
    assert len(sizes) == 1
    return sizes[0]


def _with_number(file: bytes, number: int, other: int) -> bytes:
    """The file with another number in its footer, written in as many bytes."""
    old, new = _varint(2 * number), _varint(2 * other)
    padded = bytes([*(byte | 128 for byte in new), *[128] * (len(old) - len(new) - 1), 0])
    return file[:-1000] + file[-1000:].replace(old, padded)


def _varint(number: int) -> bytes:
    groups = []
    while True:
        groups.append(number & 127)
        number >>= 7
        if not number:
            return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])
