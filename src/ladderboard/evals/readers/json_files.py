"""JSON files of results: their openings, records and numbers, with one sentence for what cannot be read."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

OPENING = 1 << 16


def read_opening(path: Path) -> str:
    """The beginning of a text file, enough to tell what wrote it; empty for what is no text."""
    with path.open("rb") as file:
        data = file.read(OPENING)
    return "" if b"\0" in data else data.decode("utf-8", errors="replace")


def read_document(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, UnicodeDecodeError) as problem:
        raise InputError(f"{path.name} is not whole JSON: {problem}; was its writing cut off?") from None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file with one JSON object in each line."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                record = json.loads(line)
            except ValueError as problem:
                raise InputError(f"{path.name}, line {number} is not whole JSON: {problem}") from None
            if not isinstance(record, dict):
                raise InputError(f"{path.name}, line {number} is no JSON object")
            yield record


def as_number(value: Any) -> float | None:
    """A score as a number: NaN where it is missing, None where it is no number at all."""
    if value is None:
        return math.nan
    return float(value) if isinstance(value, bool | int | float) else None


def is_log_likelihood(metric: str, scores: FloatArray) -> bool:
    """Whether scores of items under a metric's name are log-likelihoods: lm-eval writes them under "perplexity".

    A perplexity is never below 1, and a log-likelihood never above 0; the two point in opposite directions.
    """
    return metric == "perplexity" and not (scores > 0).any()
