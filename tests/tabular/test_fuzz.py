"""A thousand damaged files: each is read or refused, and the fast way never accepts what the exact way refuses."""

from collections import Counter

import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, read_predictions
from ladderboard.tabular.containers import open_content
from ladderboard.tabular.exact import read_exactly
from ladderboard.tabular.fast import read_fast
from ladderboard.tabular.problems import Problems
from tests.tabular.files import a_format, same
from tests.tabular.fuzz import fuzzed_files

COUNT = 1000
IDS = [str(one) for one in range(30)]
FORMATS = [
    a_format(IDS),
    a_format([f"p {one}" for one in IDS]),
    a_format(IDS, "classes", classes=("a", "b b", 'c"')),
    a_format(IDS, "classes", classes=(0, 1, 2)),
    a_format(IDS, "probabilities", classes=("no", "yes")),
    a_format(IDS, "probabilities", classes=(0, 1, 2), prediction_columns=("0", "1", "2")),
]


def test_a_damaged_file_is_read_or_refused_and_nothing_else() -> None:
    outcomes: Counter[str] = Counter()
    for data in fuzzed_files(7, COUNT, FORMATS[0]):
        try:
            outcomes["read"] += len(read_predictions(data, FORMATS[0])) == len(IDS)
        except SubmissionError as refusal:
            outcomes["refused"] += 1
            told = refusal
            outcomes["told"] += told.total >= 1 and len(told.problems) <= 20
    assert outcomes["read"] + outcomes["refused"] == COUNT
    assert outcomes["told"] == outcomes["refused"]
    assert min(outcomes.values()) > 20  # both happen, or the damage is too mild or too wild to find anything


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: f"{format.takes} {format.classes}")  # noqa: A006
def test_the_fast_way_never_accepts_what_the_exact_way_refuses(format: SubmissionFormat) -> None:  # noqa: A002
    accepted = 0
    for data in fuzzed_files(11, COUNT // 4, format):
        try:
            content = open_content(data, Problems())
        except SubmissionError:
            continue
        fast = None if content.is_parquet else read_fast(content.data, format)
        if fast is None:
            continue
        try:
            exact = read_exactly(content.data, format, Problems())
        except SubmissionError as refusal:
            # The one difference: a cell of more than 131,072 characters, all blanks and digits.
            assert set(refusal.counts) == {"long_line"}, content.data  # noqa: PT017
            continue
        accepted += 1
        assert same(fast.values, exact.values), content.data
    assert accepted > 2


def test_the_same_seed_gives_the_same_files() -> None:
    assert list(fuzzed_files(3, 20, FORMATS[0])) == list(fuzzed_files(3, 20, FORMATS[0]))
    assert list(fuzzed_files(3, 20, FORMATS[0])) != list(fuzzed_files(4, 20, FORMATS[0]))
