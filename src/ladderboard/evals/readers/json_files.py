"""JSON files of results: their openings, records and numbers, with one sentence for what cannot be read."""

import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

OPENING = 1 << 16
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]:]', re.DOTALL)
"""A string, also one that is cut off, or a sign that opens, closes or follows a key."""
GZIP = b"\x1f\x8b"


def find_suffix(path: Path) -> str:
    """The suffix of a file as it is unpacked: ``.jsonl`` of ``votes.jsonl.gz``."""
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def read_opening(path: Path) -> str:
    """The beginning of a text file, enough to tell what wrote it; empty for what is no text."""
    with _open(path) as file:
        data = file.read(OPENING)
    return "" if b"\0" in data else data.decode("utf-8", errors="replace")


def find_top_keys(opening: str) -> tuple[str, ...]:
    """The keys of the object that a text begins with, as far as the text goes; none for anything else.

    >>> find_top_keys('{"results": {"acc": 1}, "config": {"li')
    ('results', 'config')
    """
    keys, depth, before = [], 0, ""
    if not opening.lstrip().startswith("{"):
        return ()
    for found in _TOKEN.finditer(opening):
        sign = found[0]
        if sign in ("{", "["):
            depth += 1
        elif sign in ("}", "]"):
            depth -= 1
            if not depth:
                break
        elif depth == 1 and sign == ":":
            keys.append(before.strip('"'))
        before = sign
    return tuple(keys)


def read_document(path: Path) -> Any:
    """The content of a JSON file."""
    with _open(path) as file:
        data = file.read()
    try:
        return json.loads(data)
    except ValueError as problem:
        raise InputError(f"{path.name} {_explain_broken(problem)}") from None


def _explain_broken(problem: ValueError) -> str:
    """What is wrong with the JSON of a file: it ends too early, goes on after its end, or has a mistake."""
    if not isinstance(problem, json.JSONDecodeError):
        return f"is not JSON in UTF-8: {problem}"
    if problem.msg == "Extra data":
        return (
            f"holds several JSON documents, the second from line {problem.lineno}; if it has one in each line, call it "
            ".jsonl"
        )
    if problem.pos >= len(problem.doc.rstrip()) or problem.msg.startswith("Unterminated string"):
        return f"is not complete JSON: {problem}; was its writing cut off?"
    return f"is not JSON: {problem}"


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
