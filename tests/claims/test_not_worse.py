"""The words "not worse": at most one series in 20 ever hears them wrongly, however many questions are asked."""

from collections.abc import Callable

import numpy as np
import pytest

from ladderboard.core.records import Evaluation, State
from ladderboard.mechanisms.base import AnswerTest
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from tests.claims.not_worse import (
    answers_an_equal,
    hears_a_wrong_answer,
    is_fooled_by_questions,
    is_fooled_by_scores,
)
from tests.claims.sizes import most

pytestmark = pytest.mark.filterwarnings("ignore::ladderboard.guard.warnings.LowPowerWarning")
"""True of these small holdouts, and about another question."""

SERIES = 60


def share(run: Callable[[int], bool]) -> float:
    return float(np.mean([run(seed) for seed in range(SERIES)]))


def ask_bad_models(seed: int) -> bool:
    return hears_a_wrong_answer(n=400, questions=25, margin=0.05, seed=seed)


def learn_from_answers(seed: int) -> bool:
    return is_fooled_by_questions(n=400, questions=60, margin=0.15, seed=seed)


def learn_from_scores(seed: int) -> bool:
    return is_fooled_by_scores(n=600, budget=200, margin=0.03, seed=seed)


RUNS = [ask_bad_models, learn_from_answers, learn_from_scores]


@pytest.mark.claim
@pytest.mark.parametrize("run", RUNS)
def test_at_most_one_series_in_twenty_ever_hears_it_wrongly(run: Callable[[int], bool]) -> None:
    assert share(run) <= most(0.05, SERIES)


@pytest.mark.claim
@pytest.mark.parametrize("run", RUNS)
def test_with_five_per_cent_for_each_question_it_would_be_heard_wrongly(
    run: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: the same test without a level that is spent."""

    def spend_nothing(rule: WitnessLadder, state: State, evaluation: Evaluation) -> AnswerTest:
        return AnswerTest(rule.list_parts(state, evaluation)[1], rule.alpha)

    monkeypatch.setattr(WitnessLadder, "answer_test", spend_nothing)
    assert share(run) > most(0.05, SERIES)


@pytest.mark.claim
def test_an_equal_model_is_heard_to_be_not_worse() -> None:
    """It has to be said at all: an error rate of 1/5, 4 % of the predictions changed, n = 4,000, margin .02."""
    assert share(lambda seed: answers_an_equal(n=4000, margin=0.02, seed=seed)) > 0.8
