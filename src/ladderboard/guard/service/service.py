"""The referee behind a holdout service: it holds the labels, and answers each client with releases only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ladderboard.core.errors import ForbiddenError, GradingError, GuardFileError, ParameterError, UnavailableError
from ladderboard.core.records import Release
from ladderboard.guard.clients import GuardClient, find_client
from ladderboard.guard.graded import GradingHoldout
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.service.outlook import plan_attempts
from ladderboard.guard.service.request_body import ITEM_SCORES, PREDICTIONS, ScoreRequest
from ladderboard.metrics.mean_score import MeanScore

OUTPUTS = "the output of the system, or a list of several runs, for each task by its id"
Describe = Callable[[Holdout, Release], list[str]]
Complain = Callable[[str], None]

NOT_TRUSTED = (
    "this service grades predictions itself and takes no item scores; send predictions, "
    "or ask whoever runs it to start it with --trusted-grader"
)


class HoldoutService:
    """A holdout with its label file and its clients; safe to use from several threads.

    ``labels``: the file they were read from; when it changes or goes, nothing is scored until the service is started
    again. ``describe`` says in sentences what a release means; ``complain`` tells whoever runs the service of faults.
    """

    def __init__(
        self,
        holdout: Holdout,
        *,
        labels: Path | None,
        describe: Describe,
        complain: Complain,
        has_trusted_grader: bool = False,
    ) -> None:
        if takes_scores(holdout) and not has_trusted_grader:
            raise ParameterError(
                "this guard takes the scores that its clients computed; start the service with --trusted-grader if you "
                "trust all of them, or make it anew with `holdout init --grader`, which grades their outputs here"
            )
        self.holdout = holdout
        self._labels, self._labels_seen = labels, _look_at(labels)
        self._describe, self._complain = describe, complain
        self._has_trusted_grader = has_trusted_grader

    def find_client(self, token: str) -> GuardClient:
        """Find whose token this is, as the file has it now. Raises `SignInRequiredError`."""
        with self._explain_faults(), self.holdout._guard.use() as connection:
            return find_client(connection, token)

    def score(self, client: str | None, request: ScoreRequest) -> dict[str, Any]:
        """Score for a client, under whose name the attempt is recorded; refused input is no attempt."""
        if request.are_item_scores and not self._has_trusted_grader:
            raise ForbiddenError(NOT_TRUSTED)
        self._refuse_changed_labels()
        with self._explain_faults():
            release = self._score(client, request)
            told = {
                **release.to_answer(),
                "leakage": asdict(self.holdout.leakage),
            }
            return {**told, "outcome": self._describe(self.holdout, release)} if request.is_explained else told

    def status(self, client: GuardClient | None) -> dict[str, Any]:
        """Tell the state of the board, which all clients share, and what this client has asked so far."""
        with self._explain_faults():
            leakage, metric = self.holdout.leakage, self.holdout.metric
            return {
                "metric": metric.name,
                "lower_is_better": metric.lower_is_better,
                "mechanism": self.holdout.mechanism.name,
                "items": len(self.holdout),
                "takes": ITEM_SCORES if takes_scores(self.holdout) else PREDICTIONS,
                "has_ids": self.holdout.has_ids,
                "expects": OUTPUTS if isinstance(self.holdout, GradingHoldout) else metric.kind.description,
                "classes": [_plain(one) for one in self.holdout.classes],
                "positive": _plain(self.holdout.positive),
                "class_columns": [_plain(one) for one in self.holdout.class_columns],
                "attempts": leakage.attempts,
                "accepts": leakage.accepts,
                "board_value": self.holdout.best,
                "leakage": asdict(leakage),
                "client": client and {"name": client.name, "attempts": client.attempts, "accepts": client.accepts},
            }

    def plan(self) -> dict[str, Any]:
        """Tell the gain that the next attempts need to be recognised."""
        with self._explain_faults():
            return plan_attempts(self.holdout, self.holdout._guard)

    def history(self) -> list[dict[str, Any]]:
        """List every release to any client, in the order of attempts."""
        with self._explain_faults():
            return [release.to_answer() for release in self.holdout.history()]

    def _score(self, client: str | None, request: ScoreRequest) -> Release:
        if request.are_item_scores != takes_scores(self.holdout):
            raise ParameterError(
                "this guard grades predictions itself; send predictions"
                if request.are_item_scores
                else "this guard has no labels to grade predictions with; send item_scores"
            )
        return self.holdout.score(request.values, ids=request.ids, training_score=request.training_score, client=client)

    def _refuse_changed_labels(self) -> None:
        if _look_at(self._labels) != self._labels_seen:
            self._complain(f"{self._labels} changed or went away; put it back, or start the service again")
            raise UnavailableError(
                "the label file changed while the service was running; nothing is scored until it is restarted"
            )

    @contextmanager
    def _explain_faults(self) -> Iterator[None]:
        """Report a fault of the guard's file to whoever runs the service; clients hear that nothing was charged."""
        try:
            yield
        except GuardFileError as problem:
            self._complain(str(problem))
            raise UnavailableError("the service cannot use its guard file right now; nothing was charged") from problem
        except GradingError as problem:
            self._complain(f"{problem}: {problem.report}")
            raise


def takes_scores(holdout: Holdout) -> bool:
    """Whether scores of items are what it takes, which were given outside."""
    return isinstance(holdout.metric, MeanScore) and not isinstance(holdout, GradingHoldout)


def _look_at(path: Path | None) -> tuple[int, ...] | None:
    """Take the facts that change with a file's content; None where there is no file."""
    if path is None:
        return None
    try:
        facts = path.stat()
    except OSError:
        return ()
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _plain(value: Any) -> Any:
    """Convert a NumPy value to the plain one that JSON takes."""
    return value.item() if hasattr(value, "item") else value
