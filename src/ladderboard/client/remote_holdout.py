"""The Python client of a holdout service: a holdout whose labels are in another process."""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

from ladderboard.client.connection import Connection, read_json
from ladderboard.client.retries import Retries
from ladderboard.core.errors import (
    AnswerError,
    GradingError,
    HoldoutSpentError,
    HostingError,
    LadderboardError,
    MetricUnavailableError,
    ParameterError,
    PredictionsError,
)
from ladderboard.core.records import Leakage, Release
from ladderboard.guard.alignment import list_with_ids

if TYPE_CHECKING:
    import httpx

SECONDS = 30.0
TOKEN = "LADDERBOARD_HOLDOUT_TOKEN"  # noqa: S105 (the name of a variable)
UNIX = "unix:"
LIBRARYS = (PredictionsError, ParameterError, HoldoutSpentError, GradingError, MetricUnavailableError)
"""The errors that a local holdout raises as well."""


class RemoteHoldout:
    """A holdout behind `ladderboard holdout serve`: asked like a `Holdout`, with the same releases and errors.

    Parameters
    ----------
    url
        ``http://127.0.0.1:8765``, or ``unix:/path/to/socket``.
    token
        This client's token, from `ladderboard holdout clients add`; default: the environment's
        ``LADDERBOARD_HOLDOUT_TOKEN``.
    timeout
        Seconds until the service must take a connection; scoring may take longer.

    The board is shared: ``attempts``, ``best``, ``leakage`` and ``history`` are of all clients together. Where no
    answer came, the request is repeated: the same predictions are one attempt however often they are sent.

    >>> holdout = RemoteHoldout("http://127.0.0.1:8765", token="lb_…")  # doctest: +SKIP
    >>> holdout.score(predictions).improved  # doctest: +SKIP
    False
    """

    def __init__(
        self, url: str, *, token: str | None = None, timeout: float = SECONDS, retries: Retries | None = None
    ) -> None:
        if not url.startswith((UNIX, "http://", "https://")):
            raise ParameterError(f"{url!r} is no address of a service; write http://127.0.0.1:8765 or unix:/path")
        self.url, socket = url, url.removeprefix(UNIX) if url.startswith(UNIX) else None
        self._connection = Connection(
            url if socket is None else "http://localhost",
            token=(token or os.environ.get(TOKEN) or "").strip() or None,
            timeout=timeout,
            retries=retries or Retries(),
            socket=socket,
        )
        self._expected: dict[str, Any] | None = None

    def score(
        self,
        predictions: Any,
        *,
        ids: Collection[Any] | None = None,
        training_score: float | None = None,
    ) -> Release:
        """Score predictions, or the scores of graded items, as `Holdout.score` does; every new one is an attempt."""
        return read_release(self.ask_score(predictions, ids=ids, training_score=training_score, explain=False))

    def ask_score(
        self,
        predictions: Any,
        *,
        ids: Collection[Any] | None = None,
        training_score: float | None = None,
        explain: bool = True,
    ) -> dict[str, Any]:
        """Score one submission and return the whole answer: the release, the leakage, and what it means in words."""
        if self._expected is None:  # predictions and scores of items have different names, so that neither is misread
            self._expected = self.status()
        values, named = list_with_ids(predictions, ids, classes=self._expected["class_columns"])
        given = {
            str(self._expected["takes"]): values,
            "ids": named,
            "training_score": training_score,
            "explain": explain,
        }
        body = json.dumps({name: value for name, value in given.items() if value is not None})
        return self._ask("POST", "/score", content=body.encode(), headers={"Content-Type": "application/json"})

    def status(self) -> dict[str, Any]:
        """Tell the metric, the board, and how often this client and all together have asked."""
        return self._ask("GET", "/status")

    def plan(self) -> dict[str, Any]:
        """Tell the gains that the next attempts need to be shown (accepted) and to be proven (improved)."""
        return self._ask("GET", "/plan")

    @property
    def attempts(self) -> int:
        """The attempts of all clients together; ``status()["client"]`` has this client's."""
        return int(self.status()["attempts"])

    @property
    def best(self) -> float | None:
        """The score on the board."""
        best: float | None = self.status()["board_value"]
        return best

    @property
    def leakage(self) -> Leakage:
        """The information released so far, to all clients together."""
        return Leakage(**self.status()["leakage"])

    def history(self) -> list[Release]:
        """List every release in the order of attempts, also those of other clients."""
        return [read_release(one) for one in self._ask("GET", "/history")["history"]]

    def __len__(self) -> int:
        """The number of items."""
        return int(self.status()["items"])

    def __repr__(self) -> str:
        return f"RemoteHoldout({self.url!r})"

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        try:
            # Safe to repeat, also the scoring: the same predictions are one attempt.
            answer: httpx.Response = self._connection.send(method, path, is_repeatable=True, **given)
        except HostingError as refusal:
            raise _as_the_library_raises(refusal) from None
        told = read_json(answer)
        if not isinstance(told, dict):
            raise AnswerError(f"{self.url} answered in a way that a holdout service does not; check the address")
        return told


def read_release(told: Mapping[str, Any]) -> Release:
    """Read a release from an answer; what else it tells is left out."""
    known = {one.name for one in fields(Release)}
    try:
        return Release.from_dict({name: value for name, value in told.items() if name in known})
    except TypeError:
        raise AnswerError("the answer has no release; is there a holdout service at this address?") from None


def _as_the_library_raises(refusal: HostingError) -> LadderboardError:
    kind = next((one for one in LIBRARYS if one.code == refusal.code), None)
    return refusal if kind is None else kind(str(refusal))
