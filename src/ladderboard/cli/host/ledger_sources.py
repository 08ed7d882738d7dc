"""Sources of a ledger: a server's address, downloaded files, or standard input."""

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ladderboard.cli.participate.connection import TOKEN
from ladderboard.cli.participate.credentials import CredentialFile
from ladderboard.core.errors import InputError, ParameterError
from ladderboard.server.audit.published import Publication

if TYPE_CHECKING:
    import httpx

ADDRESS = re.compile(r"(https?://[^?#]*?)(?:/api/v1)?/competitions/([^/?#]+)")


def is_address(source: str) -> bool:
    """Whether a source is an address and not a file."""
    return source.startswith(("http://", "https://"))


@contextmanager
def open_records(source: str) -> Iterator[Iterator[Any]]:
    """Open the entries of a ledger, one at a time."""
    if is_address(source):
        with _request(f"{find_ledger_address(source)}?format=jsonl") as answer:
            yield _read_records(answer.iter_lines())
    elif source == "-":
        yield _read_records(codecs.getreader("utf-8")(sys.stdin.buffer, "replace"))
    else:
        with _open_file(Path(source)) as file:
            yield _read_records(file)


def read_publication(source: str, given: Path | None) -> Publication | None:
    """Read the given publication, or the server's; None if there is none yet."""
    if given is not None:
        with _open_file(given) as file:
            try:
                return Publication.from_json(json.load(file))
            except json.JSONDecodeError:
                raise InputError(f"{given} is not JSON; download …/ledger/publication again") from None
    if not is_address(source):
        return None
    with _request(f"{find_ledger_address(source)}/publication", missing_is_fine=True) as answer:
        return None if answer.status_code == 404 else Publication.from_json(json.loads(answer.read()))


def download_submissions(source: str, target: Path) -> None:
    """Download the server's archive of submissions into a file."""
    with _request(f"{find_ledger_address(source)}/publication/submissions") as answer, target.open("wb") as file:
        for part in answer.iter_bytes():
            file.write(part)


def find_ledger_address(source: str) -> str:
    """Find the address of a competition's ledger from its page or API address.

    >>> find_ledger_address("https://board.example.org/competitions/whales/leaderboard")
    'https://board.example.org/api/v1/competitions/whales/ledger'
    """
    found = ADDRESS.match(source)
    if found is None:
        raise ParameterError(
            f"{source} is not the address of a competition; give one such as https://HOST/competitions/SLUG"
        )
    return f"{found[1]}/api/v1/competitions/{found[2]}/ledger"


@contextmanager
def _request(url: str, *, missing_is_fine: bool = False) -> "Iterator[httpx.Response]":
    import httpx  # a downloaded ledger is verified without it

    try:
        with httpx.stream("GET", url, headers=_make_headers(url), timeout=httpx.Timeout(30, read=300)) as answer:
            if answer.status_code != 200 and not (missing_is_fine and answer.status_code == 404):
                raise InputError(_describe_refusal(url, answer))
            yield answer
    except httpx.HTTPError as problem:
        raise InputError(f"cannot read {url}: {type(problem).__name__}; check the address") from None


def _make_headers(url: str) -> dict[str, str]:
    """Make the header with the user's token, if any: members see their own team's openings."""
    found = ADDRESS.match(url)
    known = None if found is None else CredentialFile().find(found[1])
    token = os.environ.get(TOKEN) or (None if known is None else known.token)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _describe_refusal(url: str, answer: "httpx.Response") -> str:
    try:
        words = json.loads(answer.read())["error"]["message"]
    except (ValueError, KeyError, TypeError):
        words = "it is not a competition's address, or the server has a problem"
    return f"{url} answered {answer.status_code}: {words}"


@contextmanager
def _open_file(path: Path) -> Iterator[TextIO]:
    try:
        # What is not UTF-8 is replaced and then fails its hash.
        file = path.open(encoding="utf-8", errors="replace")
    except OSError:
        raise InputError(f"cannot read {path}; give a downloaded file, or an address beginning with https://") from None
    with file:
        yield file


def _read_records(lines: Any) -> Iterator[Any]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"line {number} is not JSON; a ledger has one entry per line") from None
