"""Final submissions on the private rows: a score each, and their losses item by item in a temporary file.

A thousand teams on 100,000 rows are 800 megabytes of losses. They go through memory one submission at a time, into a
file that has no name and is gone when it is closed; the paired covariance reads it in blocks.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition import limit_time
from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import Evaluation
from ladderboard.inference.covariance import PairedMeans, paired_means
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.competitions.live_competition import LiveCompetition


@dataclass(frozen=True)
class Final:
    """One submission that counts at the end."""

    team_id: str
    submission_id: str
    number: int
    file_digest: str
    is_ranked: bool = True
    """False for a baseline: it gets a score and takes no part in comparisons."""


@dataclass(frozen=True)
class FinalScore:
    """What a final submission scored. ``column``: its place among the paired losses; None where it has none."""

    final: Final
    score: float | None
    """None: the metric has no value for these predictions on the private rows."""
    column: int | None


@dataclass(frozen=True, eq=False)
class PrivateScores:
    """All final submissions, scored. ``paired`` is None where fewer than two items or no submission can be compared."""

    scores: tuple[FinalScore, ...]
    paired: PairedMeans | None
    zero_loss_score: float
    """A score that is higher where it is better is this minus the loss."""


def score_finals(
    live: LiveCompetition, key: AnswerKey, finals: Sequence[Final], *, folder: Path | None = None
) -> PrivateScores:
    """Score final submissions on the private rows. ``folder``: where the temporary file is made."""
    rows = live.competition.solution.rows("Private")
    is_binary = key.yardstick.paired_test == "mcnemar"
    ranked = sum(final.is_ranked for final in finals)
    with tempfile.TemporaryFile(dir=folder) as file:
        losses = _losses(file, (ranked, key.units), np.dtype(np.bool_ if is_binary else np.float64))
        scores: list[FinalScore] = []
        columns = 0
        for final in finals:
            evaluation = _evaluate(live, key, rows, final)
            score = _score(evaluation)
            column = columns if final.is_ranked and score is not None else None
            if column is not None:
                losses[column] = _read_losses(evaluation, is_binary=is_binary)
                columns += 1
            scores.append(FinalScore(final, score, column))
        can_compare = columns > 0 and key.units > 1
        paired = paired_means(losses[:columns].T) if can_compare else None
    return PrivateScores(tuple(scores), paired, 1.0 if is_binary else 0.0)


def _losses(file: Any, shape: tuple[int, int], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Submissions × units in the file; nothing at all where there are no submissions, which no file can hold."""
    return np.memmap(file, dtype=kind, mode="w+", shape=shape) if shape[0] else np.empty(shape, dtype=kind)


def _evaluate(live: LiveCompetition, key: AnswerKey, rows: npt.NDArray[np.intp], final: Final) -> Evaluation:
    predictions = live.evaluations.read(live.files.read(final.file_digest))
    return key.evaluate(predictions[rows], submission=final.submission_id)


def _score(evaluation: Evaluation) -> float | None:
    try:
        with limit_time():
            score = evaluation.score
            evaluation.contributions  # noqa: B018 (both are defined, or neither counts)
    except UndefinedMetricError:
        return None
    return score if np.isfinite(score) else None


def _read_losses(evaluation: Evaluation, *, is_binary: bool) -> npt.NDArray[Any]:
    if not is_binary:
        return evaluation.losses
    # Failures as 0 and 1, whichever way the metric counts them.
    return evaluation.contributions > 0.5 if evaluation.yardstick.lower_is_better else evaluation.contributions < 0.5
