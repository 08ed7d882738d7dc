"""The pinned reference: what is answered, what is counted, what is refused."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.bounds import answers_probability, leakage_bits
from tests.guard.guards import Labels, labels_of, with_errors

ITEMS = 4000


@pytest.fixture
def labels() -> Labels:
    return labels_of(ITEMS)


@pytest.fixture
def deployed(labels: Labels) -> Labels:
    return with_errors(labels, 800)


@pytest.fixture
def holdout(labels: Labels, deployed: Labels) -> lb.Holdout:
    guard = lb.Holdout(labels, path=":memory:", seed=3)
    guard.pin(deployed)
    return guard


def near(deployed: Labels, changed: int, seed: int = 1) -> Labels:
    """The deployed model with some predictions turned: as many repaired as their error rate says, the rest broken."""
    return with_errors(deployed, changed, seed)


def test_a_near_copy_is_not_worse_and_a_bad_model_is_not_shown_to_be(
    holdout: lb.Holdout, deployed: Labels, labels: Labels
) -> None:
    assert holdout.check_not_worse(near(deployed, 8), margin=0.02).not_worse
    assert not holdout.check_not_worse(with_errors(labels, 1200, 2), margin=0.02).not_worse


def test_a_question_is_no_attempt_and_tells_one_bit_that_the_meter_counts(
    holdout: lb.Holdout, deployed: Labels
) -> None:
    before = (holdout.attempts, holdout.best, holdout.history())
    first = holdout.check_not_worse(near(deployed, 8), margin=0.02)
    assert (holdout.attempts, holdout.best, holdout.history()) == before
    assert holdout.leakage.bits == leakage_bits(1, int(first.not_worse), 1)


def test_the_same_question_again_costs_nothing_and_another_margin_is_another_question(
    holdout: lb.Holdout, deployed: Labels
) -> None:
    first = holdout.check_not_worse(near(deployed, 8), margin=0.02)
    bits = holdout.leakage.bits
    again = holdout.check_not_worse(near(deployed, 8), margin=0.02)
    assert (again.not_worse, again.question, again.is_repeat) == (first.not_worse, 1, True)
    assert holdout.leakage.bits == bits
    assert holdout.check_not_worse(near(deployed, 8), margin=0.03).question == 2


def test_the_reference_is_not_worse_than_itself_and_that_is_free(holdout: lb.Holdout, deployed: Labels) -> None:
    answer = holdout.check_not_worse(deployed, margin=1e-9)
    assert (answer.not_worse, answer.question) == (True, None)
    assert holdout.leakage.bits == 0


def test_the_next_run_goes_on_where_this_one_stopped(tmp_path: Path, deployed: Labels, labels: Labels) -> None:
    path = tmp_path / "holdout.db"
    with lb.Holdout(labels, path=path, seed=3) as holdout:
        holdout.pin(deployed)
        holdout.check_not_worse(near(deployed, 8), margin=0.02)
    with lb.Holdout(labels, path=path) as reopened:
        again = reopened.check_not_worse(near(deployed, 8), margin=0.02)
        assert (again.question, again.is_repeat) == (1, True)
        assert reopened.check_not_worse(with_errors(labels, 900, 5), margin=0.05).question == 2


def test_answers_take_their_share_of_the_level_of_improved(deployed: Labels, labels: Labels) -> None:
    """A transcript of q answers has the share P(q, yes); over all transcripts they sum to one."""
    shares = [answers_probability(6, sum(answers)) for answers in product((0, 1), repeat=6)]
    assert sum(shares) == pytest.approx(1)
    untouched, asked = (lb.Holdout(labels, path=":memory:", seed=3) for _ in range(2))
    asked.pin(deployed)
    for seed in range(40):
        asked.check_not_worse(with_errors(labels, 1500, seed), margin=0.05)
    better = with_errors(labels, 1816, 9)
    assert [untouched.score(better).improved, asked.score(better).improved] == [True, False]


def test_an_attempt_is_pinned_only_where_its_predictions_are_kept(labels: Labels) -> None:
    guard = lb.Holdout(labels, path=":memory:", seed=3)
    with pytest.raises(lb.GuardFileError, match="nothing was accepted yet"):
        guard.pin()
    for errors in (1200, 1190, 300):
        guard.score(with_errors(labels, errors))
    guard.pin()
    assert guard.check_not_worse(with_errors(labels, 300), margin=0.1).reference == 3
    with pytest.raises(lb.GuardFileError, match="attempt 2 are not kept"):
        guard.pin(attempt=2)


def test_refused_questions_cost_nothing(holdout: lb.Holdout, deployed: Labels, labels: Labels) -> None:
    with pytest.raises(lb.ParameterError, match="cannot be shown on 2666 hidden items"):
        holdout.check_not_worse(near(deployed, 8), margin=0.0005)
    for margin in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(lb.ParameterError, match="must be positive"):
            holdout.check_not_worse(near(deployed, 8), margin=margin)
    with pytest.raises(lb.PredictionsError):
        holdout.check_not_worse(deployed[:-1], margin=0.02)
    assert holdout.leakage.bits == 0
    with pytest.raises(lb.GuardFileError, match="no reference is pinned"):
        lb.Holdout(labels, path=":memory:").check_not_worse(deployed)
    other = lb.Holdout(labels, mechanism="spending_ladder", path=":memory:")
    other.pin(deployed)
    with pytest.raises(lb.ParameterError, match="use a guard with the witness_ladder"):
        other.check_not_worse(near(deployed, 8))


@pytest.mark.parametrize("metric", ["brier", "log_loss", "auc", "rmse", "spearman"])
def test_every_kind_of_metric_is_answered(metric: str) -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 2000) if metric in ("brier", "log_loss", "auc") else rng.normal(size=2000)
    signal = labels + rng.normal(size=2000) / 3
    deployed = 1 / (1 + np.exp(-6 * (signal - 0.5))) if metric in ("brier", "log_loss") else signal
    guard = lb.Holdout(labels, metric=metric, path=":memory:", seed=1)
    guard.pin(deployed)
    near = np.clip(deployed + 0.001 * rng.normal(size=2000), 0, 1) if deployed.max() <= 1 else deployed * 1.0001
    shuffled = rng.permutation(deployed)
    wide = {"log_loss": 0.2, "rmse": 0.1}.get(metric, 0.05)
    # Scores in the same order are the same ranking: no item differs, and without a bound on one item none is shown.
    assert guard.check_not_worse(near, margin=wide).not_worse or metric == "spearman"
    assert not guard.check_not_worse(shuffled, margin=wide).not_worse


def test_nothing_of_the_labels_is_in_the_answer(holdout: lb.Holdout, deployed: Labels) -> None:
    answer = holdout.check_not_worse(near(deployed, 8), margin=0.02)
    assert set(json.loads(json.dumps(vars(answer)))) == {"not_worse", "margin", "question", "reference", "is_repeat"}
