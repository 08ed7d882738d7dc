"""Blocks of lines cut into cells: each row as the csv module cuts it."""

import random
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from ladderboard.tabular import blocks, lines
from ladderboard.tabular.blocks import Block
from ladderboard.tabular.divided_rows import CsvRow, DividedRows, divide_rows
from ladderboard.tabular.lines import Lines
from ladderboard.tabular.marks import Marks
from ladderboard.tabular.problems import MANY_PROBLEMS, Problems
from tests.tabular.by_csv import divide_by_csv

LETTERS = '",\n\ra'


def _texts() -> Iterator[str]:
    """All short ones of these letters, and some longer ones, in which pairs of quotation marks are frequent."""
    for length in range(1, 5):
        yield from map("".join, product(LETTERS, repeat=length))
    chance = random.Random(1)
    for _ in range(700):
        yield "".join(chance.choices(['"', ",", "\n", "\r\n", "a", '""', '"a"', ',"', '",', 'a,"'], k=20))


@pytest.mark.parametrize("delimiter", [",", "§"])
def test_quotation_marks_mean_what_they_mean_to_the_csv_module(delimiter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in _texts():
        data = text.replace(",", delimiter).encode()
        with monkeypatch.context() as patched:
            patched.setattr(blocks, "divide_rows", divide_by_csv)
            expected = _read(data, delimiter)
        assert _read(data, delimiter) == expected, data
        with monkeypatch.context() as patched:
            patched.setattr(lines, "LONGEST_LINE", 1 + max(map(len, data.splitlines(keepends=True))))
            assert _read(data, delimiter) == expected, data


def _read(data: bytes, delimiter: str) -> list[str]:
    """All that is found in a text: whole rows, odd ones, blank lines, and why it ends early."""
    given = Lines(iter([data]), Problems())
    found: list[object] = []
    for text in iter(given.read_block, b""):
        block = blocks.read_block(text, given, delimiter, width=2, id_at=1)
        found += [*_rows(block), *block.odd, *block.blank.tolist()]
        if block.end is not None:
            return sorted([*map(str, found), str(block.end)])
    return sorted([*map(str, found), f"{given.number} lines"])


def _rows(block: Block) -> Iterator[tuple[object, ...]]:
    return zip(block.lines.tolist(), *map(list, block.columns), strict=True)


def test_rows_are_in_the_order_of_the_file_however_they_were_read() -> None:
    given = Lines(iter([b'1,a\n2,"b"\n3,b"c\n4,"d\ne"\n5,f\n6,g"\n7,h\n']), Problems())
    block = blocks.read_block(given.read_block(), given, ",", width=2)
    assert list(_rows(block)) == [
        (1, "1", "a"), (2, "2", "b"), (3, "3", 'b"c'), (4, "4", "d\ne"), (6, "5", "f"), (7, "6", 'g"'), (8, "7", "h"),
    ]  # fmt: skip


@pytest.fixture
def read_by_csv(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines of the rows that the csv module reads, from 0."""
    found: list[int] = []

    def note(marks: Marks, read_row: Callable[[int], CsvRow]) -> DividedRows:
        def note_row(line: int) -> CsvRow:
            found.append(line)
            return read_row(line)

        return divide_rows(marks, note_row)

    monkeypatch.setattr(blocks, "divide_rows", note)
    return found


def test_the_csv_module_reads_only_the_rows_with_wrong_quotation_marks(read_by_csv: list[int]) -> None:
    rows = [f'{one}, "x"\n' if one % 2 else f'"{one}","a ""b"", c"\n' for one in range(300)]
    rows[100], rows[200] = '100,"a"b\n', '3" pipe,d\n'
    given = Lines(iter(["".join(rows).encode()]), Problems())
    block = blocks.read_block(given.read_block(), given, ",", width=2)
    assert read_by_csv == [100]
    assert [row.line for row in block.odd] == [101]
    assert len(block.lines) == 299


def test_after_very_many_wrong_rows_no_more_are_read(read_by_csv: list[int]) -> None:
    given = Lines(iter([b'1,"a"b\n' * 5000]), Problems())
    block = blocks.read_block(given.read_block(), given, ",", width=2)
    assert MANY_PROBLEMS < len(block.odd) == len(read_by_csv) < MANY_PROBLEMS + 10
