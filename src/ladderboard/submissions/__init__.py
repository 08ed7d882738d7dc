"""Bytes → Predictions. Everything here is label-free: what it says may be shown to a participant in full."""

from ladderboard.submissions.format import Predictions, SubmissionFormat

__all__ = ["Predictions", "SubmissionFormat"]
