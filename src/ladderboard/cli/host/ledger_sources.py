"""Where a ledger and what belongs to it come from: a server's address, downloaded files, or standard input."""

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ladderboard.core.errors import InputError, ParameterError

if TYPE_CHECKING:
    import httpx

    from ladderboard.hosting.audit.published import Publication

ADDRESS = re.compile(r"(https?://[^?#]*?)(?:/api/v1)?/competitions/([^/?#]+)")
MISSING_EXTRA = "asking a server needs httpx: pip install 'ladderboard[client]'"


def is_address(source: str) -> bool:
    """Whether a source is a server's and not a file."""
    return source.startswith(("http://", "https://"))


@contextmanager
def open_records(source: str) -> Iterator[Iterator[Any]]:
    """The entries of a ledger, one at a time."""
    if is_address(source):
        with _asked(f"{find_ledger_address(source)}?format=jsonl") as answer:
            yield _records(answer.iter_lines())
    elif source == "-":
        yield _records(codecs.getreader("utf-8")(sys.stdin.buffer, "replace"))
    else:
        with _opened(Path(source)) as file:
            yield _records(file)


def read_publication(source: str, given: Path | None) -> "Publication | None":
    """The publication that was given, or the server's; None where there is none yet."""
    from ladderboard.hosting.audit.published import Publication

    if given is not None:
        with _opened(given) as file:
            try:
                return Publication.from_json(json.load(file))
            except json.JSONDecodeError:
                raise InputError(f"{given} is not JSON; download …/ledger/publication again") from None
    if not is_address(source):
        return None
    with _asked(f"{find_ledger_address(source)}/publication", missing_is_fine=True) as answer:
        return None if answer.status_code == 404 else Publication.from_json(json.loads(answer.read()))


def download_submissions(source: str, target: Path) -> None:
    """The server's archive of submissions into a file; where they are not published the server says why."""
    with _asked(f"{find_ledger_address(source)}/publication/submissions") as answer, target.open("wb") as file:
        for part in answer.iter_bytes():
            file.write(part)


def find_ledger_address(source: str) -> str:
    """The address of the ledger of a competition whose page or API address was given.

    >>> find_ledger_address("https://board.example.org/competitions/whales/leaderboard")
    'https://board.example.org/api/v1/competitions/whales/ledger'
    """
    found = ADDRESS.match(source)
    if found is None:
        raise ParameterError(f"{source} names no competition; give an address such as https://HOST/competitions/SLUG")
    return f"{found[1]}/api/v1/competitions/{found[2]}/ledger"


@contextmanager
def _asked(url: str, *, missing_is_fine: bool = False) -> "Iterator[httpx.Response]":
    try:
        import httpx
    except ImportError:
        raise ParameterError(MISSING_EXTRA) from None
    try:
        with httpx.stream("GET", url, headers=_who(url), timeout=httpx.Timeout(30, read=300)) as answer:
            if answer.status_code != 200 and not (missing_is_fine and answer.status_code == 404):
                raise InputError(_refused(url, answer))
            yield answer
    except httpx.HTTPError as problem:
        raise InputError(f"{url} cannot be read: {type(problem).__name__}; is the address right?") from None


def _who(url: str) -> dict[str, str]:
    """The user's token for the server, if there is one: members see the openings of their own team."""
    from ladderboard.cli.participate.connection import TOKEN
    from ladderboard.cli.participate.credentials import CredentialFile

    found = ADDRESS.match(url)
    known = None if found is None else CredentialFile().find(found[1])
    token = os.environ.get(TOKEN) or (None if known is None else known.token)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _refused(url: str, answer: "httpx.Response") -> str:
    try:
        words = json.loads(answer.read())["error"]["message"]
    except (ValueError, KeyError, TypeError):
        words = "it is no competition's address, or the server is in trouble"
    return f"{url} was answered with {answer.status_code}: {words}"


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        # What is not UTF-8 is read as something else than was hashed, and found so.
        file = path.open(encoding="utf-8", errors="replace")
    except OSError:
        raise InputError(f"{path} cannot be read; give a downloaded file, or an address with https://") from None
    with file:
        yield file


def _records(lines: Any) -> Iterator[Any]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"line {number} is not JSON; a ledger has one entry a line") from None
