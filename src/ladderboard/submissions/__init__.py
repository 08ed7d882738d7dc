"""Bytes → Predictions. Everything here is label-free: what it says may be shown to a participant in full."""

from ladderboard.submissions.format import Predictions, SubmissionFormat
from ladderboard.submissions.ids import as_ids
from ladderboard.submissions.reading import read_predictions
from ladderboard.submissions.samples import format_with_ids, sample_submission

__all__ = ["Predictions", "SubmissionFormat", "as_ids", "format_with_ids", "read_predictions", "sample_submission"]
