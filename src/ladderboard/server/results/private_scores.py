"""Scores on the private rows of all final submissions, at the end.

A thousand teams on 100,000 rows are 800 megabytes of losses. They go through memory some submissions at a time, into a
file that has no name and is gone when nobody refers to its losses any more; comparisons read it in blocks.
"""

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition import limit_time
from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import Evaluation, Yardstick
from ladderboard.core.scales import scale_is_log
from ladderboard.core.score_format import ScoreFormat
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.results.steps import Progress, Steps
from ladderboard.server.submissions.records import StoredAnswers

SIGNIFICANT_DIGITS = 5


def find_private_format(live: LiveCompetition) -> ScoreFormat:
    """The format of the final board; that of the public board where every row is public."""
    key = live.competition.private
    return live.score_format if key is None else make_private_format(key.yardstick)


def make_private_format(yardstick: Yardstick) -> ScoreFormat:
    """Two decimals more than a null standard error begins with; on a logarithmic scale five digits."""
    if scale_is_log(yardstick.scale):
        return ScoreFormat(digits=SIGNIFICANT_DIGITS)
    return ScoreFormat(decimals=max(0, math.ceil(-math.log10(yardstick.null_standard_error)) + 2))


def round_private_score(score: float | None, yardstick: Yardstick) -> float:
    """A private score as it is published. ``yardstick`` is that of the private rows."""
    assert score is not None
    return make_private_format(yardstick).round(score)


MOST_FILES, MOST_BYTES = 200, 16 << 20
"""How many files are in memory at once, and how large they are together; a larger one comes alone."""


@dataclass(frozen=True)
class Final:
    """One submission that counts at the end."""

    team_id: str
    submission_id: str
    number: int
    stored: StoredAnswers
    is_ranked: bool = True
    """False for a baseline: it gets a score and takes no part in comparisons."""
    file_size: int = 0


@dataclass(frozen=True)
class FinalScore:
    """What a final submission scored. ``column``: its place among the paired losses; None where it has none."""

    final: Final
    score: float | None
    """None: the metric has no value for these predictions on the private rows."""
    column: int | None


@dataclass(frozen=True, eq=False)
class PrivateScores:
    """All final submissions, scored. ``losses`` is None where fewer than two items or no submission can be compared."""

    scores: tuple[FinalScore, ...]
    losses: npt.NDArray[Any] | None = field(repr=False)
    """Submissions × items."""
    zero_loss_score: float
    """A score that is higher where it is better is this minus the loss."""


def score_finals(
    live: LiveCompetition, key: AnswerKey, finals: Sequence[Final], *, folder: Path | None = None
) -> Steps[PrivateScores]:
    """Score final submissions on the private rows. ``folder``: where the temporary file is made."""
    rows = live.competition.solution.rows("Private")
    is_binary = key.yardstick.paired_test == "mcnemar"
    ranked = sum(final.is_ranked for final in finals)
    with tempfile.TemporaryFile(dir=folder) as file:
        # The map outlives the open file.
        losses = _losses(file, (ranked, key.units), np.dtype(np.bool_ if is_binary else np.float64))
    scores: list[FinalScore] = []
    columns = 0
    for part in _parts(finals):
        contents = live.files.read_several([final.stored.file for final in part])
        for final in part:
            values = live.evaluations.recall(final.stored, content=contents[final.stored.file])
            evaluation = key.evaluate(values[rows], submission=final.submission_id)
            score = compute_score(evaluation)
            column = columns if final.is_ranked and score is not None else None
            if column is not None:
                losses[column] = _read_losses(evaluation, is_binary=is_binary)
                columns += 1
            scores.append(FinalScore(final, score, column))
        yield Progress(f"{len(scores):,} of {len(finals):,} files scored")
    can_compare = columns > 0 and key.units > 1
    return PrivateScores(tuple(scores), losses[:columns] if can_compare else None, 1.0 if is_binary else 0.0)


def _parts(finals: Sequence[Final]) -> Iterator[list[Final]]:
    part: list[Final] = []
    size = 0
    for final in finals:
        if part and (len(part) == MOST_FILES or size + final.file_size > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(final)
        size += final.file_size
    if part:
        yield part


def _losses(file: Any, shape: tuple[int, int], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Submissions × units in the file; nothing at all where there are no submissions, which no file can hold."""
    return np.memmap(file, dtype=kind, mode="w+", shape=shape) if shape[0] else np.empty(shape, dtype=kind)


def compute_score(evaluation: Evaluation) -> float | None:
    """The score; None where the metric has no value for these predictions."""
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
