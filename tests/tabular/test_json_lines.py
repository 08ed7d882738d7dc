"""JSON Lines: read by the reader of tables, and refused by line."""

import gzip
import json

import numpy as np
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, UnreadableTableError, read_predictions, read_table
from ladderboard.tabular.containers import PIECE
from ladderboard.tabular.lines import LONGEST_LINE

FORMAT = SubmissionFormat("id", np.array([4, 7, 9]), ("answer",), "text")
TEXTS = ['she said "yes", twice\nand left', "", "naïve 1,5"]


def dump(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def refusal(content: bytes, shape: SubmissionFormat = FORMAT) -> str:
    with pytest.raises(SubmissionError) as found:
        read_predictions(content, shape)
    return str(found.value)


def test_texts_arrive_as_they_are_whatever_signs_they_hold() -> None:
    rows = [{"answer": text, "id": one} for one, text in zip([4, 7, 9], TEXTS, strict=True)]
    for content in (dump(*rows[::-1]), gzip.compress(dump(*rows)), b"\xef\xbb\xbf" + dump(*rows), dump(*rows)[:-1]):
        assert read_predictions(content, FORMAT).values.tolist() == TEXTS


def test_numbers_lists_truths_and_nothing_are_cells() -> None:
    numbers = SubmissionFormat("id", np.array([4, 7]), ("p",), "numbers")
    assert read_predictions(b'{"id": 7, "p": 1e-3}\n\n{"id": "4", "p": 0.10}\n', numbers).values.tolist() == [
        0.1,
        0.001,
    ]
    assert "'NaN' is not a finite number" in refusal(b'{"id": 7, "p": NaN}\n{"id": 4, "p": 1}\n', numbers)
    lists = SubmissionFormat("id", np.array([4, 7]), ("p",), "ranking", most_entries=3)
    given = dump({"id": 4, "p": ["d1", 2]}, {"id": 7, "p": "d3"})
    assert read_predictions(given, lists).values.tolist() == ["d1 2", "d3"]
    truths = SubmissionFormat("id", np.array([4, 7]), ("p",), "classes", classes=(False, True))
    assert read_predictions(dump({"id": 4, "p": True}, {"id": 7, "p": False}), truths).values.tolist() == [True, False]


def test_what_a_cell_holds_is_judged_like_that_of_any_table_and_told_by_its_row() -> None:
    told = refusal(dump({"id": 4, "answer": "x" * 10_001}, {"id": 4, "answer": "b"}))
    for words in ("2 ids have no row: 7, 9", "row 1: column 'answer': ", "row 2: id 4 appears twice (first on row 1)"):
        assert words in told


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (b'{"id": 7, "answer": "b"', "the line is not a JSON object; JSON Lines has one in each line"),
        (b"[7]", "the line is not a JSON object"),
        (b"7,b", "the line is not a JSON object"),
        (b'{"id": 7, "answer": ' + b"[" * 100_000, "the line is not a JSON object"),
        (b'{"id": 7, "reply": "b"}', "the object has the keys 'id', 'reply', but those before it have 'id', 'answer'"),
        (b'{"id": 7, "id": 8, "answer": "b"}', "a key appears twice"),
        (b'{"id": 7, "answer": {"text": "b"}}', "key 'answer' holds an object"),
        (b'{"id": 7, "answer": ["a", ["b"]]}', "key 'answer': the entries of a list must be"),
        (b'{"id": 7, "answer": ["a b", "c"]}', "key 'answer': the entries of a list must be"),
        (b'{"id": 7, "answer": "\xff"}', "the line is not UTF-8"),
        (b'{"id": 7, "answer": "' + b"x" * (LONGEST_LINE + PIECE), "the line has more than 1 MiB"),
    ],
    ids=lambda one: str(one)[:24],
)
def test_a_line_that_is_no_row_is_refused_by_its_number(second: bytes, words: str) -> None:
    assert refusal(b'{"id": 4, "answer": "a"}\n' + second + b"\n").startswith(f"the file: line 2: {words}")


def test_a_solution_may_be_json_lines_and_its_lines_are_those_of_the_file() -> None:
    table = read_table(b'{"id": 1, "label": "a\\nb"}\n\n{"id": 2, "label": null}\n')
    assert table.columns == ("id", "label")
    assert table.column("label").to_list() == ["a\nb", None]
    assert (table.place(0), table.place(1)) == ("line 1", "line 3")
    with pytest.raises(UnreadableTableError, match="line 2: the line is not a JSON object"):
        read_table(b'{"id": 1}\nx\n')
