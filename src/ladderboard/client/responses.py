"""Parser of JSON responses into the server's records; unknown fields are ignored, missing ones refused."""

import json
import types
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ladderboard.core.errors import AnswerError, InputError, ParameterError

if TYPE_CHECKING:
    from ladderboard.tabular.format import SubmissionFormat

Value = TypeVar("Value")

_PLAIN: dict[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (int, float), bool: (bool,)}


def read_response(kind: type[Value], told: Any) -> Value:
    """Parse a response as a value of ``kind``; raises `AnswerError` if it does not fit.

    >>> from ladderboard.server.submissions.records import RankRangeBody
    >>> read_response(RankRangeBody, {"best": 1, "worst": 3, "of a later version": True})
    RankRangeBody(best=1, worst=3)
    """
    value: Value = _read(kind, told, "answer")
    return value


def read_format(described: bytes, sample: bytes) -> "SubmissionFormat":
    """Make the submission format from its description and the sample submission, which has the ids."""
    try:
        from ladderboard.tabular import format_with_ids
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        raise ParameterError("checking a file needs polars: pip install '.[files]' in Ladderboard's checkout") from None
    try:
        wire = json.loads(described)
        is_file = wire["takes"] == "file"
        found = None if is_file else format_with_ids(wire, sample)
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise AnswerError(f"the server's description of its format cannot be used ({error})") from None
    if found is None:
        raise ParameterError(
            "only the server can check a submission to this competition, which is no table; send it: one with mistakes "
            "costs nothing"
        )
    return found


def _read(kind: Any, told: Any, place: str) -> Any:
    origin = get_origin(kind)
    if is_dataclass(origin or kind):
        return _read_fields(kind, told, place)
    if origin in (Union, types.UnionType):
        return _read_one_of(get_args(kind), told, place)
    if origin is Literal or kind is Any:
        # A newer server may have a word that is not known here; it is text all the same.
        return told
    if origin is list:
        _expect(told, list, place)
        return [_read(get_args(kind)[0], one, f"{place}[{index}]") for index, one in enumerate(told)]
    if origin is dict or kind is dict:
        _expect(told, dict, place)
        return told
    if kind is datetime:
        return _read_moment(told, place)
    if not isinstance(told, _PLAIN[kind]) or (isinstance(told, bool) and kind is not bool):
        raise _unlike(place, kind.__name__)
    return kind(told)


def _read_fields(kind: Any, told: Any, place: str) -> Any:
    _expect(told, dict, place)
    made = get_origin(kind) or kind
    values = {}
    for name, hint, is_needed in _hints(kind):
        if name in told:
            values[name] = _read(hint, told[name], f"{place}.{name}")
        elif is_needed:
            raise AnswerError(f"the server's {place} has no {name!r}; is it a Ladderboard of another version?")
    return made(**values)


@lru_cache
def _hints(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """List the name, type and necessity of every field, with type parameters filled in."""
    made = get_origin(kind) or kind
    filled = dict(zip(getattr(made, "__parameters__", ()), get_args(kind), strict=False))
    hints = get_type_hints(made)
    return tuple(
        (one.name, _fill_hint(hints[one.name], filled), one.default is MISSING and one.default_factory is MISSING)
        for one in fields(made)
    )


def _fill_hint(hint: Any, filled: dict[Any, Any]) -> Any:
    if hint in filled:
        return filled[hint]
    if get_origin(hint) is list:
        return list[_fill_hint(get_args(hint)[0], filled)]  # type: ignore[misc]  # made at run time
    return hint


def _read_one_of(kinds: Iterable[Any], told: Any, place: str) -> Any:
    kinds = list(kinds)
    if told is None and types.NoneType in kinds:
        return None
    problem: AnswerError | None = None
    for kind in kinds:
        if kind is not types.NoneType:
            try:
                return _read(kind, told, place)
            except AnswerError as error:
                problem = problem or error
    raise problem or _unlike(place, "null")


def _read_moment(told: Any, place: str) -> datetime:
    _expect(told, str, place)
    try:
        return datetime.fromisoformat(told)
    except ValueError:
        raise _unlike(place, "time") from None


def _expect(told: Any, kind: type, place: str) -> None:
    if not isinstance(told, kind):
        raise _unlike(place, kind.__name__)


def _unlike(place: str, kind: str) -> AnswerError:
    return AnswerError(f"the server's {place} is not of type {kind}; is it a Ladderboard of another version?")
