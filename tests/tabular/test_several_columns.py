"""Submissions with a column for each target or label: read by name and by id, and refused by line and column."""

import gzip

import numpy as np
import polars as pl
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, format_with_ids, read_predictions, sample_submission
from ladderboard.tabular.format import Takes
from tests.tabular.files import parquet

IDS = np.array([4, 7, 9])
VALUES = np.array([[1.0, 0.5, -2.0], [0.0, 1e-3, 4.0], [2.5, 3.0, 0.0]])
LABELS = np.array([[1, 0, 0], [0, 0, 1], [1, 1, 1]])


def a_format(takes: Takes, columns: tuple[str, ...] = ("sea", "boat", "sky")) -> SubmissionFormat:
    classes = (0, 1) if takes == "labels" else ()
    return SubmissionFormat("id", IDS, columns, takes, classes=classes, is_table=True)


def frame_of(values: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"id": IDS, "sea": values[:, 0], "boat": values[:, 1], "sky": values[:, 2]})


@pytest.mark.parametrize(("takes", "values"), [("numbers", VALUES), ("scores", VALUES), ("labels", LABELS)])
def test_rows_and_columns_may_come_in_any_order_and_container(takes: Takes, values: np.ndarray) -> None:
    frame = frame_of(values)
    turned = frame.select("sky", "id", "sea", "boat").reverse()
    semicolons = turned.write_csv(separator=";").replace(".", ",").encode()
    for file in (
        frame.write_csv().encode(),
        gzip.compress(turned.write_csv().encode()),
        parquet(**turned.to_dict()),
        semicolons,
    ):
        found = read_predictions(file, a_format(takes)).values
        np.testing.assert_array_equal(found, values)
        assert found.dtype.kind == ("i" if takes == "labels" else "f")


def test_blocks_of_many_rows_are_read_as_their_cells_are_one_by_one() -> None:
    rng = np.random.default_rng(0)
    ids, labels = np.arange(20_000), rng.integers(0, 2, (20_000, 3))
    wanted = SubmissionFormat("id", ids, ("a", "b", "c"), "labels", classes=(0, 1), is_table=True)
    frame = pl.DataFrame({"id": ids, **dict(zip("abc", labels.T, strict=True))})
    text = frame.write_csv()
    np.testing.assert_array_equal(read_predictions(text.encode(), wanted).values, labels)
    odd = text.replace("0,1,", '0," 1.0 ",')  # quoted with blanks, so that no block is read at once
    np.testing.assert_array_equal(read_predictions(odd.encode(), wanted).values, labels)


@pytest.mark.parametrize(
    ("takes", "cell", "words"),
    [
        ("labels", "0.7", r"line 3: column 'boat': '0.7' is neither 0 nor 1; write 1 where the row has the label"),
        ("labels", "yes", r"line 3: column 'boat': 'yes' is neither 0 nor 1"),
        ("labels", "", r"line 3: column 'boat': the cell is empty; every row needs 0 or 1 for each label"),
        ("numbers", "nan", r"line 3: column 'boat': 'nan' is not a finite number"),
        ("numbers", "", r"line 3: column 'boat': the cell is empty; every row needs a value"),
        ("scores", "high", r"line 3: column 'boat': 'high' is not a number"),
        ("numbers", "1,2", r"line 3: the row has 5 cells, but the header has 4 columns"),
    ],
)
def test_a_bad_cell_is_named_by_line_and_column(takes: Takes, cell: str, words: str) -> None:
    text = f"id,sea,boat,sky\n4,1,0,1\n7,1,{cell},1\n9,0,0,1\n"
    with pytest.raises(SubmissionError, match=words) as refusal:
        read_predictions(text.encode(), a_format(takes))
    assert refusal.value.problems[0].line == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,sea,sky\n4,1,1\n7,1,1\n9,0,1\n", "there is no column 'boat'; the file has 'id', 'sea', 'sky'"),
        ("id,sea,boot,sky\n4,1,0,1\n7,1,1,0\n9,0,0,1\n", "there is no column 'boat'; did you mean 'boot'"),
        ("id,sea,boat,sky,hut\n4,1,0,1,0\n7,1,1,0,0\n9,0,0,1,0\n", "column 'hut' is not expected; remove it"),
        ("id,sea,sea,boat,sky\n4,1,1,0,1\n7,1,1,0,1\n9,0,0,0,1\n", "2 columns are called 'sea'"),
        ("id,labels\n4,sea sky\n7,sea\n9,boat\n", "there is no column 'sea'"),
        ("id,sea,boat,sky\n4,1,0,1\n4,1,0,1\n9,0,0,1\n", "line 3: id 4 appears twice"),
    ],
)
def test_other_columns_and_repeated_ids_are_refused(text: str, words: str) -> None:
    with pytest.raises(SubmissionError, match=words):
        read_predictions(text.encode(), a_format("labels"))


def test_two_columns_of_zeros_and_ones_need_not_sum_to_one() -> None:
    wanted = a_format("labels", ("sea", "sky"))
    found = read_predictions(b"id,sea,sky\n4,1,1\n7,0,0\n9,1,0\n", wanted)
    assert found.values.tolist() == [[1, 1], [0, 0], [1, 0]]


def test_a_table_of_one_column_stays_a_table() -> None:
    assert read_predictions(b"id,sea\n4,1\n7,0\n9,1\n", a_format("labels", ("sea",))).values.shape == (3, 1)


@pytest.mark.parametrize("takes", ["numbers", "scores", "labels"])
def test_the_sample_is_valid_for_the_format_that_a_server_describes(takes: Takes) -> None:
    wanted = a_format(takes)
    sample = sample_submission(wanted)
    again = format_with_ids(wanted.to_wire(), sample)
    assert again.is_table
    assert read_predictions(sample, again).values.shape == (3, 3)
