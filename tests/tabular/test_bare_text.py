"""Text without its wrappings: each cell as the csv module and `plain` find it, or no answer."""

import csv
import random
from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from ladderboard.tabular.bare_text import BareText, make_bare
from ladderboard.tabular.text_cells import plain

LETTERS = '", \n1'
PARTS = ['"', ";", "\n", "\r\n", "\r", " ", "1", "2,5", '"1"', ' "1"', '"1" ', ' "2,5"', " 1 ;", '"2,5";', "a", "  "]


def _texts(delimiter: str) -> Iterator[str]:
    """All short ones of these letters, and some longer ones in which wrapped cells are frequent."""
    for length in range(1, 7):
        yield from ("".join(each).replace(",", delimiter) for each in product(LETTERS, repeat=length))
    chance = random.Random(1)
    for _ in range(5000):
        text = "".join(chance.choices(PARTS, k=chance.randrange(2, 9)))
        yield text if delimiter == ";" else text.replace(",", ".").replace(";", delimiter)


@pytest.mark.parametrize("of_numbers", [True, False])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
def test_cells_are_those_of_the_csv_module(delimiter: str, of_numbers: bool) -> None:
    found: Counter[str] = Counter()
    for text in _texts(delimiter):
        bare = make_bare(text.encode(), ord(delimiter), of_numbers=of_numbers, find_decimal_commas=lambda: True)
        if bare is None:
            continue
        read = [line.split(delimiter) for line in bare.text.decode().split("\n")[:-1]]
        starts = range(len(read)) if bare.starts is None else bare.starts.tolist()
        rows, blank = _read_by_csv(text, delimiter, strips=of_numbers and delimiter != " ")
        given = [(start, [_plain(cell, delimiter) for cell in row] if of_numbers else row) for start, row in rows]
        assert list(zip(starts, read, strict=True)) == given, text
        assert (len(read) if bare.starts is None else bare.lines, bare.blank) == (len(text.splitlines()), blank), text
        found.update({'"': '"' in text, "blank": bare.blank, "lines": bare.lines > len(read) + bare.blank})
    assert min(found['"'], found["blank"]) > 100
    assert (found["lines"] > 100) == (of_numbers and delimiter != " ")


def _read_by_csv(text: str, delimiter: str, *, strips: bool) -> tuple[list[tuple[int, list[str]]], int]:
    """The rows with the lines on which they start, and how many blank ones there are beside them."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    rows, start = [], 0
    for row in reader:
        rows.append((start, row))
        start = reader.line_num
    found = [(start, row) for start, row in rows if len(row) > 1 or "".join(row).strip(None if strips else "")]
    return found, len(rows) - len(found)


def _plain(cell: str, delimiter: str) -> str:
    return plain(cell).replace(",", "." if delimiter != "," else ",")


@pytest.mark.parametrize(
    "text",
    ['"1" ;2\n', '1;"2;3"\n',
     '1; "2\n"\n', '1;"2\n3"\n', '1;"2""3"\n', '1;2"\n', "1 2;3\n", "1;,5\n", "1;5,\n", "1;-,5\n"],
)  # fmt: skip
def test_what_is_not_simple_is_left_alone(text: str) -> None:
    assert make_bare(text.encode(), ord(";"), of_numbers=True, find_decimal_commas=lambda: True) is None


def test_columns_of_one_width_are_simple() -> None:
    bare = make_bare(
        b"   1;    2.5   \n  10;   12.5\n   \n", ord(";"), of_numbers=True, find_decimal_commas=lambda: False
    )
    assert bare is not None
    assert bare.text == b"1;2.5\n10;12.5\n"


def test_a_comma_is_a_decimal_one_only_where_the_file_says_so() -> None:
    assert make_bare(b"1;2,5\n", ord(";"), of_numbers=True, find_decimal_commas=lambda: False) is None
    bare = make_bare(b"a,b;2,5\n", ord(";"), of_numbers=False, find_decimal_commas=lambda: True)
    assert bare is not None
    assert bare.text == b"a,b;2,5\n"


def test_a_quoted_cell_that_is_too_long_for_the_csv_module_is_left_to_it() -> None:
    def read(length: int) -> BareText | None:
        text = b'1,"' + b"0" * length + b'"\n'
        return make_bare(text, ord(","), of_numbers=True, find_decimal_commas=lambda: False)

    assert read(csv.field_size_limit()) is not None
    assert read(csv.field_size_limit() + 1) is None
