"""Whatever becomes of the process that reads a Parquet file, the one that asked lives on and says what to do."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, integers

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, parquet, read_predictions
from ladderboard.tabular.parquet.compact import FooterError
from ladderboard.tabular.parquet.footer import Declared, read_footer
from ladderboard.tabular.parquet.reader import MODULE, ParquetReader
from tests.tabular import files
from tests.tabular.parquet_files import (
    BYTE_ARRAY,
    DELTA_BYTE_ARRAY,
    FIXED_LEN_BYTE_ARRAY,
    INT64,
    RLE_DICTIONARY,
    Column,
    repeat,
    varint,
    write_parquet,
)

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
def test_a_reader_that_dies_hangs_or_babbles_does_not_make_a_file_broken(
    script: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "READER", ParquetReader(("-c", script)))
    monkeypatch.setattr("ladderboard.tabular.parquet.reader.SECONDS", seconds)
    with pytest.raises(SubmissionError, match="or was interrupted; send it again, or send a CSV file") as caught:
        read_predictions(GOOD, files.NUMBERS)
    assert set(caught.value.counts) == {"unreadable_parquet"}


def test_a_process_that_cannot_be_started_does_not_make_a_file_broken(
    reader: ParquetReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert reader.read(GOOD, most_rows=10, most_bytes=1000) == ({"word": "ended"}, b"")


def test_too_little_memory_does_not_make_a_file_broken() -> None:
    """As if the limit on the address space, which lies far beyond what a file needs, were near."""
    script = f"import {MODULE} as process\nprocess.MEMORY_BESIDES, process.COPIES = -1 << 20, 0\nprocess.main()"
    reader = ParquetReader(("-c", script))
    large = files.parquet(id=range(100_000), **{f"p{place}": [place / 7] * 100_000 for place in range(50)})
    assert reader.read(large, most_rows=10**6, most_bytes=10**9)[0] == {"word": "ended"}
    reader.close()


def test_nothing_is_written_where_others_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock in a folder of a name known beforehand could be made by another user, as a link to a file of ours."""
    victim, shared = tmp_path / "ladderboard.db", tmp_path / "tmp"
    victim.write_text("everything")
    folder = shared / f"ladderboard-{os.getuid()}"
    folder.mkdir(parents=True)
    for place in range(2):
        (folder / f"parquet-{place}.lock").symlink_to(victim)
    before = sorted(shared.rglob("*"))
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    monkeypatch.setenv("TMPDIR", str(shared))
    own = ParquetReader()
    assert own.read(GOOD, most_rows=10, most_bytes=1000)[0] == {"word": "table"}
    own.close()
    assert victim.read_text() == "everything"
    assert sorted(shared.rglob("*")) == before


def test_one_process_reads_many_files_and_another_follows_one_that_died(reader: ParquetReader) -> None:
    read = partial(reader.read, GOOD, most_rows=10, most_bytes=1000)
    assert read() == read() == ({"word": "table"}, b"id,prediction\n1,0.1\n2,0.2\n3,0.3\n")
    process = reader.child.running
    assert read()[0] == {"word": "table"}
    assert reader.child.running is process
    assert process is not None
    process.end()
    assert read()[0] == {"word": "table"}


ROWS = 100_000
IDS = Column("id", INT64, np.arange(ROWS).astype("<i8").tobytes())
LONG = ["x" * 250_000] * 1000


WIDTH = 10_000
WIDE = Column("prediction", FIXED_LEN_BYTE_ARRAY, repeat(0, ROWS), RLE_DICTIONARY, width=WIDTH, dictionary=b"y" * WIDTH)
RUN = Column("prediction", INT64, repeat(0, 10**9), RLE_DICTIONARY, dictionary=bytes(8))


def lying() -> bytes:
    """A file whose footer says a hundred bytes, and the header of a page the truth."""
    honest = files.parquet(id=[1, 2], prediction=["x" * 150_000_000, "y"])
    return _with_number(honest, _size_of(read_footer(honest).bytes, honest), 100)


BOMBS: dict[str, Callable[[], bytes]] = {
    "many columns": lambda: files.parquet(id=range(ROWS), **{f"p{column}": [0.5] * ROWS for column in range(50)}),
    "equal texts": lambda: files.parquet(id=range(1000), prediction=LONG),
    "26 texts": lambda: files.parquet(id=range(1000), prediction=[chr(97 + row % 26) + LONG[0] for row in range(1000)]),
    "categories": lambda: files.parquet(id=range(1000), prediction=pl.Series(LONG, dtype=pl.Categorical)),
    "a footer that lies": lying,
    "wide values": lambda: write_parquet(ROWS, [IDS, WIDE]),
    "a page that says more": lambda: write_parquet(ROWS, [IDS, replace(RUN, declared={"page_values": 10**9})]),
    "a footer that says more": lambda: write_parquet(ROWS, [IDS, replace(RUN, declared={"values": 10**9})]),
}
"""Each of these would take hundreds of megabytes once it is unpacked."""


@pytest.mark.parametrize("name", BOMBS)
def test_what_a_file_declares_is_looked_at_before_it_is_unpacked(reader: ParquetReader, name: str) -> None:
    bomb = BOMBS[name]()
    assert len(bomb) < 1_000_000
    reader.read(GOOD, most_rows=10, most_bytes=1000)
    before = _peak_megabytes(reader)
    ending, text = reader.read(bomb, most_rows=2 * ROWS, most_bytes=30_000_000)
    assert (ending, len(text) < 100_000) == ({"word": "large"}, True)
    assert _peak_megabytes(reader) - before < 60


def test_what_a_file_declares_is_what_it_unpacks_to() -> None:
    """The files above are refused for what they say, not because they could not be read."""
    rows, width = 100, 50
    wide = replace(WIDE, content=repeat(0, rows), width=width, dictionary=b"y" * width)
    small = write_parquet(rows, [replace(IDS, content=IDS.content[: 8 * rows]), wide])
    assert pl.read_parquet(BytesIO(small))["prediction"].to_list() == [b"y" * width] * rows
    assert rows * (8 + width) <= read_footer(small).bytes <= rows * (8 + width) + 100


def test_an_encoding_that_hides_how_much_it_holds_is_refused_by_its_name() -> None:
    hidden = write_parquet(ROWS, [IDS, Column("prediction", BYTE_ARRAY, b"", DELTA_BYTE_ARRAY)])
    with pytest.raises(SubmissionError, match=r"DELTA_BYTE_ARRAY.*write it with the default encodings") as caught:
        read_predictions(hidden, files.a_format([str(one) for one in range(ROWS)]))
    assert set(caught.value.counts) == {"unsupported_file"}


def test_pages_are_counted_only_so_far(reader: ParquetReader) -> None:
    """A file of nothing but headers would keep whoever reads them busy."""
    few, many = (Column("id", INT64, b"", pages=pages, declared={"page_values": 0}) for pages in (10, 60_000))
    read = partial(reader.read, most_rows=10, most_bytes=1000)
    assert read(write_parquet(0, [few]))[0] == {"word": "table"}
    assert read(write_parquet(0, [many]))[0] == {"word": "broken"}


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


@pytest.mark.parametrize(("first", "again"), [(3, 5), (3, 590_000), (580_000, 590_000)])
def test_a_repeated_id_is_told_with_both_of_its_rows(first: int, again: int) -> None:
    rows = 600_000
    ids = np.arange(rows)
    ids[again - 1] = ids[first - 1]
    content = BytesIO()
    pl.DataFrame({"id": ids, "prediction": np.zeros(rows)}).write_parquet(content)
    with pytest.raises(SubmissionError) as caught:
        read_predictions(content.getvalue(), SubmissionFormat("id", np.arange(rows), ("prediction",), "numbers"))
    assert f"row {again}: id {first - 1} appears twice (first on row {first})" in map(str, caught.value.problems)


def test_parquet_without_polars_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"import sys; sys.modules['polars'] = None\nfrom {MODULE} import main; main()"
    monkeypatch.setattr(parquet, "READER", ParquetReader(("-c", script)))
    with pytest.raises(SubmissionError, match="needs polars: pip install"):
        read_predictions(GOOD, files.NUMBERS)


def _peak_megabytes(reader: ParquetReader) -> float:
    assert reader.child.running is not None
    status = Path(f"/proc/{reader.child.running.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000


def _size_of(declared: int, file: bytes) -> int:
    """The size of the long column, which is nearly all that is declared, as its footer has it."""
    sizes = [size for size in range(declared - 200, declared) if varint(2 * size) in file[-1000:]]
    assert len(sizes) == 1
    return sizes[0]


def _with_number(file: bytes, number: int, other: int) -> bytes:
    """The file with another number in its footer, written in as many bytes."""
    old, new = varint(2 * number), varint(2 * other)
    padded = bytes([*(byte | 128 for byte in new), *[128] * (len(old) - len(new) - 1), 0])
    return file[:-1000] + file[-1000:].replace(old, padded)
