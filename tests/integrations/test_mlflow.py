"""The MLflow evaluator, with models of scikit-learn that MLflow has logged."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

import ladderboard as lb
from tests.guard.guards import labels_of, with_errors

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow and its libraries
LABELS = labels_of(400)
ROWS = 600


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """MLflow writes to files instead of a database server, and tells nobody."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield
    mlflow.set_tracking_uri(before)


class OnlyClasses(ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A classifier without scores, as those that vote or follow rules are."""

    def fit(self, X: Any, y: Any) -> "OnlyClasses":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return (X.a > 0).astype(int).to_numpy()


def make_data() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(rng.normal(size=(2 * ROWS, 4)), columns=list("abcd"))
    return rows, (rows.a + 1.2 * rng.normal(size=2 * ROWS) > 0).astype(int).to_numpy()


def evaluate(model: Any, holdout: lb.Holdout, **more: Any) -> dict[str, float]:
    """The documented call, with a model that has learned from the first half of the rows."""
    rows, labels = make_data()
    model.fit(rows[:ROWS], labels[:ROWS])
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", serialization_format="cloudpickle", pip_requirements=[])
        found = mlflow.models.evaluate(
            logged.model_uri,
            data=rows[ROWS:],
            model_type="ladderboard",
            evaluators="ladderboard",
            evaluator_config={"holdout": holdout},
            **more,
        )
    metrics: dict[str, float] = found.metrics
    return metrics


@pytest.mark.parametrize("metric", ["auc", "log_loss", "accuracy"])
def test_a_logged_model_is_asked_for_what_the_metric_needs(metric: str) -> None:
    rows, labels = make_data()
    holdout = lb.Holdout(labels[ROWS:], metric=metric, mechanism="full_disclosure", path=":memory:", seed=1)
    model = LogisticRegression().fit(rows[:ROWS], labels[:ROWS])
    chances = model.predict_proba(rows[ROWS:])
    right = {
        "auc": lambda: roc_auc_score(labels[ROWS:], chances[:, 1]),
        "log_loss": lambda: log_loss(labels[ROWS:], chances),
        "accuracy": lambda: model.score(rows[ROWS:], labels[ROWS:]),
    }
    assert evaluate(LogisticRegression(), holdout)["holdout_value"] == pytest.approx(right[metric](), abs=1e-5)
    assert holdout.attempts == 1


def test_a_model_that_only_predicts_classes_is_refused_where_scores_are_needed() -> None:
    _, labels = make_data()
    holdout = lb.Holdout(labels[ROWS:], metric="auc", path=":memory:", seed=1)
    with pytest.raises(lb.PredictionsError, match=r"^OnlyClasses predicts classes, and auc needs scores; give"):
        evaluate(OnlyClasses(), holdout)
    assert holdout.attempts == 0


def test_a_regression_gives_scores() -> None:
    _, labels = make_data()
    holdout = lb.Holdout(labels[ROWS:], metric="auc", path=":memory:", seed=1)
    assert evaluate(LinearRegression(), holdout)["holdout_improved"] == 1.0


def test_what_the_holdout_shows_is_logged_as_metrics() -> None:
    from mlflow.models.evaluation.base import list_evaluators

    assert "ladderboard" in list_evaluators()
    holdout = lb.Holdout(LABELS, path=":memory:", seed=1)
    data = pd.DataFrame({"p": with_errors(LABELS, 60), "y": LABELS})
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(
            data=data,
            targets="y",
            predictions="p",
            model_type="classifier",
            evaluators="ladderboard",
            evaluator_config={"holdout": holdout},
        )
    assert found.metrics["holdout_improved"] == 1.0
    assert found.metrics["holdout_value"] == holdout.best
    assert mlflow.get_run(run.info.run_id).data.metrics == found.metrics
    assert holdout.attempts == 1
    with mlflow.start_run(), pytest.raises(lb.InputError, match="targets differ"):
        mlflow.models.evaluate(
            data=data.assign(y=np.flip(LABELS)),
            targets="y",
            predictions="p",
            model_type="classifier",
            evaluators="ladderboard",
            evaluator_config={"holdout": holdout},
        )
