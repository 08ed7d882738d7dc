"""Submissions of lists, masks and texts: read by id, and refused by line and column."""

import gzip

import numpy as np
import polars as pl
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, format_with_ids, read_predictions, sample_submission
from ladderboard.tabular.format import Takes
from tests.tabular.files import parquet

IDS = np.array([4, 7, 9])
TEXTS = ("ranking", "mask", "text")
CELLS: dict[Takes, list[str]] = {
    "ranking": ["d1 d2", "d3", "d2 d1 d9"],
    "mask": ["1 2 5 1", "", "3 4"],
    "text": ['she said "yes", twice', "", '"all of it"'],
}


def a_format(takes: Takes) -> SubmissionFormat:
    pixels = np.array([9, 9, 6]) if takes == "mask" else None
    return SubmissionFormat("id", IDS, ("answer",), takes, most_entries=3, pixels=pixels)


def read(text: str, takes: Takes) -> list[str]:
    found: list[str] = read_predictions(text.encode(), a_format(takes)).values.tolist()
    return found


def refusal(text: str, takes: Takes) -> str:
    with pytest.raises(SubmissionError) as found:
        read(text, takes)
    return str(found.value)


@pytest.mark.parametrize("takes", TEXTS)
def test_rows_come_in_any_order_and_container(takes: Takes) -> None:
    frame = pl.DataFrame({"id": IDS, "answer": CELLS[takes]})
    turned = frame.select("answer", "id").reverse()
    for file in (
        frame.write_csv().encode(),
        gzip.compress(turned.write_csv(separator="\t").encode()),
        parquet(**turned.to_dict()),
    ):
        found = read_predictions(file, a_format(takes)).values
        assert found.dtype.kind == "O"
        assert found.tolist() == CELLS[takes]


def test_a_text_may_have_several_lines_and_commas() -> None:
    assert read('id,answer\n4,"one, two\nthree"\n7, x \n9,1.50\n', "text") == ["one, two\nthree", "x", "1.50"]


@pytest.mark.parametrize(
    ("takes", "cell", "words"),
    [
        ("ranking", "a b c d", "column 'answer': 'a b c d' has 4 entries; a list has at most 3"),
        ("ranking", "a b a", "column 'answer': 'a b a' names 'a' twice"),
        ("ranking", "", "column 'answer': the cell is empty; every row needs a list with at least one id"),
        ("mask", "1 2 3", "column 'answer': '1 2 3' has 3 numbers; a run is a pair of a start and a length"),
        ("mask", "3 2 1 1", "column 'answer': '3 2 1 1' has runs out of order: 1 comes after 3"),
        ("mask", "1 3 2 1", "column 'answer': '1 3 2 1' has overlapping runs: pixel 2 is in two"),
        ("mask", "5 6", "column 'answer': '5 6' reaches pixel 10, but the picture has 9"),
    ],
)
def test_a_bad_cell_is_told_with_its_line_and_column(takes: Takes, cell: str, words: str) -> None:
    good = CELLS[takes][0]
    assert refusal(f"id,answer\n9,{good}\n7,{cell}\n4,{good}\n", takes) == f"the file: line 3: {words}"


def test_the_same_mask_may_fit_one_picture_and_not_another() -> None:
    assert refusal("id,answer\n9,1 9\n7,1 9\n4,1 9\n", "mask").startswith("the file: line 2: ")
    assert read("id,answer\n9,1 6\n7,1 9\n4,1 9\n", "mask") == ["1 9", "1 9", "1 6"]


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = refusal("id,answer\n9,a a\n7,\n5,b\n", "ranking")
    for words in ("1 id has no row: 4", "line 2: column 'answer': 'a a' names", "line 3: ", "line 4: there is no id 5"):
        assert words in told


def test_a_very_long_text_is_refused() -> None:
    assert "has 10,001 characters; a text has at most 10,000" in refusal(
        f"id,answer\n4,{'x' * 10_001}\n7,a\n9,b\n", "text"
    )


@pytest.mark.parametrize("takes", TEXTS)
def test_the_sample_is_valid_and_completes_what_a_server_says(takes: Takes) -> None:
    shape = a_format(takes)
    sample = sample_submission(shape)
    again = format_with_ids(shape.to_wire(), sample)
    assert again.to_wire() == shape.to_wire()
    assert len(set(read_predictions(sample, again).values.tolist())) == 1
