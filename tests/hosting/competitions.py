"""Small competitions in memory, and submissions to them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ladderboard.competition import Competition, Limits, Rules, Solution
from ladderboard.mechanisms import make_mechanism
from ladderboard.metrics import find_metric
from ladderboard.tabular import SubmissionFormat

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
SECRET = b"7" * 32
"""Of every competition in the tests that score: a board that draws otherwise each time can fail now and then."""
TAKES = {"accuracy": "classes", "error_rate": "classes", "auc": "scores", "rmse": "numbers", "pearson": "numbers"}


def a_competition(
    *,
    rows: int = 400,
    metric: str = "accuracy",
    mechanism: str = "witness_ladder",
    private: bool = True,
    seed: int = 7,
    labels: np.ndarray[Any, Any] | None = None,
    **rules: Any,
) -> Competition:
    """Half of the rows public, the others private; labels are 0 and 1, or numbers where the metric takes numbers."""
    rng = np.random.default_rng(seed)
    takes = TAKES[metric]
    if labels is None:
        labels = rng.normal(size=rows) if takes == "numbers" else rng.integers(0, 2, rows)
    rows = len(labels)
    classes = tuple(np.unique(labels).tolist()) if takes == "classes" else ()
    usage = np.where(np.arange(rows) % 2 == 0, "Public", "Private" if private else "Public")
    ids = np.arange(1, rows + 1)
    parameters = rules.pop("mechanism_parameters", {})
    settings: dict[str, Any] = {"limits": Limits(per_day=None)} | rules
    return Competition(
        rules=Rules(
            slug="pets", title="Pets", metric=metric, mechanism=mechanism, mechanism_parameters=parameters, **settings
        ),
        solution=Solution(ids, labels, usage, id_column="id", label_columns=("label",)),
        metric=find_metric(metric),
        mechanism=replace(make_mechanism(mechanism), **parameters),
        format=SubmissionFormat("id", ids, ("label",), takes, classes=classes),  # type: ignore[arg-type]
    )


def a_file(competition: Competition, values: Sequence[Any] | np.ndarray[Any, Any]) -> bytes:
    """A submission with these values, in the order of the solution."""
    rows = "".join(f"{row},{value}\n" for row, value in zip(competition.solution.ids, values, strict=True))
    return f"id,label\n{rows}".encode()


def predictions(competition: Competition, share: float, *, seed: int = 0) -> np.ndarray[Any, Any]:
    """Predictions that are right on about ``share`` of all rows (classes), or that much of the signal (numbers)."""
    rng = np.random.default_rng(seed)
    labels = competition.solution.labels
    if labels.dtype.kind == "f":
        return np.round(share * labels + (1 - share) * rng.normal(size=len(labels)), 6)
    return np.where(rng.random(len(labels)) < share, labels, 1 - labels)
