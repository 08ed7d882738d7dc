"""Tables of any columns: the same from every wrapping, what a column is taken for, and what could be misread."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.tabular import Table, UnreadableTableError, blocks, read_table
from ladderboard.tabular.delimiters import DelimiterError, find_delimiter
from ladderboard.tabular.table import locate_error
from tests.tabular.by_csv import divide_by_csv
from tests.tabular.files import a_format
from tests.tabular.fuzz import fuzzed_files
from tests.tabular.wrappings import WAYS, wrapped

TABLE = pl.DataFrame(
    {
        "id": ["7", "b c", "é"],
        "n": [0.5, None, -1.25],
        "whole": [1, 2, 3],
        "word": ["a", "b", None],
    }
)


@pytest.mark.parametrize("way", ["commas", *WAYS])
def test_a_table_is_the_same_in_every_wrapping(way: str) -> None:
    table = read_table(wrapped(TABLE, way), name="t.csv")
    assert table.columns == ("id", "n", "whole", "word")
    assert table.names("id") == ["7", "b c", "é"]
    np.testing.assert_array_equal(table.numbers("n"), [0.5, np.nan, -1.25])
    assert table.values("whole").tolist() == [1, 2, 3]
    assert table.values("whole").dtype.kind == "i"
    assert table.values("word").tolist() == ["a", "b", None]
    assert table.place(2) == {"parquet": "row 3", "blank lines": "line 8"}.get(way, "line 4")


def test_a_line_is_counted_as_an_editor_counts_it() -> None:
    table = read_table(b'id,x\n"two\nlines",1\n\n3,4\n')
    assert [table.line(row) for row in range(len(table))] == [2, 5]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2"], [1, -2]),
        (["007", "1.0"], [7.0, 1.0]),
        (["1", ""], [1.0, np.nan]),
        (["nan", "2"], [np.nan, 2.0]),
        (["True", "false"], [True, False]),
        (["yes", "1"], ["yes", "1"]),
        (["NA", "x"], ["NA", "x"]),
    ],
)
def test_a_column_is_what_all_of_its_cells_are(cells: list[str], values: list[object]) -> None:
    found = read_table("\n".join(["id,x", *(f"{row},{cell}" for row, cell in enumerate(cells))]).encode()).values("x")
    assert repr(found.tolist()) == repr(values)


def test_truth_values_count_as_numbers_where_there_is_nothing_else() -> None:
    table = read_table(b"id,a,b\n1,True,true\n2,,1\n3,False,0\n")
    np.testing.assert_array_equal(table.numbers("a"), [1, np.nan, 0])
    with pytest.raises(InputError, match="line 2, column 'b': 'true' is not a number"):
        table.numbers("b")


def test_decimal_commas_are_read_only_where_nothing_else_can_be_meant() -> None:
    assert read_table(b"a;b\n0,5;1\n-2;2\n").numbers("a").tolist() == [0.5, -2]
    for text in (b"a\tb\n0,5\t1\n", b"a;b\n0,5;1\n0.5;1\n", b'a,b\n"0,5",1\n'):
        with pytest.raises(
            InputError, match="line 2, column 'a': '0,5' is not a number; write it with a decimal point"
        ):
            read_table(text).numbers("a")
    with pytest.raises(InputError, match="line 3, column 'a': 'x' is not a number"):
        read_table(b"a;b\n0,5;1\nx;1\n").numbers("a")
    assert read_table(b"a;b\n1,2,3;1\n2,3;1\n").column("a").to_list() == ["1,2,3", "2,3"]


def test_moments_are_numbers_or_iso_dates_of_one_kind() -> None:
    def moments(*cells: str) -> list[object]:
        table = read_table("\n".join(["t,x", *(f"{cell},1" for cell in cells)]).encode(), name="t.csv")
        return table.moments("t", np.arange(len(cells))).tolist()  # type: ignore[no-any-return]  # of any dtype

    assert moments("3", "1.5") == [3, 1.5]
    assert [str(each) for each in moments("2024-01-31", "2024-01-01 12:30")] == [
        "2024-01-31 00:00:00",
        "2024-01-01 12:30:00",
    ]
    for cells, words in {
        ("2024-01-31", "31/01/2024"): "t.csv, line 3, column 't': '31/01/2024' is neither a number nor a date",
        ("1", "soon"): "t.csv, line 2, column 't': '1' is neither a number nor a date",
        ("2024-01-31 12:00Z", "2024-01-31"): "some times have a time zone and some have none",
    }.items():
        with pytest.raises(InputError) as refusal:
            moments(*cells)
        assert words in str(refusal.value)


def test_only_empty_rows_at_the_end_are_left_out() -> None:
    assert read_table(b"a,b\n1,2\n,\n3,4\n,\n,\n").column("a").to_list() == ["1", None, "3"]
    assert read_table(b"a\n1\n\n3\n\n").column("a").to_list() == ["1", None, "3"]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2,5\n", ";"),
        ('a;"b, c"\n1;2,5\n', ";"),
        ("a|x,b|x\n1,2\n", ","),
        ("a\tb c\n1\t2 3\n", "\t"),
        ("a\n1;2\n", ","),
        ("true label\nyes\nno\n", ","),
        ('"true label"\nvery good\nvery bad\n', ","),
    ],
)
def test_the_delimiter_is_the_one_that_divides_header_and_rows_alike(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


@pytest.mark.parametrize("text", ["a,b;c\n1,2;3\n", "a;b, c\n1;0,5\n", "a b\n1 2\n", "a:b\n1:2\n", '"a;b"\n"1;2"\n'])
def test_what_can_be_divided_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(DelimiterError):
        find_delimiter(text)


@pytest.mark.parametrize("count", [120, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_damaged_table_is_read_as_the_csv_module_reads_it(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for data in fuzzed_files(5, count, a_format([str(one) for one in range(30)])):
        fast = _read(data)
        with monkeypatch.context() as patched:
            patched.setattr(blocks, "divide_rows", divide_by_csv)
            exact = _read(data)
        if fast is not None and exact is not None:  # the one difference: the csv module refuses a very long cell
            assert fast.frame.rows() == exact.frame.rows(), data
            assert [fast.line(row) for row in range(len(fast))] == [exact.line(row) for row in range(len(exact))]
            compared += 1
    assert compared > count / 8


def _read(data: bytes) -> Table | None:
    try:
        return read_table(data)
    except UnreadableTableError:
        return None


def test_a_line_that_names_the_delimiter_is_understood() -> None:
    table = read_table(b"sep=|\na|b\n1|2;3\n", name="t.csv")
    assert table.columns == ("a", "b")
    assert table.column("b").to_list() == ["2;3"]
    assert table.place(0) == "line 3"


@pytest.mark.parametrize("count", [100, pytest.param(400, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused_in_a_sentence(count: int) -> None:
    read = refused = 0
    for data in fuzzed_files(6, count, a_format([str(one) for one in range(30)])):
        try:
            read += bool(read_table(data, name="t.csv").columns)
        except UnreadableTableError as refusal:
            refused += str(refusal).startswith("t.csv")
    assert read + refused == count
    assert min(read, refused) > count / 20


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(UnreadableTableError, match=f"{tmp_path.name}: it cannot be read: Is a directory"):
        read_table(tmp_path)
    with pytest.raises(UnreadableTableError, match="a PDF document") as refusal:
        read_table(b"%PDF-1.4")
    assert not isinstance(refusal.value, SubmissionError)


def test_an_empty_row_of_a_parquet_file_is_a_row() -> None:
    assert len(read_table(wrapped(pl.DataFrame({"a": [1, None], "b": [2, None]}), "parquet"))) == 2


def test_an_error_about_an_array_is_told_with_its_file_and_line() -> None:
    table = read_table(b"a\n1\n2\n", name="t.csv")
    told = [str(locate_error(InputError(words), "t.csv", table.place)) for words in ("row 1: bad", "bad")]
    assert told == ["t.csv, line 3: bad", "t.csv: bad"]
