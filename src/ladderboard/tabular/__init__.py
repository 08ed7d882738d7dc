"""Bytes → Predictions. Everything here is label-free: what it says may be shown to a participant in full."""

from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.ids import as_ids
from ladderboard.tabular.reading import read_predictions
from ladderboard.tabular.samples import format_with_ids, sample_submission

__all__ = ["Predictions", "SubmissionFormat", "as_ids", "format_with_ids", "read_predictions", "sample_submission"]
