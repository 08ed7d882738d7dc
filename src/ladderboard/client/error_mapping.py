"""Mapping of a server's error responses to the exceptions of `ladderboard`."""

from collections.abc import Iterator, Mapping
from typing import Any

from ladderboard.core.errors import (
    FileProblem,
    HostingError,
    LadderboardError,
    SubmissionError,
    WaitError,
)


def make_error(status: int, body: Any, headers: Mapping[str, str]) -> LadderboardError:
    """Make the exception for an error response.

    ``code``, ``status``, ``details``, ``request_id`` and ``retry_after`` are the server's, also where its code is not
    known here: a newer server must not confuse an older client.
    """
    told = body.get("error") if isinstance(body, dict) else None
    if not isinstance(told, dict) or not isinstance(told.get("message"), str):
        told = {"code": "not_ladderboard", "message": _describe_strange_answer(status)}
    code, details = str(told.get("code", "refused")), told.get("details")
    details = details if isinstance(details, dict) else {}
    if code == SubmissionError.code:
        return _submission_error(told["message"], details, headers)
    kind, asked = _kind(code, status), _seconds_asked(headers)
    error = kind(told["message"], retry_after=asked) if issubclass(kind, WaitError) else kind(told["message"])
    error.code, error.status, error.details, error.retry_after = code, status, details, asked
    error.request_id = headers.get("x-request-id")
    return error


def _seconds_asked(headers: Mapping[str, str]) -> float | None:
    """Read the seconds of Retry-After; None if absent."""
    text = headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None


def _kind(code: str, status: int) -> type[HostingError]:
    """Find the class of this code, else the most general one of this status, else the root."""
    kinds = list(_list_below(HostingError))
    by_status = [one for one in kinds if one.status == status]
    return next((one for one in kinds if one.code == code), by_status[0] if by_status else HostingError)


def _list_below(kind: type[HostingError]) -> Iterator[type[HostingError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _list_below(one)


def _submission_error(message: str, details: dict[str, Any], headers: Mapping[str, str]) -> SubmissionError:
    known = FileProblem.__dataclass_fields__
    problems = [
        FileProblem(**{name: value for name, value in one.items() if name in known})
        for one in details.get("problems", [])
        if isinstance(one, dict) and {"kind", "sentence"} <= one.keys()
    ]
    error = SubmissionError(message, problems, details.get("counts"))
    error.request_id = headers.get("x-request-id")
    return error


def _describe_strange_answer(status: int) -> str:
    return f"the server answered {status} in a way that a Ladderboard does not; check its address, or try again later"
