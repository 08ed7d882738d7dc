"""The store's records that pages, the API and the command line show: they reach the store through hosting alone."""

from ladderboard.store.records import CompetitionRecord, PrivateResultRecord, TeamRecord
from ladderboard.store.results import FinalSubmission
from ladderboard.store.submissions import OwnSubmission, SubmissionOutcome

__all__ = [
    "CompetitionRecord",
    "FinalSubmission",
    "OwnSubmission",
    "PrivateResultRecord",
    "SubmissionOutcome",
    "TeamRecord",
]
