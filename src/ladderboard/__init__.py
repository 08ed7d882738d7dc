"""Ladderboard: a leaderboard that cannot be climbed by luck.

The public face. It is lazy (PEP 562): a name's module is imported when the name is first used, so that
``import ladderboard`` and ``ladderboard --help`` cost next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ladderboard.analysis.records_audit import RecordClaim, RecordsAudit, audit_records, audit_scores
    from ladderboard.analysis.replay import Replay, Submission, replay
    from ladderboard.core import bounds
    from ladderboard.core.errors import (
        AnswerError,
        ClientError,
        CompetitionError,
        CompetitionSpentError,
        ConflictError,
        DatabaseError,
        DeadlinePassedError,
        ForbiddenError,
        GuardFileError,
        HoldoutSpentError,
        HostingError,
        IdempotencyMismatchError,
        InputError,
        LabelsError,
        LadderboardError,
        MetricUnavailableError,
        NoTeamError,
        NotFoundError,
        NotOpenError,
        OutcomeUnknownError,
        ParameterError,
        PayloadTooLargeError,
        PredictionsError,
        QuotaExceededError,
        SignInRequiredError,
        SubmissionError,
        TooManyRequestsError,
        UnavailableError,
        UndefinedMetricError,
        UnreachableError,
        WaitError,
        WrongLabelsError,
    )
    from ladderboard.core.records import Evaluation, Leakage, Release, Standing, State, Yardstick
    from ladderboard.evals import LossMatrix, read_board, read_loss_matrix
    from ladderboard.guard.holdout import Holdout
    from ladderboard.guard.leaderboard import Leaderboard
    from ladderboard.guard.warnings import FreshStartWarning, LowPowerWarning
    from ladderboard.inference.best_set import BestSet, best_set
    from ladderboard.inference.comparisons import Comparison, compare_systems
    from ladderboard.inference.multiplicity.best_score import BestScore
    from ladderboard.inference.multiplicity.multiplier import SotaFromLosses, sota_from_losses
    from ladderboard.inference.multiplicity.roc_shapes import AucReading, auc_reading
    from ladderboard.inference.multiplicity.sota import sota
    from ladderboard.inference.rank_ranges import RankRange, rank_ranges
    from ladderboard.inference.shrinkage import ShrunkBoard, shrink_board
    from ladderboard.inference.winner import WinnerEstimate, winner_estimate
    from ladderboard.mechanisms import MECHANISMS
    from ladderboard.mechanisms.base import Mechanism
    from ladderboard.mechanisms.bayes_boot_ladder import BayesBootLadder
    from ladderboard.mechanisms.bayes_boot_ladder_boot import BayesBootLadderBoot
    from ladderboard.mechanisms.full_disclosure import FullDisclosure
    from ladderboard.mechanisms.ladder import Ladder
    from ladderboard.mechanisms.ladder_boot import LadderBoot
    from ladderboard.mechanisms.parameter_free_ladder import ParameterFreeLadder
    from ladderboard.mechanisms.shaky_ladder import ShakyLadder
    from ladderboard.mechanisms.significance_ladder import SignificanceLadder
    from ladderboard.mechanisms.spending_ladder import SpendingLadder
    from ladderboard.mechanisms.thresholdout import Thresholdout
    from ladderboard.mechanisms.witness_ladder import WitnessLadder
    from ladderboard.metrics import METRICS
    from ladderboard.metrics.answer_key import AnswerKey
    from ladderboard.metrics.base import Metric
    from ladderboard.metrics.custom import metric_from_function
    from ladderboard.planning.plan import SubmissionPlan, plan_submissions
    from ladderboard.planning.submission_limits import OverfitCurve

    __version__: str

__all__ = [
    "MECHANISMS",
    "METRICS",
    "AnswerError",
    "AnswerKey",
    "AucReading",
    "BayesBootLadder",
    "BayesBootLadderBoot",
    "BestScore",
    "BestSet",
    "ClientError",
    "Comparison",
    "CompetitionError",
    "CompetitionSpentError",
    "ConflictError",
    "DatabaseError",
    "DeadlinePassedError",
    "Evaluation",
    "ForbiddenError",
    "FreshStartWarning",
    "FullDisclosure",
    "GuardFileError",
    "Holdout",
    "HoldoutSpentError",
    "HostingError",
    "IdempotencyMismatchError",
    "InputError",
    "LabelsError",
    "Ladder",
    "LadderBoot",
    "LadderboardError",
    "Leaderboard",
    "Leakage",
    "LossMatrix",
    "LowPowerWarning",
    "Mechanism",
    "Metric",
    "MetricUnavailableError",
    "NoTeamError",
    "NotFoundError",
    "NotOpenError",
    "OutcomeUnknownError",
    "OverfitCurve",
    "ParameterError",
    "ParameterFreeLadder",
    "PayloadTooLargeError",
    "PredictionsError",
    "QuotaExceededError",
    "RankRange",
    "RecordClaim",
    "RecordsAudit",
    "Release",
    "Replay",
    "ShakyLadder",
    "ShrunkBoard",
    "SignInRequiredError",
    "SignificanceLadder",
    "SotaFromLosses",
    "SpendingLadder",
    "Standing",
    "State",
    "Submission",
    "SubmissionError",
    "SubmissionPlan",
    "Thresholdout",
    "TooManyRequestsError",
    "UnavailableError",
    "UndefinedMetricError",
    "UnreachableError",
    "WaitError",
    "WinnerEstimate",
    "WitnessLadder",
    "WrongLabelsError",
    "Yardstick",
    "__version__",
    "auc_reading",
    "audit_records",
    "audit_scores",
    "best_set",
    "bounds",
    "compare_systems",
    "metric_from_function",
    "plan_submissions",
    "rank_ranges",
    "read_board",
    "read_loss_matrix",
    "replay",
    "shrink_board",
    "sota",
    "sota_from_losses",
    "winner_estimate",
]

_NAMES_OF = {
    "guard.leaderboard": ("Leaderboard",),
    "guard.warnings": ("FreshStartWarning", "LowPowerWarning"),
    "core.errors": (
        "AnswerError",
        "ClientError",
        "CompetitionError",
        "CompetitionSpentError",
        "ConflictError",
        "DatabaseError",
        "DeadlinePassedError",
        "ForbiddenError",
        "GuardFileError",
        "HoldoutSpentError",
        "HostingError",
        "IdempotencyMismatchError",
        "InputError",
        "LabelsError",
        "LadderboardError",
        "MetricUnavailableError",
        "NotFoundError",
        "NoTeamError",
        "NotOpenError",
        "OutcomeUnknownError",
        "ParameterError",
        "PayloadTooLargeError",
        "PredictionsError",
        "QuotaExceededError",
        "SignInRequiredError",
        "SubmissionError",
        "TooManyRequestsError",
        "UnavailableError",
        "UndefinedMetricError",
        "UnreachableError",
        "WaitError",
        "WrongLabelsError",
    ),
    "guard.holdout": ("Holdout",),
    "inference.multiplicity.best_score": ("BestScore",),
    "inference.best_set": ("BestSet", "best_set"),
    "inference.comparisons": ("Comparison", "compare_systems"),
    "inference.multiplicity.multiplier": ("SotaFromLosses", "sota_from_losses"),
    "inference.rank_ranges": ("RankRange", "rank_ranges"),
    "inference.multiplicity.roc_shapes": ("AucReading", "auc_reading"),
    "inference.shrinkage": ("ShrunkBoard", "shrink_board"),
    "inference.multiplicity.sota": ("sota",),
    "inference.winner": ("WinnerEstimate", "winner_estimate"),
    "mechanisms": ("MECHANISMS",),
    "mechanisms.base": ("Mechanism",),
    "mechanisms.bayes_boot_ladder": ("BayesBootLadder",),
    "mechanisms.bayes_boot_ladder_boot": ("BayesBootLadderBoot",),
    "mechanisms.full_disclosure": ("FullDisclosure",),
    "mechanisms.ladder": ("Ladder",),
    "mechanisms.ladder_boot": ("LadderBoot",),
    "mechanisms.parameter_free_ladder": ("ParameterFreeLadder",),
    "mechanisms.shaky_ladder": ("ShakyLadder",),
    "mechanisms.significance_ladder": ("SignificanceLadder",),
    "mechanisms.spending_ladder": ("SpendingLadder",),
    "mechanisms.thresholdout": ("Thresholdout",),
    "mechanisms.witness_ladder": ("WitnessLadder",),
    "metrics": ("METRICS",),
    "metrics.answer_key": ("AnswerKey",),
    "metrics.base": ("Metric",),
    "metrics.custom": ("metric_from_function",),
    "planning.plan": ("SubmissionPlan", "plan_submissions"),
    "core.records": ("Evaluation", "Leakage", "Release", "Standing", "State", "Yardstick"),
    "analysis.records_audit": ("RecordClaim", "RecordsAudit", "audit_records", "audit_scores"),
    "analysis.replay": ("Replay", "Submission", "replay"),
    "planning.submission_limits": ("OverfitCurve",),
    "evals": ("LossMatrix", "read_board", "read_loss_matrix"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("ladderboard")
    elif name == "bounds":
        value = import_module("ladderboard.core.bounds")
    elif name in _MODULE_OF:
        value = getattr(import_module(f"ladderboard.{_MODULE_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'ladderboard' has no attribute {name!r}")
    globals()[name] = value  # found here directly from now on
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
