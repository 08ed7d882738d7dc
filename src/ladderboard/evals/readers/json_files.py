"""JSON files of results: their openings, records and numbers, with one sentence for what cannot be read."""

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

OPENING = 1 << 16
GZIP = b"\x1f\x8b"


def find_suffix(path: Path) -> str:
    """The suffix of a file as it is unpacked: ``.jsonl`` of ``votes.jsonl.gz``."""
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def read_opening(path: Path) -> str:
    """The beginning of a text file, enough to tell what wrote it; empty for what is no text."""
    with _open(path) as file:
        data = file.read(OPENING)
    return "" if b"\0" in data else data.decode("utf-8", errors="replace")


def read_document(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        with _open(path) as file:
            return json.load(file)
    except (ValueError, UnicodeDecodeError) as problem:
        raise InputError(f"{path.name} is not complete JSON: {problem}; was its writing cut off?") from None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file with one JSON object in each line."""
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                record = json.loads(line)
            except ValueError as problem:
                raise InputError(f"{path.name}, line {number} is not complete JSON: {problem}") from None
            if not isinstance(record, dict):
                raise InputError(f"{path.name}, line {number} is not a JSON object")
            yield record


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """A file, unpacked if it is gzipped."""
    with path.open("rb") as plain:
        is_gzip = plain.read(2) == GZIP
        plain.seek(0)
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=plain)) if is_gzip else plain
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError(f"{path.name} is a broken gzip file; was its writing cut off?") from None


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
