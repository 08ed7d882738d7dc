"""JSON shapes, filled from other values by the names of their fields."""

from collections.abc import Hashable
from dataclasses import is_dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

Body = TypeVar("Body")


def to_body(kind: type[Body], value: object, **more: Any) -> Body:
    """Make a JSON shape from the attributes of a value that have its fields' names; ``more``: the other fields.

    Times are written in ISO 8601; nested values get the shape that the field names.

    >>> from ladderboard.server.operations.records import HourBody
    >>> to_body(HourBody, datetime(2026, 3, 14), begins=datetime(2026, 3, 14), submissions=2)
    HourBody(begins='2026-03-14T00:00:00', submissions=2)
    """
    shapes = _shapes(cast(Hashable, kind))
    given = {name: getattr(value, name) for name in shapes if name not in more and hasattr(value, name)}
    return kind(**{name: _fit(shapes[name], one) for name, one in (given | more).items()})


@lru_cache
def _shapes(kind: Any) -> dict[str, Any]:
    """The JSON shape within the type of each field; None where there is none."""
    return {
        name: next((one for one in (hint, *get_args(hint)) if is_dataclass(one)), None)
        for name, hint in get_type_hints(kind).items()
    }


def _fit(shape: Any, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_fit(shape, one) for one in value]
    if shape is None or value is None or isinstance(value, shape):
        return value
    return shape(**value) if isinstance(value, dict) else to_body(shape, value)
