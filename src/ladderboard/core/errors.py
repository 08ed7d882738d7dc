"""The tree of errors that Ladderboard raises.

    LadderboardError
    ├── InputError (also a ValueError)      input that cannot be used; no attempt was used
    │   ├── LabelsError                     the holdout's labels, weights or groups
    │   ├── PredictionsError                a submission's predictions
    │   ├── SubmissionError                 a submission's file; carries all problems of the whole file
    │   ├── ParameterError                  an option, a name or a number out of range
    │   └── CompetitionError                a competition's folder; carries all problems at once
    ├── UndefinedMetricError                the metric has no value on these items
    ├── MetricUnavailableError              a custom metric's process cannot run; no attempt was used
    │   └── GradingError                    the grader failed on an output; its report is for whoever owns it
    ├── NoSandboxError                      this machine cannot run foreign code safely; nothing was run
    ├── HoldoutSpentError                   the budget is used up; no more scores are shown
    ├── HostingError                        a server refused a request; has a status, changed nothing
    │   ├── SignInRequiredError  401        no sign-in, or an unknown, expired or revoked token
    │   ├── ForbiddenError  403             this person may not do this
    │   ├── NotFoundError  404              it does not exist, or this person may not know of it
    │   ├── ConflictError  409              it conflicts with the current state
    │   │   ├── NoTeamError                 the submitter has no team
    │   │   ├── NotOpenError                the competition has not opened yet
    │   │   ├── DeadlinePassedError         the competition is over
    │   │   └── CompetitionSpentError       its holdout is spent; no more scores are shown
    │   ├── PayloadTooLargeError  413       the request exceeds the size limit
    │   ├── IdempotencyMismatchError  422   the key was used with another body
    │   ├── NotScoredError  422             a queued submission that could not be scored
    │   ├── WaitError  429                  try later; carries the seconds to wait
    │   │   ├── QuotaExceededError          the team has no attempts left today or in total
    │   │   └── TooManyRequestsError        this person or address sends requests too fast
    │   └── UnavailableError  503           a fault of the platform; no attempt was used
    │       └── OutcomeUnknownError         the connection was lost during a commit; retrying counts once
    ├── ClientError                         the exchange with a server failed; raised by the client only
    │   ├── UnreachableError                no response
    │   └── AnswerError                     a response that no known Ladderboard sends
    ├── DatabaseError                       a server's database or backup cannot be used
    │   ├── DamagedFileError                a stored file is missing or has been changed
    │   └── DamagedDatabaseError            a page of the database can no longer be read
    └── GuardFileError                      a holdout's file cannot be used
        └── WrongLabelsError                the labels differ from those the file was made with

Each class has a stable ``code`` for programs; messages may change at any time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


class LadderboardError(Exception):
    """The root of all Ladderboard errors."""

    code: str = "error"


class InputError(LadderboardError, ValueError):
    """Input that cannot be used."""

    code = "bad_input"


class LabelsError(InputError):
    """Labels, weights or groups of a holdout that cannot be used."""

    code = "bad_labels"


class PredictionsError(InputError):
    """Predictions that cannot be used. The message depends on no label."""

    code = "bad_predictions"


@dataclass(frozen=True)
class FileProblem:
    """A problem of a submission's file. It depends on no label and on no split."""

    kind: str
    """A stable code for programs; messages may change at any time."""
    sentence: str
    """What is wrong and what to do, without the place."""
    line: int | None = None
    """The line of a text file (its header is line 1), or the row of a Parquet file; None: the file as a whole."""
    column: str | None = None
    count: int = 1
    """How many this one stands for: ids without a row, or rows and cells with the same problem."""
    place: str = "line"
    """What ``line`` counts: line or row."""

    def __str__(self) -> str:
        if self.line is None:
            return self.sentence
        if self.place == "row":
            return f"row {self.line}: {self.sentence}"
        return f"line {self.line}: {self.sentence}"


class SubmissionError(InputError):
    """A submission file that cannot be used. The error depends on no label and no split, and may be shown in full.

    ``problems`` has them in the order of the file, many of one kind as one; ``counts`` how many of each kind there are.
    """

    code = "bad_submission"
    request_id: str | None = None
    """Of the server's answer; None where the file was checked here."""

    def __init__(
        self, message: str, problems: Iterable[FileProblem] = (), counts: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.counts = dict(counts or {})

    @property
    def total(self) -> int:
        """The number of problems; one that covers many ids, rows or cells counts once."""
        return sum(self.counts.values()) - sum(problem.count - 1 for problem in self.problems)


class ParameterError(InputError):
    """An option that is unknown or out of range."""

    code = "bad_parameter"


class CompetitionError(InputError):
    """A competition folder that cannot be used. ``problems`` lists all its errors and warnings."""

    code = "bad_competition"

    def __init__(self, message: str, problems: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UndefinedMetricError(LadderboardError):
    """A metric without a value on these items; no value is made up."""

    code = "undefined_metric"


class MetricUnavailableError(LadderboardError):
    """A custom metric whose process cannot run: the platform's fault, so no attempt is used."""

    code = "metric_unavailable"


class GradingError(MetricUnavailableError):
    """A grader that gave some output no score. Nothing was charged, and the message tells nothing of the grader.

    ``report`` says everything, for whoever owns the grader and the tasks; Python shows it below a traceback.
    """

    code = "grading_failed"
    report: str = ""

    @classmethod
    def of(cls, report: str) -> "GradingError":
        """The error with its report."""
        error = cls("the grader gave some output no score; nothing was charged, and its owner can read why")
        error.report = report
        error.add_note(report)
        return error


class NoSandboxError(LadderboardError):
    """A machine without what the sandbox needs. Nothing was run, and nothing charged."""

    code = "no_sandbox"


class HoldoutSpentError(LadderboardError):
    """A holdout whose budget is used up: it shows no more scores."""

    code = "holdout_spent"


class HostingError(LadderboardError):
    """A request that a server refuses. ``status`` is the HTTP status, ``details`` are facts for programs.

    Nothing was changed or charged. Neither the words nor ``details`` may depend on a label or on the split.
    """

    code = "refused"
    status: int = 400
    request_id: str | None = None
    """Of the server's answer, for its organiser; known to the client only."""
    retry_after: float | None = None
    """In how many seconds it may be tried again, where the server said so."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.details = details


class SignInRequiredError(HostingError):
    """A missing sign-in, or a token that is unknown, expired or revoked."""

    code, status = "sign_in_required", 401


class ForbiddenError(HostingError):
    """An action that this person may not perform."""

    code, status = "forbidden", 403


class NotFoundError(HostingError):
    """Something that does not exist, or that this person may not know of."""

    code, status = "not_found", 404


class ConflictError(HostingError):
    """A request that conflicts with the current state."""

    code, status = "conflict", 409


class NoTeamError(ConflictError):
    """A submission by a person without a team."""

    code = "no_team"


class NotOpenError(ConflictError):
    """A competition that has not opened yet."""

    code = "not_open"


class DeadlinePassedError(ConflictError):
    """A competition whose deadline has passed."""

    code = "deadline_passed"


class CompetitionSpentError(ConflictError):
    """A competition whose holdout is spent: it shows no more scores."""

    code = "spent"


class PayloadTooLargeError(HostingError):
    """A request that exceeds the size limit."""

    code, status = "too_large", 413


class IdempotencyMismatchError(HostingError):
    """An idempotency key that was used with another body before."""

    code, status = "idempotency_mismatch", 422


class NotScoredError(HostingError):
    """A queued submission that could not be scored; ``details`` say whether it was ``charged``, and its ``id``."""

    code, status = "not_scored", 422


class WaitError(HostingError):
    """A request that must wait. ``retry_after``: seconds; None if waiting does not help."""

    code, status = "wait", 429

    def __init__(self, message: str, *, retry_after: float | None = None, **details: object) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class QuotaExceededError(WaitError):
    """A team without attempts left today or in total."""

    code = "quota_exceeded"


class TooManyRequestsError(WaitError):
    """A person or address that sends requests too fast."""

    code = "too_many_requests"


class UnavailableError(HostingError):
    """A fault of the platform, not of the submission; no attempt was used."""

    code, status = "unavailable", 503


class ClientError(LadderboardError):
    """A failed exchange with a server, raised by the client only."""

    code = "client"


class UnreachableError(ClientError):
    """No response: the request may have arrived. Repeating it with its idempotency key is safe."""

    code = "unreachable"


class AnswerError(ClientError):
    """A response that no known Ladderboard version sends."""

    code = "bad_answer"


class OutcomeUnknownError(UnavailableError):
    """A database connection lost during a commit, so the outcome is unknown; asking again is safe."""

    code = "outcome_unknown"


class DatabaseError(LadderboardError):
    """A server's database, files or backup that cannot be used."""

    code = "database"


class DamagedFileError(DatabaseError):
    """A stored file that is missing or no longer what it was. Its words are for the organiser only."""

    code = "damaged_file"

    def __init__(self, message: str, *, digest: str) -> None:
        super().__init__(message)
        self.digest = digest


class DamagedDatabaseError(DatabaseError):
    """A database of which a part can no longer be read. Its words are for the organiser only."""

    code = "damaged_database"


class GuardFileError(LadderboardError):
    """A guard's file that cannot be used."""

    code = "guard_file"


class WrongLabelsError(GuardFileError):
    """Labels that differ from those the guard's file was made with."""

    code = "wrong_labels"


def unknown_name(word: str, given: str, known: Iterable[str]) -> str:
    """Make the message for an unknown name, with the nearest known one.

    >>> unknown_name("metric", "acuracy", ["accuracy", "auc"])
    "there is no metric 'acuracy'; did you mean accuracy? Known: accuracy, auc"
    """
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(given, names, n=1)
    listed = ", ".join(names)
    if not near:
        return f"there is no {word} {given!r}. Known: {listed}"
    return f"there is no {word} {given!r}; did you mean {near[0]}? Known: {listed}"
