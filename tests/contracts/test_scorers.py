"""The contract of scorers: every kind reads without labels, and gives every item a value."""

import numpy as np
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.scoring.scorer import ItemScores
from tests.contracts.scorer_cases import CASES, ScorerCase


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> ScorerCase:
    return request.param  # type: ignore[no-any-return]


def test_every_item_gets_a_value(case: ScorerCase) -> None:
    scorer = case.make(0).scorer
    scores = scorer.score(scorer.read(case.good))
    assert len(scores.values) == case.items
    assert scores.report == ""


def test_equal_files_get_equal_scores(case: ScorerCase) -> None:
    scorer = case.make(0).scorer
    one, other = (scorer.score(scorer.read(case.good)).pack(scorer.digest) for _ in range(2))
    assert one == other


def test_what_is_packed_is_unpacked(case: ScorerCase) -> None:
    scorer = case.make(0).scorer
    scores = scorer.score(scorer.read(case.good))
    packed = scores.pack("f00d")
    assert ItemScores.unpack(packed, "beef") is None, "they are another scorer's"
    again = ItemScores.unpack(packed, "f00d")
    assert again is not None
    assert np.array_equal(again.values, scores.values)
    assert again.report == scores.report


def test_a_bad_file_is_refused_in_the_same_words_whatever_the_labels(case: ScorerCase) -> None:
    judges = [case.make(seed) for seed in (0, 1)]
    said = []
    for judge in judges:
        with pytest.raises(SubmissionError) as refusal:
            judge.scorer.read(case.bad, "mine")
        said.append(str(refusal.value))
    assert said[0] == said[1]
    # The labels do differ, else this test could not fail.
    assert judges[0].compute_score(case.good) != judges[1].compute_score(case.good)
