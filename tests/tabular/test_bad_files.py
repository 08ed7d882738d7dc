"""Every kind of bad file is refused with its place, its kind and a sentence that helps."""

import cProfile
import re
import struct
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, get_args
from unittest.mock import Mock

import polars as pl
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, cells, lines, read_predictions, submissions
from ladderboard.tabular.blocks import read_block
from ladderboard.tabular.problems import MANY_PROBLEMS, Kind
from tests.tabular.files import (
    CLASSES,
    LOG_NUMBERS,
    NUMBERS,
    SCORES,
    TEXT_IDS,
    THREE,
    TWO,
    a_format,
    gzipped,
    parquet,
    zipped,
)

GOOD = b"id,prediction\n1,0.1\n2,0.2\n3,0.3\n"


def encrypted(packed: bytes) -> bytes:
    """The same archive with the flag of encryption in both of its headers."""
    data = bytearray(packed)
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def with_method(packed: bytes, method: int) -> bytes:
    data = bytearray(packed)
    struct.pack_into("<H", data, 8, method)
    struct.pack_into("<H", data, data.index(b"PK\x01\x02") + 10, method)
    return bytes(data)


OF_THE_READER = {"unreadable_parquet", "bad_member", "bad_list", "bad_mask", "long_text", "refused_by_metric"}
"""Problems that are no fault of a table: tests/tabular/test_parquet.py and tests/scoring/test_submission_file.py."""


@dataclass(frozen=True)
class Bad:
    what: str
    data: bytes
    kind: str
    line: int | None
    words: str
    format: SubmissionFormat = NUMBERS


def rows(*lines: str, header: str = "id,prediction") -> bytes:
    return "\n".join([header, *lines, ""]).encode()


def tar(data: bytes) -> bytes:
    written = BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        member = tarfile.TarInfo("p.csv")
        member.size = len(data)
        archive.addfile(member, BytesIO(data))
    return written.getvalue()


TAR = tar(GOOD)
OPEN_DOCUMENT = zipped(**{"mimetype": b"application/x", "content.xml": b"", "META-INF/manifest.xml": b""})
CASES = [
    # the file
    Bad("empty", b"", "empty_file", None, "0 bytes"),
    Bad("only blank lines", b"\n \r\n\n", "empty_file", None, "nothing but blank lines"),
    Bad("only a header", b"id,prediction\n", "no_rows", None, "a header but no row; 3 rows are expected"),
    Bad(
        "too large",
        GOOD,
        "too_large",
        None,
        "may have at most 20 bytes; this one has 32 bytes",
        replace(NUMBERS, max_bytes=20),
    ),
    Bad("PDF", b"%PDF-1.7 ...", "unsupported_file", None, "a PDF document"),
    Bad("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1", "unsupported_file", None, "an Excel workbook; save it as CSV"),
    Bad("Excel", zipped(**{"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "unsupported_file", None, "Excel"),
    Bad("pickle", b"\x80\x04\x95abc", "unsupported_file", None, "never opened"),
    Bad("xz", b"\xfd7zXZ\x00abc", "unsupported_file", None, "use gzip, zip or no compression"),
    Bad("PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "unsupported_file", None, "a PNG picture"),
    Bad("other bytes", bytes(range(128, 256)) + bytes(range(32)), "unsupported_file", None, "this is not text"),
    Bad("JSON", b'[{"id": 1, "prediction": 0.5}]', "unsupported_file", None, "this is JSON; send a CSV"),
    Bad("JSON Lines", b'{"id": 1, "prediction": 0.5}\n{"id": 2}\n', "bad_json", 2, "the object has the keys 'id', but"),
    Bad("JSON", b'{"id": {"0": 1},\n "prediction": {"0": 1}}', "bad_json", 1, "the line is not a JSON object"),
    Bad("web page", b"\n<!DOCTYPE html><title>Sign in</title>", "unsupported_file", None, "a web page"),
    Bad("XML", b'<?xml version="1.0"?><rows/>', "unsupported_file", None, "this is XML; send a CSV"),
    Bad("tar", TAR, "unsupported_file", None, "this is a tar archive; use gzip, zip or no compression"),
    Bad("tar.gz", gzipped(TAR), "unsupported_file", None, "this is a tar archive"),
    Bad("LibreOffice", OPEN_DOCUMENT, "unsupported_file", None, "an OpenDocument file; save it as CSV"),
    Bad(
        "Git LFS",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
        "unsupported_file",
        None,
        "a Git LFS pointer, not the file itself",
    ),
    # archives
    Bad("gzip of 10,001", gzipped(GOOD) + gzipped(b"") * 10_000, "several_members", None, "more than 10,000 parts"),
    Bad("cut gzip", gzipped(GOOD)[:-6], "corrupt_archive", None, "ends too early"),
    Bad("broken gzip", gzipped(GOOD)[:10] + b"\xff" * 30, "corrupt_archive", None, "broken"),
    Bad("gzip of another sum", gzipped(GOOD)[:-8] + b"\0" * 8, "corrupt_archive", None, "broken"),
    Bad("cut zip", zipped(a=GOOD)[:-10], "corrupt_archive", None, "broken or cut off"),
    Bad("zip of other bytes", zipped(a=GOOD).replace(b"\xcb\x4c", b"\xcb\x4d", 1), "corrupt_archive", None, "broken"),
    Bad("zip of two", zipped(a=GOOD, b=GOOD), "several_members", None, "holds 2 files ('a', 'b'); it should hold one"),
    Bad("zip of 1,001", zipped(**{f"f{i}": b"" for i in range(1001)}), "several_members", None, "more than 1,000"),
    Bad("zip of nothing", zipped(), "empty_archive", None, "holds no file"),
    Bad("zip of clutter", zipped(**{"__MACOSX/a": b"x", "dir/": b""}), "empty_archive", None, "holds no file"),
    Bad("encrypted zip", encrypted(zipped(a=GOOD)), "encrypted_archive", None, "without a password"),
    Bad("LZMA zip", with_method(zipped(a=GOOD), 14), "corrupt_archive", None, "unusual method"),
    Bad("gzip of gzip", gzipped(gzipped(GOOD)), "nested_archive", None, "compress the table itself"),
    Bad("zip of nothing much", zipped(a=b""), "empty_file", None, "0 bytes"),
    Bad(
        "gzip bomb",
        gzipped(GOOD),
        "unpacks_too_large",
        None,
        "more than the 31 bytes",
        replace(NUMBERS, max_unpacked_bytes=31),
    ),
    Bad("zip bomb", zipped(a=GOOD), "unpacks_too_large", None, "31 bytes", replace(NUMBERS, max_unpacked_bytes=31)),
    # Parquet
    Bad("cut Parquet", parquet(id=[1, 2, 3], prediction=[1, 2, 3])[:-9], "corrupt_parquet", None, "ends too early"),
    Bad("broken Parquet", b"PAR1" + b"\xff" * 100 + b"PAR1", "corrupt_parquet", None, "broken"),
    Bad("Parquet with a null", parquet(id=[1, 2, 3], prediction=[1.0, None, 3.0]), "blank_cell", 2, "is empty"),
    Bad("Parquet with NaN", parquet(id=[1, 2, 3], prediction=[1.0, 2.0, float("nan")]), "not_finite", 3, "'NaN'"),
    Bad("Parquet of lists", parquet(id=[1], prediction=[[1.0]]), "not_a_number", 1, "'List(Float64)'", a_format(["1"])),
    Bad(
        "Parquet with an index",
        parquet(id=[1, 2, 3], prediction=[1, 2, 3], __index_level_0__=[0, 1, 2]),
        "extra_column",
        None,
        "it looks like a row index",
    ),
    # encodings
    Bad("UTF-16", GOOD.decode().encode("utf-16"), "wrong_encoding", 1, "encoded as UTF-16"),
    Bad("UTF-16 without a mark", GOOD.decode().encode("utf-16-le"), "wrong_encoding", 1, "encoded as UTF-16"),
    Bad("UTF-32", GOOD.decode().encode("utf-32"), "wrong_encoding", 1, "encoded as UTF-32"),
    Bad(
        "Latin-1",
        b"id,prediction\r\n1,1\r\n\xe9,2\r\n",
        "wrong_encoding",
        3,
        "byte 0xE9 is not UTF-8 (in Latin-1 it is 'é')",
    ),
    Bad("NUL", b"id,prediction\n1,1\n2,\x00\n3,3\n", "nul_byte", 3, "NUL byte"),
    # the header
    Bad(
        "no header",
        rows("2,0.2", "3,0.3", header="1,0.1"),
        "missing_header",
        1,
        "(id, prediction), but it is '1', '0.1'",
    ),
    Bad(
        "delimiters at the end", b"id,prediction,\n1,1,\n2,2,\n3,3,\n", "extra_column", 1, "end with an extra delimiter"
    ),
    Bad("other case", rows("1,1", header="ID,prediction"), "missing_column", 1, "did you mean 'ID'? Rename it to 'id'"),
    Bad("misspelt", rows("1,1", header="id,predicton"), "missing_column", 1, "did you mean 'predicton'?"),
    Bad("shortened", rows("1,1", header="id,pred"), "missing_column", 1, "did you mean 'pred'?"),
    Bad(
        "no predictions",
        rows("1", "2", "3", header="id"),
        "missing_column",
        1,
        "no column 'prediction'; the file has 'id'",
    ),
    Bad("no ids", rows("1", header="prediction"), "missing_column", 1, "no column 'id'"),
    Bad(
        "extra column",
        rows("1,1,x", "2,1,x", "3,1,x", header="id,prediction,note"),
        "extra_column",
        1,
        "'note' is not expected",
    ),
    Bad("pandas' index", rows("0,1,1", "1,2,1", "2,3,1", header=",id,prediction"), "extra_column", 1, "index=False"),
    Bad(
        "index again",
        rows("0,1,1", "1,2,1", "2,3,1", header="Unnamed: 0,id,prediction"),
        "extra_column",
        1,
        "index=False",
    ),
    Bad("2,000 columns", rows("1", header="id" + ",x" * 2000), "extra_column", 1, "2,001 columns, but 2 are expected"),
    Bad(
        "twice",
        rows("1,1,1", "2,1,1", "3,1,1", header="id,prediction,prediction"),
        "repeated_column",
        1,
        "2 columns are",
    ),
    Bad(
        "a class is missing",
        rows("1,1,0", "2,1,0", "3,1,0", header="id,a,b"),
        "missing_column",
        1,
        "no column 'c'",
        THREE,
    ),
    Bad("one of two classes", rows("1,1", "2,1", "3,1", header="id,yes"), "missing_column", 1, "no column 'no'", TWO),
    # rows
    Bad("short row", rows("1,1", "2", "3,3"), "ragged_row", 3, "has 1 cell, but the header has 2 columns"),
    Bad("long row", rows("1,1", "2,2,2", "3,3"), "ragged_row", 3, "has 3 cells"),
    Bad("unclosed quote", rows("1,1", '2,"2', "3,3"), "unclosed_quote", 3, "never closed"),
    Bad("text after a quote", rows("1,1", '2,"2"2', "3,3"), "bad_quote", 3, "text follows a closing quotation mark"),
    Bad("long line", rows("1," + "1," * 600_000), "long_line", 2, "more than 1 MiB"),
    Bad("long cell", rows('1,"x""' + "x" * 200_000 + '"'), "long_line", 2, "131,072"),
    Bad(
        "too many rows", rows("1,1", *[""] * 10_006, "2,2"), "too_many_rows", 10_008, "more than 10,006 rows for 3 ids"
    ),
    Bad(
        "too many Parquet rows", parquet(id=[1] * 10_007, prediction=[1] * 10_007), "too_many_rows", None, "10,007 rows"
    ),
    Bad("too many problems", rows(*["1,x"] * 5000), "too_many_problems", 502, "the rest of the file was not read"),
    # ids
    Bad("missing id", rows("1,1", "3,3"), "missing_id", None, "1 id has no row: 2"),
    Bad("missing ids", rows("2,1"), "missing_id", None, "2 ids have no row: 1, 3"),
    Bad("repeated id", rows("1,1", "2,2", "3,3", "2,4"), "duplicate_id", 5, "id 2 appears twice (first on line 3)"),
    Bad(
        "repeated writing",
        rows("1,1", "2,2", "3,3", "2.0,4"),
        "duplicate_id",
        5,
        "id 2.0 appears twice (first on line 3)",
    ),
    Bad("unknown id", rows("1,1", "2,2", "3,3", "4,4"), "unknown_id", 5, "there is no id 4; ids look like 1"),
    Bad("id too large", rows("1,1", "2,2", "3,3", "9" * 30 + ",4"), "unknown_id", 5, "there is no id 999"),
    Bad(
        "unknown text",
        rows("a,1", "b c,2", '"d""e",3', "B C,1"),
        "unknown_id",
        5,
        "no id 'B C'; ids look like a",
        TEXT_IDS,
    ),
    Bad("blank id", rows("1,1", "2,2", "3,3", ",4"), "blank_cell", 5, "the id is empty"),
    # values
    Bad("blank", rows("1,1", "2,", "3,3"), "blank_cell", 3, "column 'prediction': the cell is empty"),
    Bad("only spaces", rows("1,1", "2,  ", "3,3"), "blank_cell", 3, "the cell is empty"),
    Bad("word", rows("1,1", "2,high", "3,3"), "not_a_number", 3, "'high' is not a number"),
    Bad("NA", rows("1,1", "2,NA", "3,3"), "not_a_number", 3, "'NA' is not a number"),
    Bad("underscore", rows("1,1", "2,1_0", "3,3"), "not_a_number", 3, "'1_0' is not a number"),
    Bad("other digits", rows("1,1", "2,٣", "3,3"), "not_a_number", 3, "is not a number"),
    Bad("a thousand or one", rows('1,"1,000"', "2,1", "3,1"), "not_a_number", 2, "without a sign between thousands"),
    Bad(
        "decimal comma between tabs",
        rows("1\t0,5", "2\t1", "3\t1", header="id\tprediction"),
        "not_a_number",
        2,
        "decimal point: 0.5",
    ),
    Bad(
        "decimal comma and point",
        rows("1;0,5", "2;0.5", "3;1", header="id;prediction"),
        "not_a_number",
        2,
        "decimal point: 0.5",
    ),
    Bad("percent", rows("1,1", "2,50%", "3,3"), "not_a_number", 3, "0.5 for 50 %"),
    Bad("NaN", rows("1,1", "2,nan", "3,3"), "not_finite", 3, "'nan' is not a finite number"),
    Bad("inf", rows("1,1", "2,-inf", "3,3"), "not_finite", 3, "'-inf'"),
    Bad("overflow", rows("1,1", "2,1e400", "3,3"), "not_finite", 3, "'1e400'"),
    Bad("too large a number", rows("1,1", "2,1e16", "3,3"), "out_of_range", 3, "between -1e+15 and 1e+15"),
    Bad("too large a score", rows("1,1", "2,-1e16", "3,3"), "out_of_range", 3, "between -1e+15 and 1e+15", SCORES),
    Bad("too small a number", rows("1,1", "2,-0.5", "3,3"), "out_of_range", 3, "-0.5 is below 0", LOG_NUMBERS),
    Bad("no probability", rows("1,1", "2,1.2", "3,0"), "not_a_probability", 3, "1.2 is not a probability", TWO),
    Bad(
        "negative",
        rows("1,1,0,0", "2,-0.1,1,0.1", "3,0,0,1", header="id,a,b,c"),
        "not_a_probability",
        3,
        "'a': -0.1",
        THREE,
    ),
    Bad(
        "wrong sum",
        rows("1,1,0,0", "2,0.2,0.2,0.4", "3,0,0,1", header="id,a,b,c"),
        "bad_sum",
        3,
        "sum to 0.8, not to 1",
        THREE,
    ),
    Bad(
        "unknown class",
        rows("1,setosa", "2,virginca", "3,setosa"),
        "unknown_class",
        3,
        "did you mean 'virginica'?",
        CLASSES,
    ),
    Bad("no class", rows("1,setosa", "2,", "3,setosa"), "blank_cell", 3, "every row needs a class", CLASSES),
    Bad(
        "a class's number",
        rows("1,0", "2,2", "3,1"),
        "unknown_class",
        3,
        "'2' is not a class; the classes are '0', '1'",
        a_format(takes="classes", classes=(0, 1)),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.what for case in CASES])
def test_a_bad_file_is_refused_with_its_line_its_kind_and_what_to_do(case: Bad) -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(case.data, case.format, name="mine.csv")
    problem = next((one for one in caught.value.problems if one.kind == case.kind), None)
    assert problem is not None, str(caught.value)
    assert problem.line == case.line
    assert case.words in problem.sentence
    assert caught.value.code == "bad_submission"
    assert str(caught.value).startswith("mine.csv")


def test_every_kind_of_problem_has_a_case() -> None:
    assert {case.kind for case in CASES} | OF_THE_READER == set(get_args(Kind))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_numbers_count_quoted_line_ends_and_blank_lines(end: str) -> None:
    lines = ["", "id,prediction", f'"a{end}b",1', "", '"c",x', "d,y", ""]
    with pytest.raises(SubmissionError) as caught:
        read_predictions(end.join(lines).encode(), a_format([f"a{end}b", "c", "d"]))
    assert [(problem.line, problem.kind) for problem in caught.value.problems] == [
        (6, "not_a_number"),
        (7, "not_a_number"),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_that_is_not_text_is_told_even_across_the_pieces_it_is_read_in(end: bytes) -> None:
    count = 200_000
    filler = b"".join(b"%d,1%b" % (one, end) for one in range(count))
    assert len(filler) > 1 << 20
    data = b"id,prediction" + end + filler + b"\xff,1" + end + b"1,1" + end + b"2,\xfe\xff" + end
    with pytest.raises(SubmissionError) as caught:
        read_predictions(data, a_format([str(one) for one in range(count)]))
    assert [problem.line for problem in caught.value.problems] == [count + 2, count + 4]


def test_a_letter_of_several_bytes_may_lie_across_the_pieces() -> None:
    for shift in range(4):
        data = b"id,prediction\n" + b"x" * ((1 << 20) - 16 + shift) + "\U0001f600".encode() + b",1\n"
        with pytest.raises(SubmissionError) as caught:
            read_predictions(data, NUMBERS)
        assert "wrong_encoding" not in caught.value.counts


def test_all_problems_of_a_file_are_found_and_many_of_one_kind_are_told_as_one() -> None:
    ids = [str(one) for one in range(100)]
    lines = [f"{one},{'x' if one < 30 else 1}" for one in range(90)] + ["5,1", "abc,1", "6"]
    with pytest.raises(SubmissionError) as caught:
        read_predictions(rows(*lines), a_format(ids), name="mine.csv")
    error = caught.value
    assert error.counts == {"not_a_number": 30, "missing_id": 10, "duplicate_id": 2, "unknown_id": 1, "ragged_row": 1}
    assert error.total == len(error.problems) == 6
    assert [problem.count for problem in error.problems] == [10, 30, 1, 1, 1, 1]
    assert str(error) == (
        "mine.csv has 6 problems:\n"
        "  10 ids have no row: 90, 91, 92, 93, 94, 95, 96, 97, 98, 99\n"
        "  line 2: column 'prediction': 'x' is not a number; "
        "29 more like it: line 3 ('x'), line 4 ('x'), line 5 ('x'), line 6 ('x'), …\n"
        "  line 92: id 5 appears twice (first on line 7)\n"
        "  line 93: there is no id abc; ids look like 0\n"
        "  line 94: the row has 1 cell, but the header has 2 columns\n"
        "  line 94: id 6 appears twice (first on line 8)"
    )


@pytest.mark.parametrize(
    ("data", "expected", "words"),
    [
        (rows("1,1", "2,2", "3,3", "2,4", "3,4", "1,5", "2,6", "1,6"), NUMBERS, "line 8 ('2'), line 9 ('1')"),
        (rows("1,1", "2,2", "3,3", *"abcdef"), NUMBERS, "5 more like it: line 6, line 7, line 8, line 9, …"),
        (parquet(id=[1, 2, 3, 9, 8, 7, 6, 5], prediction=[1] * 8), NUMBERS, "row 7 ('6'), row 8 ('5')"),
        (
            rows("1,x,y,0", "2,1,z,0", "3,u,v,0", header="id,a,b,c"),
            THREE,
            "line 2, column 'b' ('y'), line 3, column 'b' ('z'), line 4 ('u'), line 4, column 'b' ('v')",
        ),
        (
            rows("1,1", header="id," + ",".join("aabbccddeeffgghhiijj") + ",prediction"),
            NUMBERS,
            "names 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more each appear more than once",
        ),
    ],
    ids=["repeated ids", "short rows", "Parquet", "several columns", "repeated columns"],
)
def test_the_next_places_of_a_problem_name_line_column_and_cell(
    data: bytes, expected: SubmissionFormat, words: str
) -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(data, expected)
    assert [words in str(problem) for problem in caught.value.problems].count(True) == 1, str(caught.value)
    assert caught.value.total == len(caught.value.problems) <= 4


def test_a_file_in_which_everything_is_wrong_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a wrong file costs no more than a right one."""
    count = 50_000
    read: list[str] = []
    describe = cells._number_again

    def note(cell: str, format: SubmissionFormat) -> float:  # noqa: A002
        read.append(cell)
        return describe(cell, format)

    monkeypatch.setattr(cells, "_number_again", note)
    data = rows(*(f"{one},x" for one in range(count)))
    with pytest.raises(SubmissionError) as caught:
        read_predictions(data, a_format([str(one) for one in range(count)]), name="mine.csv")
    assert str(caught.value).endswith("\n  line 1001: 1,000 problems up to here; the rest of the file was not read")
    assert caught.value.counts == {"not_a_number": 1000, "too_many_problems": 1}
    assert len(read) <= 2 * 1001  # once to find it, once for its kind


def test_what_is_wrong_before_the_place_where_reading_ends_is_told_too() -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(rows("1,x", "9,1", '2,"2"2', '3,"3', "2,2"), NUMBERS)
    told = [(problem.line, problem.kind) for problem in caught.value.problems]
    assert told == [(2, "not_a_number"), (3, "unknown_id"), (4, "bad_quote"), (5, "unclosed_quote")]


def test_one_problem_is_one_sentence() -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(rows("1,1", "2,2", "3,3", "2,4"), NUMBERS, name="mine.csv")
    assert str(caught.value) == "mine.csv: line 5: id 2 appears twice (first on line 3)"


def test_a_long_cell_id_class_or_column_is_shown_in_part() -> None:
    long = "9" * 10_000
    for data, format in (  # noqa: A001
        (rows(f"1,{long}", f"{long},1", f"3,x{long}"), NUMBERS),
        (rows(f"1,1.{long}", f"2,{long},{long}"), TWO),
        (rows(f"1,{long}"), CLASSES),
        (rows("1,1,1", header=f"id,prediction,{long}"), NUMBERS),
    ):
        with pytest.raises(SubmissionError) as caught:
            read_predictions(data, format)
        assert all(len(f"{one.sentence} {one.column}") < 300 for one in caught.value.problems)


def test_a_file_or_a_stream_is_not_read_beyond_the_limit(tmp_path: Path) -> None:
    small = replace(NUMBERS, max_bytes=20)
    path = tmp_path / "large.csv"
    path.write_bytes(GOOD)
    stream = BytesIO(GOOD * 10)
    for file in (path, stream):
        with pytest.raises(SubmissionError, match="may have at most 20 bytes; this one is larger"):
            read_predictions(file, small)
    assert stream.tell() == 21


def test_what_is_said_of_a_file_does_not_depend_on_the_order_of_the_formats_ids_alone() -> None:
    """The same file and the same ids give the same problems wherever an id stands: nothing of a split can show."""
    data = rows("1,x", "2,1e99", "3,3")
    told = set()
    for ids in (["1", "2", "3"], ["1", "3", "2"]):
        with pytest.raises(SubmissionError) as caught:
            read_predictions(data, a_format(ids))
        told.add(str(caught.value))
    assert len(told) == 1


def test_a_gzip_file_of_another_checksum_is_no_gzip_file() -> None:
    packed = bytearray(gzipped(GOOD))
    struct.pack_into("<I", packed, len(packed) - 8, zlib.crc32(GOOD) ^ 1)
    with pytest.raises(SubmissionError, match="broken"):
        read_predictions(bytes(packed), NUMBERS)


def test_a_bomb_is_not_unpacked_beyond_the_limit() -> None:
    blanks, limit = GOOD + (b" " * 99 + b"\n") * (1 << 20), 2 << 20
    small = replace(a_format([str(one) for one in range(1 << 20)]), max_unpacked_bytes=limit)
    small.index.places(["0"])  # the index is made once for all files
    for bomb in (zipped(a=blanks), gzipped(blanks)):
        tracemalloc.start()
        with pytest.raises(SubmissionError, match="unpacks to more than the 2 MiB"):
            read_predictions(bomb, small)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 40 << 20  # a few blocks of a megabyte, and two numbers for each id


@pytest.mark.parametrize("pack", [bytes, gzipped, lambda data: zipped(a=data)], ids=["plain", "gzip", "zip"])
@pytest.mark.parametrize(
    "text",
    [
        b"id,prediction\n" + b"," * 20_000_000,
        b"id,prediction\n" + (b"," * 1_000_000 + b"\n") * 20,
        b"," * 20_000_000,
        b"id,prediction\n1,1\n" + b"," * 900_000 + b"\n2,2\n",
    ],
    ids=["one line", "many lines", "no header", "between right rows"],
)
def test_polars_is_never_handed_a_line_of_another_length_than_the_header(
    text: bytes, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It makes room for as many columns as there are delimiters, and a kilobyte each."""
    widest = 0
    read_csv = pl.read_csv

    def note(data: bytes, **options: Any) -> pl.DataFrame:
        nonlocal widest
        lines = data.split(b"\n")
        widest = max(widest, lines[0].count(b","), *(line.count(b",") for line in lines if "schema" not in options))
        return read_csv(data, **options)

    monkeypatch.setattr(pl, "read_csv", note)
    with pytest.raises(SubmissionError):
        read_predictions(pack(text), NUMBERS)
    assert widest <= 1


def test_what_an_archive_holds_is_never_in_memory_as_a_whole() -> None:
    count = 1 << 20
    data = b"id,prediction\n" + b"".join(b"%d,0.%0100d\n" % (one, one) for one in range(count))
    assert len(data) > 100 << 20
    packed, wide = gzipped(data), a_format([str(one) for one in range(count)])
    read_predictions(packed, wide)  # the index of the ids is made once for all files
    tracemalloc.start()
    assert len(read_predictions(packed, wide)) == count
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 << 20


def test_the_name_in_a_gzip_file_is_passed_over_at_once() -> None:
    """`gzip.GzipFile` reads it byte by byte."""
    packed = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"n" * 40_000_000 + b"\0" + gzipped(GOOD)[10:]
    profile = cProfile.Profile()
    profile.enable()
    assert len(read_predictions(packed, NUMBERS)) == 3
    profile.disable()
    assert sum(one.callcount for one in profile.getstats()) < 50_000


def test_a_file_of_nothing_but_commas_takes_little_more_than_its_own_size() -> None:
    data = b"id,prediction\n" + (b"," * 500_000 + b"\n") * 20
    tracemalloc.start()
    with pytest.raises(SubmissionError, match="the row has 500,001 cells"):
        read_predictions(data, NUMBERS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * len(data)


def test_words_are_sought_only_for_the_problems_that_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    sought = Mock(return_value=[])
    monkeypatch.setattr(cells, "get_close_matches", sought)
    wrong = a_format([str(one) for one in range(500)], "classes", classes=("a", "b"))
    with pytest.raises(SubmissionError) as caught:
        read_predictions(rows(*(f"{one},x{one}" for one in range(500))), wrong)
    assert caught.value.counts == {"unknown_class": 500}
    assert sought.call_count == 5


def test_of_many_wrong_columns_few_cells_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"c{one}" for one in range(50))
    wide = a_format([str(one) for one in range(900)], takes="probabilities", classes=names, prediction_columns=names)
    rows = [",".join([str(one), *["x"] * len(names)]) for one in range(900)]
    noted = Mock(wraps=cells._number_again)
    monkeypatch.setattr(cells, "_number_again", noted)
    with pytest.raises(SubmissionError, match="1,000 problems up to here"):
        read_predictions("\n".join([",".join(["id", *names]), *rows]).encode(), wide)
    assert noted.call_count < 4 * MANY_PROBLEMS


def test_the_guide_lists_every_kind_of_problem() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "submission-files.md").read_text()
    listed = set(re.findall(r"`([a-z_]+)`", guide.partition("## Every kind of problem")[2].partition("\n## ")[0]))
    assert listed == set(get_args(Kind))


@pytest.mark.parametrize("data", [zipped(a=GOOD, b=GOOD), zipped(), encrypted(zipped(a=GOOD))])
def test_an_archive_that_is_refused_is_not_called_broken_as_well(data: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(data, NUMBERS)
    assert len(caught.value.problems) == 1


def test_a_bad_row_costs_one_small_block_and_has_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 200)
    cut = Mock(wraps=read_block)
    monkeypatch.setattr(submissions, "read_block", cut)
    rows_ = [f'{one},"0.5\n"\n\n' for one in range(1000)]
    rows_[700] = "699,0.5\n"
    with pytest.raises(SubmissionError) as caught:
        read_predictions(f"id,prediction\n{''.join(rows_)}".encode(), a_format([str(one) for one in range(1000)]))
    assert cut.call_count == 1
    assert [problem.line for problem in caught.value.problems] == [None, 2 + 3 * 700]
    assert f"first on line {2 + 3 * 699}" in str(caught.value)
