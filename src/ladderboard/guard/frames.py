"""Frames of pandas, polars and Arrow, known by their attributes: columns by name, never by luck of their order."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.metrics.inputs import Array

ID_COLUMNS = ("id", "item", "item_id")
SHOWN_COLUMNS = 6


class FrameParts(NamedTuple):
    """The values of a frame, and its column of ids; None where it has none."""

    values: Array
    ids: Any = None


def list_columns(values: Any) -> list[Any] | None:
    """The names of a frame's columns; None for what is no frame.

    >>> list_columns([1, 2]) is None
    True
    """
    names = getattr(values, "column_names", None)  # an Arrow table's `columns` are the columns themselves
    names = getattr(values, "columns", None) if names is None else names
    return None if names is None or callable(names) else list(names)


def name_columns(frame: Any) -> tuple[Any, ...]:
    """The columns of labels by which predictions are matched; empty where nobody named them, or there is only one.

    >>> name_columns([[1, 0], [0, 1]])
    ()
    """
    columns = list_columns(frame) or []
    named = [name for name in columns if str(name).lower() in ID_COLUMNS]
    rest = [name for name in columns if len(named) != 1 or name != named[0]]
    return () if len(rest) < 2 or _are_unnamed([_spell(one) for one in rest]) else tuple(rest)


def split_frame(frame: Any, classes: Sequence[Any], error: type[InputError]) -> FrameParts:
    """Split a frame into its values and its ids; columns of classes or labels come in the order of ``classes``."""
    columns = list_columns(frame) or []
    named = [name for name in columns if str(name).lower() in ID_COLUMNS]
    id_column = named[0] if len(named) == 1 else None
    rest = [name for name in columns if id_column is None or name != id_column]
    wanted = _order_by_class(rest, classes, error) if len(rest) == len(classes) > 1 else rest
    values = np.asarray(frame if wanted == columns else _select(frame, wanted))
    return FrameParts(values, None if id_column is None else frame[id_column])


def _select(frame: Any, names: list[Any]) -> Any:
    if len(names) == 1:
        return frame[names[0]]
    return frame.select(names) if hasattr(frame, "select") else frame[names]


def _order_by_class(columns: list[Any], classes: Sequence[Any], error: type[InputError]) -> list[Any]:
    """The column of each class; columns that nobody named (0, 1, 2, … and polars' column_0, …) stay as they are."""
    from ladderboard.tabular.class_columns import find_class_columns

    names = [_spell(one) for one in columns]
    if _are_unnamed(names):
        return columns
    found = find_class_columns(names, [_spell(one) for one in classes])
    if found is None:
        raise error(
            f"the columns {_join(names)} are not called like {_join([_spell(one) for one in classes])}; rename them, "
            "or give an array with its columns in that order"
        )
    return [columns[names.index(name)] for name in found]


def _are_unnamed(names: Sequence[str]) -> bool:
    numbers = range(len(names))
    return list(names) in ([f"{number}" for number in numbers], [f"column_{number}" for number in numbers])


def _spell(name: Any) -> str:
    """A class or the name of its column as text: whole numbers without a point, whatever type they have."""
    return str(int(name)) if isinstance(name, float | np.floating) and float(name).is_integer() else str(name)


def _join(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN_COLUMNS]) + (", …" if len(names) > SHOWN_COLUMNS else "")
