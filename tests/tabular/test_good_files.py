"""A valid file is read to the same values however it is written and packed."""

import csv
import io
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.core.errors import SubmissionError
from ladderboard.metrics.inputs import Probabilities
from ladderboard.tabular import SubmissionFormat, read_predictions, submissions
from ladderboard.tabular.format import SUM_TOLERANCE
from tests.tabular.files import CLASSES, NUMBERS, THREE, TWO, a_format, gzipped, parquet, same, written, zipped

WHOLE = a_format(["4", "-7", "900000000000", "0"])


def test_columns_and_rows_may_stand_in_any_order() -> None:
    assert read_predictions(b"prediction,id\n3,3\n1,1\n2,2\n", NUMBERS).values.tolist() == [1, 2, 3]


@pytest.mark.parametrize("delimiter", list(",;\t|: ~#^"))
def test_any_delimiter_that_a_sniffer_would_know_is_found(delimiter: str) -> None:
    data = written(["id", "prediction"], [[1, 0.5], [2, -1], [3, 1e-5]], delimiter=delimiter)
    assert read_predictions(data, NUMBERS).values.tolist() == [0.5, -1, 1e-5]


def test_column_names_with_delimiters_in_them_are_found_too() -> None:
    format = SubmissionFormat("case id", np.array([1, 2]), ("P(a:b), total",), "numbers")  # noqa: A001
    assert read_predictions(b'case id,"P(a:b), total"\n1,5\n2,6\n', format).values.tolist() == [5, 6]
    assert read_predictions(b"case id;P(a:b), total\n1;5\n2;6\n", format).values.tolist() == [5, 6]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfid,prediction\n1,1\n2,2\n3,3\n",
        b"id,prediction\r\n1,1\r\n2,2\r\n3,3\r\n",
        b"id,prediction\r1,1\r2,2\r3,3\r",
        b"id,prediction\n1,1\n2,2\n3,3",
        b"\n\nid,prediction\n\n1,1\n   \n2,2\n3,3\n\n\n",
        b"id,prediction\r\n1,1\r\n2,2\r\n3,3\r\n\r\n",
        b'"id","prediction"\n"1","1"\n"2","2"\n"3","3"\n',
        b'id, prediction\n1, 1\n2,  2 \n3, "3"\n',
        b"id,prediction\n1.0,1\n002,+2.\n3.000,3e0\n",
    ],
    ids=["BOM", "CRLF", "CR", "no last end", "blank lines", "blank end", "quoted", "spaces", "other writings"],
)
def test_every_usual_writing_of_a_table_is_read(data: bytes) -> None:
    for packed in (
        data,
        gzipped(data),
        zipped(**{"folder/": b"", "folder/mine.csv": data, "__MACOSX/folder/._mine.csv": b"x"}),
    ):
        assert read_predictions(packed, NUMBERS).values.tolist() == [1, 2, 3]


def test_a_path_and_a_stream_are_read_like_bytes(tmp_path: Path) -> None:
    data = b"id,prediction\n1,1\n2,2\n3,3\n"
    (tmp_path / "misnamed.parquet").write_bytes(data)
    for file in (tmp_path / "misnamed.parquet", io.BytesIO(data)):
        assert read_predictions(file, NUMBERS, name="misnamed.parquet").values.tolist() == [1, 2, 3]


def test_ids_that_are_the_same_number_are_never_merged_where_the_competition_has_both() -> None:
    format = a_format(["007", "7", "8", "009"])  # noqa: A001
    assert read_predictions(b"id,prediction\n7,1\n007,2\n8.0,3\n9,4\n", format).values.tolist() == [2, 1, 3, 4]


def test_parquet_may_have_ids_of_any_type() -> None:
    numbers: list[Any] = [np.array([3, 1, 2], dtype=kind) for kind in ("uint8", "float32")]
    for ids in ([3, 1, 2], ["3", "1", "2"], *numbers):
        values = np.array([0.3, 0.1, 0.2])
        assert read_predictions(parquet(prediction=values, id=ids), NUMBERS).values.tolist() == [0.1, 0.2, 0.3]


def test_parquet_keeps_every_digit() -> None:
    values = np.array([1 / 3, np.nextafter(0.1, 1), -2.5e-300])
    assert same(read_predictions(parquet(id=[1, 2, 3], prediction=values), NUMBERS).values, values)
    single = values.astype(np.float32)
    assert same(read_predictions(parquet(id=[1, 2, 3], prediction=single), NUMBERS).values, single.astype(np.float64))


def test_two_class_probabilities_have_one_column_or_both() -> None:
    assert read_predictions(b"id,prediction\n1,0.25\n2,1\n3,0\n", TWO).values.tolist() == [0.25, 1, 0]
    both = read_predictions(b"yes,id,no\n0.25,1,0.75\n1,2,0\n0,3,1\n", TWO).values
    assert both.tolist() == [[0.75, 0.25], [0, 1], [1, 0]]


def test_the_one_column_of_two_classes_may_be_called_like_the_greater_class() -> None:
    called_yes = a_format(takes="probabilities", classes=("no", "yes"), prediction_columns=("yes",))
    assert read_predictions(b"id,yes\n1,0.25\n2,1\n3,0\n", called_yes).values.tolist() == [0.25, 1, 0]
    assert read_predictions(b"id,yes,no\n1,0,1\n2,1,0\n3,0,1\n", called_yes).values.shape == (3, 2)
    both = a_format(takes="probabilities", classes=("no", "yes"), prediction_columns=("no", "yes"))
    assert read_predictions(b"id,prediction\n1,0.25\n2,1\n3,0\n", both).values.tolist() == [0.25, 1, 0]


def test_class_probabilities_are_found_by_the_names_of_the_classes() -> None:
    data = b"b,id,c,a\n0.2,3,0.3,0.5\n1,1,0,0\n0.25,2,0.5,0.25\n"
    assert read_predictions(data, THREE).values.tolist() == [[0, 1, 0], [0.25, 0.25, 0.5], [0.5, 0.2, 0.3]]


def test_the_sum_of_probabilities_may_be_off_by_as_much_as_the_metrics_allow() -> None:
    assert Probabilities.sum_tolerance == SUM_TOLERANCE
    assert read_predictions(b"id,a,b,c\n1,.333,.333,.333\n2,1,0,0\n3,1,0,0\n", THREE).values.shape == (3, 3)


@pytest.mark.parametrize(
    ("classes", "cells"),
    [
        (("no", "yes"), ["yes", "no", '"yes"']),
        ((0, 1), ["1", "0.0", " 1"]),
        ((1.0, 2.0), ["2", "1.0", "2.0"]),
        ((0.5, 1.5), ["1.5", ".5", "1.50"]),
        ((False, True), ["True", "false", "TRUE"]),
        (("1", "1.0"), ["1.0", "1", "1.0"]),
        (("é", "ü"), ["ü", "é", "ü"]),
    ],
)
def test_classes_come_back_in_the_labels_own_type(classes: tuple[Any, ...], cells: list[str]) -> None:
    format = a_format(takes="classes", classes=classes)  # noqa: A001
    data = "\n".join(["id,prediction", *(f"{one},{cell}" for one, cell in zip((1, 2, 3), cells, strict=True))])
    assert same(read_predictions(data.encode(), format).values, np.array([classes[1], classes[0], classes[1]]))


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=8)
IDS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1).map(str), min_size=1, max_size=30, unique=True),
    st.lists(st.integers(0, 99).map(str), min_size=1, max_size=30, unique=True),
    st.lists(TEXT.filter(str.strip), min_size=1, max_size=30, unique=True),
)
NUMBER = st.floats(-1e15, 1e15)
PACKING = st.sampled_from([bytes, gzipped, lambda data: zipped(a=data)])
DIALECT = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(list(",;\t|:")),
        "lineterminator": st.sampled_from(["\n", "\r\n"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    }
)


@given(ids=IDS, data=st.data(), dialect=DIALECT, packing=PACKING, mark=st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_table_that_was_written_is_read_back_to_the_last_digit(
    ids: list[str], data: st.DataObject, dialect: dict[str, Any], packing: Any, mark: bool
) -> None:
    numbers = data.draw(st.lists(NUMBER, min_size=len(ids), max_size=len(ids)))
    order = data.draw(st.permutations(range(len(ids))))
    text = written(["id", "prediction"], [[ids[row], numbers[row]] for row in order], **dialect)
    found = read_predictions(packing(b"\xef\xbb\xbf" * mark + text), a_format(ids))
    assert same(found.values, np.array(numbers))


@given(ids=IDS, data=st.data())
@settings(max_examples=4, deadline=None)
def test_a_parquet_table_is_read_back_to_the_last_digit(ids: list[str], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(NUMBER, min_size=len(ids), max_size=len(ids)))
    order = data.draw(st.permutations(range(len(ids))))
    packed = parquet(id=[ids[row] for row in order], prediction=[numbers[row] for row in order])
    assert same(read_predictions(packed, a_format(ids)).values, np.array(numbers))


@pytest.mark.parametrize("format", [NUMBERS, a_format(["a", "b c", "d.e"]), WHOLE, CLASSES, TWO, THREE])
def test_an_ordinary_file_is_read_at_once(format: SubmissionFormat, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: A002
    monkeypatch.setattr(submissions, "read_block", Mock(side_effect=AssertionError))
    ids = format.ids.tolist()
    cells: list[Any] = ["virginica"] if format is CLASSES else [0.5, 0.25, 0.25] if format is THREE else [0.125]
    for order in (ids, ids[::-1]):
        data = written(["id", *format.prediction_columns], [[one, *cells] for one in order])
        values = read_predictions(data, format).values
        assert same(values, np.array([cells if len(cells) > 1 else cells[0]] * len(ids)))


@pytest.mark.parametrize(
    "line",
    [
        '"{}","{}"\r\n',
        " {} , {} \n",
        '{}, "{}"\n',
        '"{}", {}\n',
        "{},{} \r",
        "{},{}\n\n",
        "\n{},{}\n \n",
        '{},"{}\n"\n',
        '{},"{}\r\n"\r\n',
    ],
)
def test_what_stands_around_numbers_costs_little(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "read_block", Mock(side_effect=AssertionError))
    rows = "".join(line.format(one, value) for one, value in ((1, 0.5), (2, 2.5), (3, -1)))
    assert read_predictions(f"id,prediction\n{rows}".encode(), NUMBERS).values.tolist() == [0.5, 2.5, -1]
    commas = rows.replace(",", ";").replace(".", ",")
    assert read_predictions(f"id;prediction\n{commas}".encode(), NUMBERS).values.tolist() == [0.5, 2.5, -1]


@pytest.mark.parametrize("other", ["1.5", "nan", "inf", "1e300", "9007199254740993.0"])
def test_whole_ids_may_be_written_as_floats_and_other_floats_are_no_ids(other: str) -> None:
    assert read_predictions(b"id,prediction\n3.0,3\n1.0,1\n2e0,2\n", NUMBERS).values.tolist() == [1, 2, 3]
    with pytest.raises(SubmissionError) as caught:
        read_predictions(f"id,prediction\n3.0,3\n2.0,2\n{other},1\n".encode(), NUMBERS)
    assert caught.value.counts == {"unknown_id": 1, "missing_id": 1}


def test_polars_never_parses_what_could_end_the_process() -> None:
    """An error of polars that quotes half a letter ends the process, so letters beyond ASCII are only cut, as text."""
    for data, format in (  # noqa: A001
        ('id,prediction\n1,"a"é\n2,1\n3,1\n'.encode(), NUMBERS),
        (b"id,prediction\n1,1\r,\n2,1\n3,1\n", NUMBERS),
        (b'id,prediction\n1,setosa\n2,setosa\n3,""setosa"', CLASSES),
    ):
        with pytest.raises(SubmissionError):
            read_predictions(data, format)


@pytest.mark.parametrize("rows", [b"1,1,2\n2\n3,3\n", b"1\n1,2,2\n3,3\n"])
def test_rows_that_are_too_long_and_too_short_do_not_make_up_for_each_other(rows: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        read_predictions(b"id,prediction\n" + rows, NUMBERS)
    assert caught.value.counts["ragged_row"] == 2


@pytest.mark.parametrize("hint", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_names_the_delimiter_is_understood(hint: str) -> None:
    data = f"{hint}\r\nid;prediction\r\n1;0,5\r\n3;3\r\n2;2\r\n".encode()
    assert read_predictions(data, NUMBERS).values.tolist() == [0.5, 2, 3]
    with pytest.raises(SubmissionError, match="line 3: column 'prediction': 'x' is not a number"):
        read_predictions(data.replace(b"0,5", b"x"), NUMBERS)


def test_without_polars_text_is_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    assert read_predictions(b"id,prediction\n1,1\n3,3\n2,2\n", a_format()).values.tolist() == [1, 2, 3]
    texts = a_format(["a", "b", "7"], takes="classes", classes=("no", "yes"))
    assert read_predictions(b"id,prediction\n7.0,yes\na,no\n b,yes\n", texts).values.tolist() == ["no", "yes", "yes"]
    with pytest.raises(SubmissionError, match="'maybe' is not a class"):
        read_predictions(b"id,prediction\n7,yes\na,no\nb,maybe\n", texts)


def test_rows_in_several_blocks_are_read_exactly() -> None:
    rng = np.random.default_rng(0)
    ids, values = rng.choice(10**9, 50_000, replace=False), rng.normal(size=50_000)
    format = a_format([str(one) for one in ids])  # noqa: A001
    order = rng.permutation(50_000)
    for space, quoting in (("", csv.QUOTE_MINIMAL), (" ", csv.QUOTE_MINIMAL), ("", csv.QUOTE_ALL)):
        rows = [[f"{space}{ids[row]}{space}", values[row]] for row in order]
        data = written(["id", "prediction"], rows, quoting=quoting)
        assert len(data) > 1 << 20
        assert same(read_predictions(data, format).values, values)


def test_ids_with_accents_are_found_however_their_letters_are_composed() -> None:
    composed, apart = "caf\u00e9.png", "cafe\u0301.png"
    for known, given_id in ((composed, apart), (apart, composed)):
        data = f"id,prediction\n{given_id},0.5\nb,1\n".encode()
        assert read_predictions(data, a_format([known, "b"])).values.tolist() == [0.5, 1]
    # Two ids of a competition stay two.
    data = f"id,prediction\n{apart},0.5\n{composed},1\n".encode()
    assert read_predictions(data, a_format([composed, apart])).values.tolist() == [1, 0.5]


@pytest.mark.parametrize("words", [("True", "False", "1"), ("true", "false", "TRUE"), ("1", "0", "True")])
def test_classes_that_are_true_and_false_may_be_written_as_any_program_does(words: tuple[str, ...]) -> None:
    truths = a_format(takes="classes", classes=("False", "True"))
    data = written(["id", "prediction"], list(zip((1, 2, 3), words, strict=True)))
    assert read_predictions(data, truths).values.tolist() == ["True", "False", "True"]


def test_truths_in_parquet_are_the_classes_that_a_csv_file_wrote() -> None:
    truths = a_format(takes="classes", classes=("False", "True"))
    data = parquet(id=[1, 2, 3], prediction=[True, False, True])
    assert read_predictions(data, truths).values.tolist() == ["True", "False", "True"]


@pytest.mark.parametrize(
    ("ids", "moments"),
    [
        (["2026-01-01 00:00:00", "2026-01-01 12:30:00"], [datetime(2026, 1, 1), datetime(2026, 1, 1, 12, 30)]),
        (["2026-01-01", "2026-01-02"], [datetime(2026, 1, 1), datetime(2026, 1, 2)]),
        (["2026-01-01", "2026-01-02"], [date(2026, 1, 1), date(2026, 1, 2)]),
    ],
)
def test_ids_that_are_moments_are_found_in_parquet(ids: list[str], moments: list[date]) -> None:
    assert read_predictions(parquet(id=moments, prediction=[1, 2]), a_format(ids)).values.tolist() == [1, 2]


def test_a_semicolon_file_may_have_decimal_commas() -> None:
    assert read_predictions(b"id;prediction\n3;-0,5\n1;1\n2;2,5e1\n", NUMBERS).values.tolist() == [1, 25, -0.5]
    assert read_predictions(b'id;prediction\n3;"0,5"\n1;1\n2; 2,5\n', NUMBERS).values.tolist() == [1, 2.5, 0.5]
    halves = a_format(takes="classes", classes=(0.5, 1.5))
    assert read_predictions(b"id;prediction\n3;0,5\n1;1,5\n2;0,50\n", halves).values.tolist() == [1.5, 0.5, 0.5]
    names = a_format(takes="classes", classes=("0,5", "x"))
    assert read_predictions(b"id;prediction\n3;0,5\n1;x\n2;x\n", names).values.tolist() == ["x", "x", "0,5"]
