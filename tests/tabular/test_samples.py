"""The sample submission is valid, and the format comes back from it and from its JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ladderboard.core.errors import InputError, SubmissionError
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
        shown = format.classes[: len(values)]
        assert values.tolist() == [*shown, *[format.classes[0]] * (len(values) - len(shown))]
    else:
        assert np.all(values == expected.get(format.takes, max(0, format.smallest)))


def test_a_sample_shows_no_class_that_participants_are_not_told() -> None:
    hidden = replace(CLASSES, shows_classes=False)
    assert {line.partition(b",")[2] for line in sample_submission(hidden).splitlines()[1:]} == {b""}
    assert hidden.to_wire()["classes"] == []


def test_a_file_is_checked_without_knowing_the_classes() -> None:
    hidden = replace(CLASSES, shows_classes=False)
    unknown = format_with_ids(hidden.to_wire(), sample_submission(hidden))
    sent = sample_submission(CLASSES)
    assert same(read_predictions(sent, unknown).values, read_predictions(sent, CLASSES).values)
    with pytest.raises(SubmissionError, match="the cell is empty; every row needs a class"):
        read_predictions(sample_submission(hidden), unknown)


@pytest.mark.parametrize(
    ("format", "content"),
    [
        (CLASSES, sample_submission(CLASSES, "virginicus")),
        (TWO, sample_submission(TWO).replace(b"prediction", str(TWO.classes[1]).encode(), 1)),
    ],
)
def test_no_refusal_names_a_class_that_participants_are_not_told(format: SubmissionFormat, content: bytes) -> None:  # noqa: A002
    given = str(format.classes[1]) if format is TWO else "virginicus"
    with pytest.raises(SubmissionError) as refused:
        read_predictions(content, replace(format, shows_classes=False))
    told = str(refused.value).replace(given, "")
    assert not [one for one in format.classes if repr(str(one)) in told], told


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
