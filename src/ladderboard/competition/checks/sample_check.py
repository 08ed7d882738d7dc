"""The organiser's sample submission: whether it fits the format, and whether it shows the classes.

Classes are labels. Participants are told them only where the organiser's own sample shows all of them.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.checks.leaks import SAMPLE
from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import Predictions, SubmissionFormat, read_predictions, sample_submission

COMMAND = "`ladderboard check --write-sample`"


def check_sample(folder: Path, shape: SubmissionFormat, named: tuple[str, ...], findings: Findings) -> SubmissionFormat:
    """The format with what the sample shows of the classes; says what is wrong with the sample.

    ``named`` are the names of prediction columns in competition.toml, which are no labels.
    """
    path, shown = folder / SAMPLE, 0
    try:
        if path.is_file():
            shown = _count_shown(path.read_bytes(), shape)
    except SubmissionError as problem:
        first = problem.problems[0] if problem.problems else problem
        findings.warn(
            SAMPLE, None, f"it does not fit the metric and the solution ({first}); {COMMAND} writes one that does"
        )
    except OSError as problem:
        findings.error(SAMPLE, None, f"cannot read it: {problem.strerror}")
    is_shown = shown == len(shape.classes) or shape.takes == "labels"
    if not is_shown and shape.takes == "probabilities" and len(shape.prediction_columns) > 1 and not named:
        findings.ask(
            SAMPLE,
            None,
            "submissions have a column for each class, so the names of all classes are public; say so with a sample "
            f"that shows them: {COMMAND} writes it",
        )
    return replace(shape, shows_classes=is_shown)


def write_sample(folder: Path, shape: SubmissionFormat) -> None:
    """Write a valid sample submission that shows every class; the whole file or nothing."""
    draft = folder / f".{SAMPLE}.draft"
    draft.write_bytes(sample_submission(replace(shape, shows_classes=True)))
    draft.replace(folder / SAMPLE)


def _count_shown(content: bytes, shape: SubmissionFormat) -> int:
    """How many classes a valid sample shows; raises `SubmissionError`."""
    predictions: Predictions = read_predictions(content, shape)
    if shape.takes_classes:
        return len(np.unique(predictions.values))
    return predictions.values.shape[1] if predictions.values.ndim == 2 else 0
