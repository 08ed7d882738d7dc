"""Text without its wrappings: each cell as the csv module and `plain` find it, or no answer."""

import csv
import random
from collections.abc import Iterator
from itertools import product

import pytest

from ladderboard.tabular.bare_text import make_bare
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
    found = 0
    for text in _texts(delimiter):
        bare = make_bare(text.encode(), ord(delimiter), of_numbers=of_numbers, find_decimal_commas=lambda: True)
        if bare is None:
            continue
        lines = bare.decode().split("\n")[:-1]
        assert len(lines) == len(text.splitlines()), text
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True))
        given = [[_plain(cell, delimiter) for cell in row] if of_numbers else row for row in rows]
        read = [line.split(delimiter) for line in lines]
        assert [row or [""] for row in given] == read, text
        found += '"' in text
    assert found > 100


def _plain(cell: str, delimiter: str) -> str:
    return plain(cell).replace(",", "." if delimiter != "," else ",")


@pytest.mark.parametrize(
    "text",
    ['"1" ;2\n', '1;"2;3"\n', '1;"2\n"\n', '1;"2""3"\n', '1;2"\n', "1 2;3\n", "1;,5\n", "1;5,\n", "1;-,5\n"],
)  # fmt: skip
def test_what_is_not_simple_is_left_alone(text: str) -> None:
    assert make_bare(text.encode(), ord(";"), of_numbers=True, find_decimal_commas=lambda: True) is None


def test_a_comma_is_a_decimal_one_only_where_the_file_says_so() -> None:
    assert make_bare(b"1;2,5\n", ord(";"), of_numbers=True, find_decimal_commas=lambda: False) is None
    assert make_bare(b"a,b;2,5\n", ord(";"), of_numbers=False, find_decimal_commas=lambda: True) == b"a,b;2,5\n"


def test_a_quoted_cell_that_is_too_long_for_the_csv_module_is_left_to_it() -> None:
    def read(length: int) -> bytes | None:
        text = b'1,"' + b"0" * length + b'"\n'
        return make_bare(text, ord(","), of_numbers=True, find_decimal_commas=lambda: False)

    assert read(csv.field_size_limit()) is not None
    assert read(csv.field_size_limit() + 1) is None
