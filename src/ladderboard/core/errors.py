"""Every error Ladderboard raises, in one tree.

    LadderboardError
    ├── InputError (also a ValueError)      what was given cannot be used; nothing was charged
    │   ├── LabelsError                     the holdout's labels, weights or groups
    │   ├── PredictionsError                a submission's predictions
    │   ├── SubmissionError                 a submission's file; carries all problems of the whole file
    │   ├── ParameterError                  an option, a name or a number out of range
    │   └── CompetitionError                a competition's folder; carries all problems at once
    ├── UndefinedMetricError                the metric has no value on these items
    ├── MetricUnavailableError              a custom metric's process cannot be had; nothing was charged
    ├── HoldoutSpentError                   the budget is used up; no more numbers are told
    ├── HostingError                        a request to a server is refused; has a status, changes nothing
    │   ├── SignInRequiredError  401        nobody is signed in, or the token is unknown, expired or revoked
    │   ├── ForbiddenError  403             this person may not do this
    │   ├── NotFoundError  404              there is none, or none that this person may know of
    │   ├── ConflictError  409              it does not go with what is there already
    │   │   ├── NoTeamError                 somebody submits who is in no team
    │   │   ├── NotOpenError                the competition has not opened
    │   │   ├── DeadlinePassedError         the competition is over
    │   │   └── CompetitionSpentError       its holdout has told all it may tell
    │   ├── PayloadTooLargeError  413       the request is longer than is read
    │   ├── IdempotencyMismatchError  422   the same key came with another body
    │   ├── WaitError  429                  later; carries how many seconds
    │   │   ├── QuotaExceededError          the team's attempts of the day, or all of them, are used
    │   │   └── TooManyRequestsError        this person or address asks too fast
    │   └── UnavailableError  503           a fault of the platform; nothing was charged
    │       └── OutcomeUnknownError         the database was lost while it stored; ask again, it counts once
    ├── ClientError                         asking a server went wrong on the way; raised by the client only
    │   ├── UnreachableError                no answer came
    │   └── AnswerError                     what came is no answer of a Ladderboard that we know
    ├── DatabaseError                       a server's database or backup cannot be used
    └── GuardFileError                      a holdout's file cannot be used
        └── WrongLabelsError                these are not the labels the file was made with

Each class has a stable ``code`` for programs; the words may be improved at any time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ladderboard.core.words import translatable


class LadderboardError(Exception):
    """The root of every error we raise."""

    code: str = "error"


class InputError(LadderboardError, ValueError):
    """What was given cannot be used."""

    code = "bad_input"


class LabelsError(InputError):
    """The labels, weights or groups of a holdout cannot be used."""

    code = "bad_labels"


class PredictionsError(InputError):
    """The predictions of a submission cannot be used. Depends on no label."""

    code = "bad_predictions"


@dataclass(frozen=True)
class FileProblem:
    """One thing that is wrong with a submission's file. Depends on no label and on no split."""

    kind: str
    """A stable code for programs; the words may be improved at any time."""
    sentence: str
    """What is wrong and what to do, without the place."""
    line: int | None = None
    """The line of a text file (its header is line 1), or the row of a Parquet file; None: the file as a whole."""
    column: str | None = None
    count: int = 1
    """How many ids this one problem stands for."""
    place: str = "line"
    """What ``line`` counts: line or row."""

    def __str__(self) -> str:
        if self.line is None:
            return self.sentence
        if self.place == "row":
            return translatable("row {line}: {sentence}", line=self.line, sentence=self.sentence)
        return translatable("line {line}: {sentence}", line=self.line, sentence=self.sentence)


class SubmissionError(InputError):
    """A submission's file cannot be used. Depends on no label and on no split, so it may be shown in full.

    ``problems`` has the first ones in the order of the file, ``counts`` how many of each kind there are in all.
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
        """How many problems there are, shown or not; one that stands for many ids is one."""
        return sum(self.counts.values()) - sum(problem.count - 1 for problem in self.problems)


class ParameterError(InputError):
    """An option is unknown or out of range."""

    code = "bad_parameter"


class CompetitionError(InputError):
    """A competition's folder cannot be used. ``problems`` has everything that is wrong with it, errors and warnings."""

    code = "bad_competition"

    def __init__(self, message: str, problems: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UndefinedMetricError(LadderboardError):
    """The metric has no value on these items, and none is made up."""

    code = "undefined_metric"


class MetricUnavailableError(LadderboardError):
    """The process of a competition's own metric cannot be had; a fault of the platform, so nothing is charged."""

    code = "metric_unavailable"


class HoldoutSpentError(LadderboardError):
    """The holdout has told all it may tell."""

    code = "holdout_spent"


class HostingError(LadderboardError):
    """A request to a server is refused. ``status`` is the HTTP status, ``details`` what a program may want to know.

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
    """Nobody is signed in, or the token is unknown, expired or revoked."""

    code, status = "sign_in_required", 401


class ForbiddenError(HostingError):
    """What was asked for is not this person's to do."""

    code, status = "forbidden", 403


class NotFoundError(HostingError):
    """There is none, or none that this person may know of."""

    code, status = "not_found", 404


class ConflictError(HostingError):
    """It does not go with what is there already."""

    code, status = "conflict", 409


class NoTeamError(ConflictError):
    """Somebody submits who is in no team."""

    code = "no_team"


class NotOpenError(ConflictError):
    """The competition has not opened."""

    code = "not_open"


class DeadlinePassedError(ConflictError):
    """The competition is over."""

    code = "deadline_passed"


class CompetitionSpentError(ConflictError):
    """The competition's holdout has told all it may tell."""

    code = "spent"


class PayloadTooLargeError(HostingError):
    """The request is longer than is read."""

    code, status = "too_large", 413


class IdempotencyMismatchError(HostingError):
    """The same idempotency key came with another body."""

    code, status = "idempotency_mismatch", 422


class WaitError(HostingError):
    """Not now. ``retry_after``: in how many seconds; None where waiting does not help."""

    code, status = "wait", 429

    def __init__(self, message: str, *, retry_after: float | None = None, **details: object) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class QuotaExceededError(WaitError):
    """The team's attempts of the day, or all of them, are used."""

    code = "quota_exceeded"


class TooManyRequestsError(WaitError):
    """One person or address asks too fast."""

    code = "too_many_requests"


class UnavailableError(HostingError):
    """A fault of the platform, and none of the submission; nothing was charged."""

    code, status = "unavailable", 503


class ClientError(LadderboardError):
    """Asking a server went wrong on the way."""

    code = "client"


class UnreachableError(ClientError):
    """No answer came, so it is not known whether the request arrived; repeating it with its idempotency key is safe."""

    code = "unreachable"


class AnswerError(ClientError):
    """What came is no answer of a Ladderboard that we know."""

    code = "bad_answer"


class OutcomeUnknownError(UnavailableError):
    """The database was lost between being told to store and saying that it did; asking again is safe."""

    code = "outcome_unknown"


class DatabaseError(LadderboardError):
    """The database of a server, its files or a backup of them cannot be used."""

    code = "database"


class GuardFileError(LadderboardError):
    """The file of a holdout guard cannot be used."""

    code = "guard_file"


class WrongLabelsError(GuardFileError):
    """The labels differ from those the guard's file was made with."""

    code = "wrong_labels"


def unknown_name(word: str, given: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not in a list, with the nearest ones first.

    >>> unknown_name("metric", "acuracy", ["accuracy", "auc"])
    "there is no metric 'acuracy'; did you mean accuracy? Known: accuracy, auc"
    """
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(given, names, n=1)
    listed = ", ".join(names)
    if not near:
        return translatable("there is no {word} {given!r}; Known: {list}", word=word, given=given, list=listed)
    return translatable(
        "there is no {word} {given!r}; did you mean {near}? Known: {list}",
        word=word,
        given=given,
        near=near[0],
        list=listed,
    )
