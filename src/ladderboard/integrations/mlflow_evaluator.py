"""The MLflow evaluator `ladderboard`: `mlflow.models.evaluate` asks a guarded holdout and logs what it shows.

MLflow asks for `LadderboardEvaluator` by its entry point; MLflow itself is imported only then.
"""

from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.integrations.scikit_learn import HoldoutScorer

PREFIX = "holdout_"


def score_model(holdout: Any, dataset: Any, model: Any) -> dict[str, float]:
    """Score a model, or predictions that are in the data, and return what was shown as metrics.

    The data must be the holdout's inputs in its order; labels in them are checked and not needed.
    """
    labels = dataset.labels_data
    if labels is not None and not holdout.has_labels(np.asarray(labels)):
        raise InputError("the targets differ from the holdout's labels; give the holdout's own rows in its order")
    given = dataset.predictions_data if model is None else _predict(holdout, model, dataset.features_data)
    release = holdout.score(np.asarray(given))
    return {PREFIX + name: value for name, value in release.to_metrics().items()}


def _predict(holdout: Any, model: Any, features: Any) -> Any:
    """Predict what the metric needs: MLflow's own ``predict`` gives a classifier's classes and no probabilities."""
    scorer, trained = HoldoutScorer(holdout), _find_trained(model)
    if hasattr(trained, "predict_proba") or hasattr(trained, "decision_function"):
        return scorer.predict(trained, features)
    return scorer.refuse_classes(model.predict(features), of=type(model if trained is None else trained).__name__)


def _find_trained(model: Any) -> Any:
    """Find the model in MLflow's wrapper; None where its flavour does not give it out."""
    from mlflow.exceptions import MlflowException

    try:
        return model.get_raw_model()
    except (AttributeError, MlflowException):
        return None


def __getattr__(name: str) -> Any:
    if name != "LadderboardEvaluator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import mlflow
    from mlflow.models.evaluation import EvaluationResult, ModelEvaluator

    class LadderboardEvaluator(ModelEvaluator):  # type: ignore[misc,unused-ignore]  # MLflow need not be installed
        """Score a model on the guard in ``evaluator_config={"holdout": holdout}``; every new one is an attempt."""

        @classmethod
        def can_evaluate(cls, *, evaluator_config: dict[str, Any] | None = None, **_: Any) -> bool:
            """Evaluate whatever has a holdout."""
            return "holdout" in (evaluator_config or {})

        def evaluate(
            self, *, dataset: Any, run_id: str, evaluator_config: dict[str, Any], model: Any = None, **_: Any
        ) -> Any:
            """Score the model's predictions and log what was shown as metrics of the run."""
            metrics = score_model(evaluator_config["holdout"], dataset, model)
            mlflow.log_metrics(metrics, run_id=run_id)
            return EvaluationResult(metrics=metrics, artifacts={})

    return LadderboardEvaluator
