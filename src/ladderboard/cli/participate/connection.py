"""The server, competition and user of a participant's command: options, client and retries."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from ladderboard.cli.participate.credentials import CredentialFile
from ladderboard.client import Client, Retries
from ladderboard.client.retries import PATIENT
from ladderboard.core.errors import ParameterError, SignInRequiredError

Command = TypeVar("Command", bound=Callable[..., Any])

SERVER, TOKEN, COMPETITION = "LADDERBOARD_SERVER", "LADDERBOARD_TOKEN", "LADDERBOARD_COMPETITION"
SILENT_SECONDS = 2.0
"""Waits shorter than this are not worth a notice."""
WAITING = "The server is busy or restarting. Waiting; press Ctrl+C to stop. Sending again never costs a second attempt."


def server_option(command: Command) -> Command:
    """Add ``--server URL``; default: the environment, then the server this user signed in to last."""
    return click.option(
        "--server",
        metavar="URL",
        envvar=SERVER,
        help=f"The server's address.  [default: {SERVER}, or where you last signed in]",
    )(command)


class CompetitionOption(click.Option):
    """``--competition``; its other spellings, from before there was one for all commands, work but are not shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else ("--competition SLUG", record[1])


def competition_options(*old_names: str) -> Callable[[Command], Command]:
    """Add ``--competition SLUG``, optional if the server has only one, and ``--server URL``."""
    which = click.option(
        "--competition",
        *old_names,
        "slug",
        cls=CompetitionOption,
        metavar="SLUG",
        envvar=COMPETITION,
        help="The competition's name in its address.  [default: the only one]",
    )
    return lambda command: which(server_option(command))


json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


def echo_json(answer: object) -> None:
    """Print an answer of the server as the JSON that the server writes."""
    click.echo(json.dumps(answer, default=_encode))


def _encode(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else asdict(value)


@contextmanager
def connect(
    server: str | None, slug: str | None, *, as_anybody: bool = False, retries: Retries | None = None
) -> Iterator[tuple[Client, str]]:
    """Connect as `connect_to_server` does; yields the client and the competition, the only one if not named."""
    with connect_to_server(server, as_anybody=as_anybody, retries=retries) as client:
        yield client, _choose_competition(client, slug)


@contextmanager
def connect_to_server(
    server: str | None, *, as_anybody: bool = False, retries: Retries | None = None
) -> Iterator[Client]:
    """Connect to the server with this user's token. ``as_anybody``: a token is optional."""
    known = CredentialFile().find(None if server is None else server.rstrip("/"))
    address = server or (known.server if known is not None else None)
    if address is None:
        raise ParameterError(f"which server? Run `ladderboard sign-in URL`, or set --server or {SERVER}")
    token = os.environ.get(TOKEN) or (known.token if known is not None else None)
    if token is None and not as_anybody:
        raise SignInRequiredError(f"you are not signed in to {address}; run `ladderboard sign-in {address}`")
    with Client(address, token, retries=retries, cache=find_cache_folder()) as client:
        yield client


def _choose_competition(client: Client, slug: str | None) -> str:
    """Return the named competition, or the only one there is."""
    if slug is not None:
        return slug
    slugs = [one.slug for one in client.competitions()]
    if len(slugs) == 1:
        return slugs[0]
    if not slugs:
        raise ParameterError(f"{client.base_url} lists no competitions; name one with --competition")
    raise ParameterError(f"which competition? Name one with --competition: {', '.join(slugs)}")


def find_cache_folder() -> Path:
    """Find the folder that caches responses between commands."""
    return Path(click.get_app_dir("ladderboard")) / "cache"


def retry_with_notice() -> Retries:
    """Make a retry policy as patient as an upload's, with a notice on standard error when the wait is long."""
    return replace(PATIENT, sleep=_NoticedSleep())


class _NoticedSleep:
    """A sleep that says once why it waits."""

    def __init__(self) -> None:
        self._waited, self._has_said = 0.0, False

    def __call__(self, seconds: float) -> None:
        self._waited += seconds
        if self._waited > SILENT_SECONDS and not self._has_said:
            click.echo(WAITING, err=True)
            self._has_said = True
        time.sleep(seconds)
