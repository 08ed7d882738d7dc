"""The sample submission is valid, and the format comes back from it and from its JSON."""

import json

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.tabular import SubmissionFormat, format_with_ids, read_predictions, sample_submission
from tests.tabular.files import CLASSES, LOG_NUMBERS, NUMBERS, SCORES, TEXT_IDS, THREE, TWO, a_format, same

FORMATS = [
    NUMBERS,
    TEXT_IDS,
    LOG_NUMBERS,
    SCORES,
    CLASSES,
    TWO,
    THREE,
    a_format(["007", "7"]),
    a_format(["é", 'a"b', "c,d", "e\nf"], "classes", classes=(False, True)),
    a_format(smallest=2.5),
]


@pytest.mark.parametrize("format", FORMATS)
def test_a_sample_submission_is_valid(format: SubmissionFormat) -> None:  # noqa: A002
    values = read_predictions(sample_submission(format), format).values
    assert len(values) == len(format.ids)
    expected = {"probabilities": 1 / max(2, len(format.prediction_columns))}
    if format.takes == "classes":
        assert set(values.tolist()) == {format.classes[0]}
    else:
        assert np.all(values == expected.get(format.takes, max(0, format.smallest)))


def test_a_sample_submission_may_be_filled_with_something_else() -> None:
    assert set(read_predictions(sample_submission(CLASSES, "virginica"), CLASSES).values.tolist()) == {"virginica"}


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_comes_back_from_json_and_the_sample(format: SubmissionFormat) -> None:  # noqa: A002
    wire = json.loads(json.dumps(format.to_wire(), allow_nan=False))
    found = format_with_ids(wire, sample_submission(format))
    assert same(found.ids, format.ids)
    assert found.to_wire() == format.to_wire()
    assert found.smallest == format.smallest
    assert [type(one) for one in found.classes] == [type(one) for one in format.classes]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (b"id,prediction\n1,0\n2,0\n", "has 2 ids, but the competition has 3"),
        (b"id,prediction\n1,0\n2,0\n2,0\n", "has 2 ids"),
        (b"ID,prediction\n1,0\n", "no column 'id'"),
        (b"", "no column 'id'"),
        (b'id,prediction\n1,"0\n', "cannot be read"),
        (b"id,prediction\n\xff,0\n", "cannot be read"),
    ],
)
def test_a_sample_of_another_competition_is_refused(sample: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        format_with_ids(NUMBERS.to_wire(), sample)


def test_the_json_of_a_format_has_no_ids() -> None:
    assert "ids" not in NUMBERS.to_wire()
    assert NUMBERS.to_wire()["rows"] == 3
