import copy
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladderboard.core.errors import (
    GuardFileError,
    HoldoutSpentError,
    InputError,
    LabelsError,
    ParameterError,
    PredictionsError,
    WrongLabelsError,
)
from ladderboard.core.records import FloatArray, Release
from ladderboard.core.scales import PROPORTION
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.warnings import FreshStartWarning, LowPowerWarning
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.shaky_ladder import ShakyLadder
from ladderboard.mechanisms.thresholdout import Thresholdout
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.error_rate import majority_class
from ladderboard.metrics.inputs import Array, Classes
from tests.guard.guards import labels_of, with_errors

LABELS = labels_of()
MAY_FORK = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # newer Pythons warn where there are threads


class HalvedErrorRate(MeanMetric):
    """A metric of a user's own."""

    name = "halved_error_rate"
    kind = Classes()
    lower_is_better = True
    bounds = (0.0, 1.0)
    scale = PROPORTION

    def __init__(self, factor: float = 0.5) -> None:
        self.factor = factor

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return self.factor * np.asarray(y != p, dtype=np.float64)

    def compute_baseline(self, y: Array) -> Array | float:
        return majority_class(y)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "holdout.db"


# -- asking --------------------------------------------------------------------------------------------------------


def test_a_real_improvement_is_accepted_and_noise_is_not() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    assert holdout.best == pytest.approx(0.5, abs=0.02)
    better = holdout.score(with_errors(LABELS, 120))
    assert better.improved
    assert better.accepted
    assert better.value == pytest.approx(0.2, abs=0.03)
    # One item better on the holdout is luck.
    luck = holdout.score(with_errors(LABELS, 119))
    assert not luck.improved
    assert luck.value == better.value
    assert (holdout.attempts, holdout.best) == (2, better.board_value)
    assert holdout.history() == [better, luck]


def test_the_same_labels_and_seed_give_the_same_releases() -> None:
    submissions = [with_errors(LABELS, errors, seed) for seed, errors in enumerate((280, 200, 190, 120, 60, 61, 5))]

    def releases(seed: int) -> list[object]:
        with Holdout(LABELS, path=":memory:", seed=seed) as holdout:
            return [holdout.score(one) for one in submissions]

    assert releases(7) == releases(7)
    assert len({str(releases(seed)) for seed in range(5)}) > 1  # another secret split, other releases


def test_a_mechanism_that_shows_no_scores_is_refused_with_what_to_take(path: Path) -> None:
    with pytest.raises(ParameterError, match="never answer; take another mechanism, such as witness_ladder"):
        Holdout(LABELS, mechanism="silent", path=path)
    assert not path.exists()


@pytest.mark.parametrize("name", sorted(name for name, made in MECHANISMS.items() if made.shows_scores))
def test_every_mechanism_goes_on_after_a_restart_as_if_there_had_been_none(name: str, path: Path) -> None:
    submissions = [with_errors(LABELS, errors, seed) for seed, errors in enumerate((280, 120, 121, 5))]

    def told(holdout: Holdout, number: int) -> object:
        if holdout.mechanism.certifies and number == 0:
            holdout.pin(submissions[0])
            return None
        try:
            return holdout.score(submissions[number], training_score=0.1 * number)
        except HoldoutSpentError as spent:
            return str(spent)

    uninterrupted = Holdout(LABELS, mechanism=name, path=":memory:", seed=3)
    expected = [told(uninterrupted, number) for number in range(len(submissions))]
    resumed = []
    for number in range(len(submissions)):
        with Holdout(LABELS, mechanism=name if number == 0 else None, path=path, seed=3) as holdout:
            resumed.append(told(holdout, number))
            assert holdout.mechanism == MECHANISMS[name]()
    assert resumed == expected
    with Holdout(LABELS, path=path) as holdout:
        assert holdout.leakage == uninterrupted.leakage
        assert holdout.history() == uninterrupted.history()


def test_predictions_scored_before_get_the_stored_release_and_spend_nothing() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    first = holdout.score(with_errors(LABELS, 200))
    second = holdout.score(with_errors(LABELS, 60))
    assert second.improved
    again = holdout.score(with_errors(LABELS, 200).astype(float).tolist())
    # The answer of then, with the board of today: a worse model does not hear "improved" again.
    assert (again.value, again.attempt, again.is_repeat) == (first.value, first.attempt, True)
    assert (again.board_value, again.interval, again.improved) == (second.board_value, second.interval, False)
    assert holdout.score(with_errors(LABELS, 60)).improved
    assert holdout.attempts == 2


def test_negative_zero_is_zero() -> None:
    labels = np.random.default_rng(0).uniform(-3, 3, size=300)
    holdout = Holdout(labels, "mse", path=":memory:", seed=1)
    predictions = np.round(labels)
    assert (predictions == 0).any()
    first = holdout.score(np.where(predictions == 0, 0.0, predictions))
    assert holdout.score(np.where(predictions == 0, -0.0, predictions)) == replace(first, is_repeat=True)
    assert holdout.attempts == 1


def test_arrays_that_are_changed_after_scoring_change_nothing() -> None:
    labels = np.random.default_rng(0).uniform(size=600)
    close, closer = labels + 0.05, labels + 0.01

    def releases(*, reuse_memory: bool) -> list[Release]:
        y, p = labels.copy(), close.copy()
        holdout = Holdout(y, "mse", path=":memory:", seed=1, weight=(w := np.ones(600)))
        told = [holdout.score(p)]
        if reuse_memory:
            y[:], w[:], p[:] = 0.0, 7.0, closer
        return [*told, holdout.score(p if reuse_memory else closer), holdout.score(labels + 0.011)]

    assert releases(reuse_memory=True) == releases(reuse_memory=False)
    codes = LABELS.astype(np.int8)
    holdout = Holdout(codes, path=":memory:", seed=1)
    guess = with_errors(LABELS, 120).astype(np.int8)
    assert holdout.score(guess).accepted
    guess[:], codes[:] = 0, 0
    assert not holdout.score(with_errors(LABELS, 200)).accepted


def test_refused_predictions_are_not_charged() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    with pytest.raises(PredictionsError, match="599 predictions for 600 items"):
        holdout.score(LABELS[:-1])
    with pytest.raises(PredictionsError, match=r"row 3: prediction 7"):
        holdout.score(np.where(np.arange(600) == 3, 7, LABELS))
    assert holdout.attempts == 0


def test_a_spent_budget_is_said_and_old_answers_stay_available() -> None:
    holdout = Holdout(LABELS, mechanism=ShakyLadder(step_size=0.5), path=":memory:", seed=1)
    first = holdout.score(with_errors(LABELS, 300))
    for errors in range(299, 0, -1):
        with suppress(HoldoutSpentError):
            holdout.score(with_errors(LABELS, errors))
    with pytest.raises(HoldoutSpentError, match="budget"):
        holdout.score(LABELS)
    attempts = holdout.attempts
    assert 1 <= attempts < 300
    assert holdout.score(with_errors(LABELS, 300)).value == first.value
    assert holdout.attempts == attempts


def test_a_training_score_reaches_the_mechanism() -> None:
    # Thresholdout repeats the training score where the holdout agrees with it, and answers for itself where not.
    holdout = Holdout(LABELS, mechanism=Thresholdout(), path=":memory:", seed=1)
    assert holdout.score(with_errors(LABELS, 120), training_score=0.2001).value == pytest.approx(0.2001)
    assert holdout.score(with_errors(LABELS, 121), training_score=0.9).value == pytest.approx(0.2, abs=0.15)


def test_the_meter_runs_with_every_attempt() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    bits = [holdout.leakage.bits or 0.0]
    for errors in (200, 100, 101, 20):
        holdout.score(with_errors(LABELS, errors))
        bits.append(holdout.leakage.bits or 0.0)
    assert bits[0] == 0
    assert bits == sorted(set(bits))
    assert holdout.leakage == WitnessLadder().leakage(holdout._guard.progress()[0], holdout._key.yardstick)


def test_weights_and_groups_are_part_of_the_holdout(path: Path) -> None:
    group = np.arange(600) // 2
    weight = 1.0 + np.arange(600) % 5
    with Holdout(LABELS, path=path, weight=weight, group=group, seed=1) as holdout:
        first = holdout.score(with_errors(LABELS, 120))
    with Holdout(LABELS, path=path, weight=weight, group=group) as holdout:
        assert holdout.history() == [first]
    for other in ({"weight": weight}, {"group": group}, {"weight": weight + 1, "group": group}):
        with pytest.raises(WrongLabelsError, match="another weight or group"):
            Holdout(LABELS, path=path, **other)


# -- one file, one holdout -----------------------------------------------------------------------------------------


def test_other_labels_are_refused_and_nothing_changes(path: Path) -> None:
    with Holdout(LABELS, path=path, seed=1) as holdout:
        holdout.score(with_errors(LABELS, 120))
    before = path.read_bytes()
    with pytest.raises(WrongLabelsError, match="choose another path for a new holdout"):
        Holdout(LABELS[::-1], path=path)
    with pytest.raises(WrongLabelsError, match="600 items then, 598 now"):
        Holdout(LABELS[:-2], path=path)
    assert path.read_bytes() == before


def test_labels_may_come_back_in_another_spelling(path: Path) -> None:
    with Holdout(LABELS, path=path, seed=1) as holdout:
        first = holdout.score(with_errors(LABELS, 120))
    for same in (LABELS.tolist(), LABELS.astype(float), LABELS.astype(bool), LABELS.astype(np.int8)):
        with Holdout(same, path=path) as holdout:
            assert holdout.score(with_errors(LABELS, 120)) == replace(first, is_repeat=True)
    with pytest.raises(WrongLabelsError):
        Holdout(np.where(LABELS == 1, "yes", "no"), path=path)


def test_another_metric_or_mechanism_or_seed_than_the_files_is_refused(path: Path) -> None:
    Holdout(LABELS, mechanism=Ladder(step_size=0.01), path=path, seed=1).close()
    with pytest.raises(GuardFileError, match="made with the metric error_rate, not mse"):
        Holdout(LABELS, "mse", path=path)
    with pytest.raises(GuardFileError, match=r"made with ladder\(step_size=0.01, .*leave mechanism out"):
        Holdout(LABELS, mechanism=Ladder(step_size=0.02), path=path)
    with pytest.raises(GuardFileError, match="not WitnessLadder"):
        Holdout(LABELS, mechanism="witness_ladder", path=path)
    with pytest.raises(GuardFileError, match="another seed"):
        Holdout(LABELS, path=path, seed=2)
    with Holdout(LABELS, mechanism=Ladder(step_size=0.01), path=path, seed=1) as holdout:
        assert holdout.mechanism == Ladder(step_size=0.01)


def test_a_metric_of_ones_own_is_known_by_its_name_and_parameters(path: Path) -> None:
    with Holdout(LABELS, HalvedErrorRate(), path=path, seed=1) as holdout:
        first = holdout.score(with_errors(LABELS, 120))
    with Holdout(LABELS, HalvedErrorRate(), path=path) as holdout:
        assert holdout.score(with_errors(LABELS, 120)) == replace(first, is_repeat=True)
    with pytest.raises(GuardFileError, match="made with the metric halved_error_rate"):
        Holdout(LABELS, HalvedErrorRate(factor=0.25), path=path)
    with pytest.raises(GuardFileError, match="made with the metric halved_error_rate, not error_rate"):
        Holdout(LABELS, path=path)


def test_a_mechanism_of_ones_own_must_be_given_again(path: Path) -> None:
    class MyLadder(Ladder):
        name = "my_ladder"

    Holdout(LABELS, mechanism=MyLadder(), path=path, seed=1).close()
    with Holdout(LABELS, mechanism=MyLadder(), path=path) as holdout:
        assert holdout.mechanism == MyLadder()
    with pytest.raises(GuardFileError, match="my_ladder, which is not Ladderboard's; give its object"):
        Holdout(LABELS, path=path)


def test_unknown_names_are_refused_with_the_nearest_one(path: Path) -> None:
    with pytest.raises(ParameterError, match="did you mean error_rate"):
        Holdout(LABELS, "eror_rate", path=path)
    with pytest.raises(ParameterError, match="did you mean ladder"):
        Holdout(LABELS, mechanism="lader", path=path)
    with pytest.raises(LabelsError, match="row 1: label nan"):
        Holdout([0.0, float("nan"), 1.0], path=path)
    assert not path.exists()


# -- warnings ------------------------------------------------------------------------------------------------------


def test_without_a_path_the_user_is_told_that_every_run_is_a_fresh_start() -> None:
    with pytest.warns(FreshStartWarning, match=r"fresh start.*path='holdout\.db'") as caught:
        Holdout(LABELS)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_small_holdout_is_called_small(path: Path) -> None:
    with pytest.warns(LowPowerWarning, match=r"a holdout of 200 is small.*error_rate 0\.5\) .*probability 19%"):
        Holdout(LABELS[:200], path=path).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Holdout(LABELS, path=":memory:")  # 600 items: 61 %
        Holdout(LABELS[:200], mechanism="parameter_free_ladder", path=":memory:")  # has no entry test


def test_a_small_holdout_is_not_warned_about_again_once_it_is_in_use(path: Path) -> None:
    with pytest.warns(LowPowerWarning), Holdout(LABELS[:200], path=path) as holdout:
        holdout.score(with_errors(LABELS[:200], 20))
    Holdout(LABELS[:200], path=path).close()  # a warning would be an error


# -- in processes, threads and copies ------------------------------------------------------------------------------


def test_threads_share_one_holdout_and_no_attempt_is_lost(path: Path) -> None:
    with Holdout(LABELS, path=path, seed=1) as holdout, ThreadPoolExecutor(8) as pool:
        releases = list(pool.map(lambda seed: holdout.score(with_errors(LABELS, 250 - 6 * seed, seed)), range(30)))
        assert sorted(release.attempt for release in releases) == list(range(1, 31))
        assert holdout.attempts == 30


@MAY_FORK
def test_a_forked_process_opens_the_file_for_itself(path: Path) -> None:
    holdout = Holdout(LABELS, path=path, seed=1)
    holdout.score(with_errors(LABELS, 250))
    child = os.fork()
    if child == 0:  # the child must leave without pytest's clean-up
        attempt = holdout.score(with_errors(LABELS, 120)).attempt
        os._exit(attempt)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 2
    assert holdout.score(with_errors(LABELS, 121)).attempt == 3


@MAY_FORK
def test_a_forked_process_cannot_use_a_holdout_in_memory() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    child = os.fork()
    if child == 0:
        try:
            holdout.score(LABELS)
        except GuardFileError as problem:
            os._exit(17 if "give it a path" in str(problem) else 1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 17


def test_a_holdout_with_a_file_travels_by_pickle_and_one_in_memory_does_not(path: Path) -> None:
    with Holdout(LABELS, mechanism=Ladder(step_size=0.01), path=path, seed=1) as holdout:
        holdout.score(with_errors(LABELS, 250))
        with pickle.loads(pickle.dumps(holdout)) as same:
            assert same.score(with_errors(LABELS, 120)).attempt == 2
        assert holdout.attempts == 2
    with pytest.raises(TypeError, match="give it a path"):
        pickle.dumps(Holdout(LABELS, path=":memory:"))


def test_a_closed_holdout_says_so(path: Path) -> None:
    holdout = Holdout(LABELS, path=path, seed=1)
    holdout.close()
    holdout.close()
    with pytest.raises(GuardFileError, match="closed"):
        holdout.score(LABELS)


def test_what_it_looks_like(path: Path) -> None:
    with Holdout(LABELS, path=path) as holdout:
        assert repr(holdout).startswith("Holdout(600 items, metric='error_rate', mechanism=WitnessLadder(")
        assert len(holdout) == 600
        assert holdout.classes == (0, 1)


# -- as a scorer ---------------------------------------------------------------------------------------------------


class Fitted:
    """An estimator that answers as told, with only the methods it is given."""

    def __init__(self, **answers: object) -> None:
        for method, answer in answers.items():
            setattr(self, method, answer if method.endswith("_") else lambda _, answer=answer: answer)


INPUTS = np.zeros((600, 2))


def test_the_scorer_returns_the_released_value_greater_is_better() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    scorer = holdout.as_scorer()
    assert scorer(Fitted(predict=with_errors(LABELS, 120)), INPUTS, LABELS) == -(holdout.best or 0)
    assert scorer(Fitted(predict=with_errors(LABELS, 119)), INPUTS) == -(holdout.best or 0)
    assert holdout.attempts == 2
    accuracy = Holdout(LABELS, "accuracy", path=":memory:", seed=1)
    assert accuracy.as_scorer()(Fitted(predict=with_errors(LABELS, 120)), INPUTS, LABELS) == accuracy.best


def test_the_scorer_refuses_other_items_and_charges_nothing() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    scorer = holdout.as_scorer()
    with pytest.raises(InputError, match="X has 599 rows, the holdout 600 items"):
        scorer(Fitted(predict=LABELS), INPUTS[1:], LABELS)
    with pytest.raises(InputError, match="y differs from the holdout's labels"):
        scorer(Fitted(predict=LABELS), INPUTS, LABELS[::-1])
    with pytest.raises(InputError, match="y differs"):
        scorer(Fitted(predict=LABELS), INPUTS, np.ones(600))
    assert holdout.attempts == 0


def test_the_scorer_asks_for_scores_where_the_metric_ranks() -> None:
    margin = np.where(LABELS == 1, 2.0, -1.0) + np.random.default_rng(0).normal(size=600)
    chance = np.stack([1 - 1 / (1 + np.exp(-margin)), 1 / (1 + np.exp(-margin))], axis=1)

    def told(**answers: object) -> float:
        return Holdout(LABELS, "auc", path=":memory:", seed=1).as_scorer()(Fitted(**answers), INPUTS, LABELS)

    by_margin = told(decision_function=margin, predict_proba=chance[:, ::-1], classes_=[0, 1], predict=LABELS)
    by_chance = told(predict_proba=chance, classes_=[0, 1], predict=1 - LABELS)
    assert by_margin == by_chance > 0.9
    assert told(predict=margin) == by_margin


@pytest.mark.parametrize("labels", [LABELS, np.array(["no", "yes"])[LABELS]], ids=["numbers", "words"])
def test_the_scorer_takes_no_classes_for_scores(labels: np.ndarray[Any, Any]) -> None:
    holdout = Holdout(labels, "auc", path=":memory:", seed=1)
    with pytest.raises(PredictionsError, match="Fitted predicts classes, and auc needs scores; give a model with"):
        holdout.as_scorer()(Fitted(predict=labels), INPUTS, labels)
    assert holdout.attempts == 0


def test_the_scorer_puts_probabilities_into_the_holdouts_classes() -> None:
    labels = np.array(["cat", "dog", "eel"])[np.arange(600) % 3]
    table = np.full((600, 3), 0.1)
    table[np.arange(600), np.arange(600) % 3] = 0.8
    holdout = Holdout(labels, "log_loss", path=":memory:", seed=1)
    scorer = holdout.as_scorer()
    turned = scorer(Fitted(predict_proba=table[:, ::-1], classes_=["eel", "dog", "cat"]), INPUTS, labels)
    assert turned == pytest.approx(np.log(0.8), abs=0.1)
    # A class the estimator never saw in training has probability zero.
    two = scorer(Fitted(predict_proba=np.full((600, 2), 0.5), classes_=["cat", "eel"]), INPUTS, labels)
    assert two == turned
    with pytest.raises(PredictionsError, match="'fox', which the holdout does not have"):
        scorer(Fitted(predict_proba=table, classes_=["cat", "dog", "fox"]), INPUTS, labels)
    with pytest.raises(PredictionsError, match="no predict_proba"):
        scorer(Fitted(predict=labels), INPUTS, labels)


def test_a_copied_scorer_counts_with_the_original() -> None:
    holdout = Holdout(LABELS, path=":memory:", seed=1)
    copy.deepcopy(holdout.as_scorer())(Fitted(predict=LABELS), INPUTS, LABELS)
    assert holdout.attempts == 1
