"""The MLflow evaluator, where MLflow is installed (`pip install mlflow-skinny`)."""

from pathlib import Path

import numpy as np
import pytest

import ladderboard as lb
from tests.guard.guards import labels_of, with_errors

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
pd = pytest.importorskip("pandas")

LABELS = labels_of(400)


@pytest.mark.filterwarnings("ignore")  # of MLflow and its libraries
def test_what_the_holdout_shows_is_logged_as_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow.models.evaluation.base import list_evaluators

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # files instead of a database server
    assert "ladderboard" in list_evaluators()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
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
