"""JSON with one spelling for each value: sorted keys, no blanks. Hashes, commitments and stored columns rest on it."""

import json
from collections.abc import Callable
from typing import Any


def canonical_json(value: Any, *, default: Callable[[Any], Any] | None = None) -> str:
    """Convert a value to canonical JSON: equal values have equal text. ``default`` converts what JSON lacks.

    Raises `ValueError` for infinities and NaN.

    >>> canonical_json({"b": 1.0, "a": [None, "é"]})
    '{"a":[null,"é"],"b":1.0}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=default
    )
