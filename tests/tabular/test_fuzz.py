"""Hundreds of damaged files, in `make slow` a thousand: each is read or refused as a plain reader would."""

from collections import Counter

import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, lines, read_predictions
from ladderboard.tabular.containers import open_content
from ladderboard.tabular.problems import MANY_PROBLEMS, Problems
from tests.tabular.files import a_format, same
from tests.tabular.fuzz import fuzzed_files
from tests.tabular.reference import judge

IDS = [str(one) for one in range(30)]
FORMATS = [
    a_format(IDS),
    a_format([f"p {one}" for one in IDS]),
    a_format(IDS, "classes", classes=("a", "b b", 'c"')),
    a_format(IDS, "classes", classes=(0, 1, 2)),
    a_format(IDS, "probabilities", classes=("no", "yes")),
    a_format(IDS, "probabilities", classes=(0, 1, 2), prediction_columns=("0", "1", "2")),
]
VERY_LONG = 100_000
"""The plain reader has no limits, so that such a file may be right to it alone."""
CUT_SHORT = {"long_line", "too_many_rows", "too_many_problems", "unclosed_quote", "unsupported_file"}


@pytest.mark.parametrize("count", [250, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused_and_nothing_else(count: int) -> None:
    outcomes: Counter[str] = Counter()
    for data in fuzzed_files(7, count, FORMATS[0]):
        try:
            outcomes["read"] += len(read_predictions(data, FORMATS[0])) == len(IDS)
        except SubmissionError as refusal:
            outcomes["refused"] += 1
            told = refusal
            outcomes["told"] += told.total >= 1 and len(told.problems) <= 20
    assert outcomes["read"] + outcomes["refused"] == count
    assert outcomes["told"] == outcomes["refused"]
    assert min(outcomes.values()) > count / 50  # both happen, or the damage is too mild or too wild to find anything


@pytest.mark.parametrize("count", [80, pytest.param(250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("longest", [lines.LONGEST_LINE, 200], ids=["in one block", "in many blocks"])
@pytest.mark.parametrize("format", FORMATS, ids=lambda format: f"{format.takes} {format.classes}")  # noqa: A006
def test_every_value_and_every_problem_is_what_a_plain_reader_finds(
    format: SubmissionFormat,  # noqa: A002
    longest: int,
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", longest)
    accepted = refused = 0
    for data in fuzzed_files(11, count, format):
        try:
            content = open_content(data, Problems())
            if content.is_parquet:
                continue
            text = content.read()
            if len(text) > 100 * longest:
                continue
        except SubmissionError:
            continue
        expected = judge(text, format)
        if expected is None:
            with pytest.raises(SubmissionError):
                read_predictions(text, format)
        elif expected.counts is None:
            try:
                assert same(read_predictions(text, format).values, expected.values), text
                accepted += 1
            except SubmissionError as refusal:
                is_cut_short = len(text) > VERY_LONG and set(refusal.counts) <= CUT_SHORT
                assert is_cut_short, text
        else:
            with pytest.raises(SubmissionError) as caught:
                read_predictions(text, format)
            if not CUT_SHORT & set(caught.value.counts):
                assert caught.value.counts == expected.counts, text
                refused += 1
    assert min(accepted, refused) > count / 25
    assert len(IDS) < MANY_PROBLEMS


def test_the_same_seed_gives_the_same_files() -> None:
    assert list(fuzzed_files(3, 20, FORMATS[0])) == list(fuzzed_files(3, 20, FORMATS[0]))
    assert list(fuzzed_files(3, 20, FORMATS[0])) != list(fuzzed_files(4, 20, FORMATS[0]))
