"""The positive class of two: known, named, or asked for."""

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.metrics import METRICS
from ladderboard.metrics.positive import choose_positive, is_known

DISEASED = ("diseased", "healthy")
LABELS = np.array([DISEASED[code] for code in np.random.default_rng(3).integers(0, 2, 80)])
NAMES = sorted(name for name, metric in METRICS.items() if metric.kind.has_positive)


@pytest.mark.parametrize("name", NAMES)
def test_two_words_are_asked_about_by_every_metric_with_a_positive_class(name: str) -> None:
    with pytest.raises(LabelsError, match=rf"which class is positive, 'diseased' or 'healthy'\? {name} needs to know"):
        choose_positive(METRICS[name], LABELS)
    assert choose_positive(METRICS[name], LABELS, "diseased").kind.positive == "diseased"


def test_the_metrics_with_a_positive_class_are_those_that_scikit_learn_has_one_for() -> None:
    assert NAMES == ["auc", "average_precision", "brier", "f1", "log_loss", "log_loss_base10"]


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("auc", lambda y, p: sklearn_metrics.roc_auc_score(y == "diseased", p)),
        ("average_precision", lambda y, p: sklearn_metrics.average_precision_score(y, p, pos_label="diseased")),
        ("brier", lambda y, p: sklearn_metrics.brier_score_loss(y, p, pos_label="diseased")),
        ("log_loss", lambda y, p: sklearn_metrics.log_loss(y == "diseased", p)),
    ],
)
def test_scores_are_those_of_the_positive_class(name: str, reference: Any) -> None:
    chances = np.random.default_rng(4).random(80)
    metric = choose_positive(METRICS[name], LABELS, "diseased")
    assert metric.score(LABELS, chances) == pytest.approx(reference(LABELS, chances), rel=1e-9)


def test_f1_is_that_of_the_positive_class() -> None:
    guesses = np.random.default_rng(5).permutation(LABELS)
    metric = choose_positive(METRICS["f1"], LABELS, "diseased")
    assert metric.score(LABELS, guesses) == pytest.approx(
        sklearn_metrics.f1_score(LABELS, guesses, pos_label="diseased"), rel=1e-12
    )


@pytest.mark.parametrize(
    "classes",
    [(0, 1), (-1, 1), (0.0, 1.0), (False, True), ("0", "1"), ("no", "yes"), ("No", "Yes"), ("FALSE", "TRUE"),
     ("n", "y"), ("neg", "pos"), ("negative", "positive"), ("absent", "present")],
)  # fmt: skip
def test_what_nobody_doubts_is_known(classes: tuple[Any, Any]) -> None:
    assert choose_positive(METRICS["auc"], [*classes, *classes]).kind.positive == classes[1]


@pytest.mark.parametrize("classes", [(1, 2), ("bad", "good"), ("cat", "dog"), ("ham", "spam"), ("Yes", "no"), (3, 8)])
def test_what_could_be_meant_either_way_is_not(classes: tuple[Any, Any]) -> None:
    assert not is_known(classes)


@pytest.mark.parametrize(("given", "meant"), [("2", 2), (2.0, 2), (1, 1)])
def test_a_class_may_be_named_as_it_is_written(given: Any, meant: int) -> None:
    assert choose_positive(METRICS["auc"], [1, 2, 2], given).kind.positive == meant


def test_a_class_that_there_is_not_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"positive is 'ill', but the classes are 'diseased' and 'healthy'"):
        choose_positive(METRICS["auc"], LABELS, "ill")


@pytest.mark.parametrize(
    ("name", "labels"), [("accuracy", LABELS), ("rmse", [1.0, 2.0, 3.0]), ("log_loss", ["a", "b", "c"])]
)
def test_metrics_without_a_positive_class_refuse_one_and_ask_for_none(name: str, labels: Any) -> None:
    assert choose_positive(METRICS[name], labels) is METRICS[name]
    with pytest.raises(ParameterError, match=rf"{name} has no positive class"):
        choose_positive(METRICS[name], labels, "a")
