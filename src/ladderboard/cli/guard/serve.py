"""`ladderboard holdout serve`: the guard as a service, which keeps the labels in a process of its own."""

import signal
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ladderboard.core.library_threads import use_one_thread

if TYPE_CHECKING:
    import socket

    from ladderboard.guard.holdout import Holdout
    from ladderboard.guard.service.body_limit import BodyLimit
    from ladderboard.guard.service.service import HoldoutService
    from ladderboard.server.app.stopping import StopRequest

FILE = click.Path(dir_okay=False, path_type=Path)
DEFAULT_PORT = 8765
MEGABYTE = 1 << 20


@click.command()
@click.argument("path", metavar="[GUARD]", type=FILE, required=False)
@click.option("--labels", type=FILE, help="The labels, as given to `init`; graded items have none.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column of the labels that names the items.")
@click.option("--metric", help="Your metric's new path, if you moved it: path/to/file.py:function.")
@click.option("--socket", "socket_path", type=FILE, help="Listen on a Unix socket with this path instead of a port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0 for any free one.",
)
@click.option("--check-user", metavar="NAME", help="Refuse to start if this user can reach the labels or GUARD.")
@click.option("--trusted-grader", is_flag=True, help="Also take item scores that a client computed itself.")
@click.option("--mcp", is_flag=True, help="Speak the Model Context Protocol on standard input and output instead.")
@click.option("--url", help="With --mcp and without GUARD: the running service to ask.")
@click.option(
    "--max-request-mb",
    type=click.IntRange(1, 4096),
    help="The largest request.  [default: what predictions for all items need]",
)
def serve(
    path: Path | None,
    *,
    labels: Path | None,
    id_column: str | None,
    metric: str | None,
    socket_path: Path | None,
    host: str,
    port: int,
    check_user: str | None,
    trusted_grader: bool,
    mcp: bool,
    url: str | None,
    max_request_mb: int | None,
) -> None:
    r"""Serve the holdout of GUARD to clients with a token; the labels stay in this process.

    Run it as a user who alone can read the labels. Clients send predictions with `ladderboard holdout ask`,
    `ladderboard.RemoteHoldout`, curl, or the tools of an agent; every attempt is recorded under its client's name.

    With --mcp --url URL this is the agent's side: a program that its host starts, with the token in
    LADDERBOARD_HOLDOUT_TOKEN. With --mcp and GUARD that program itself reads the labels: no protection.

    \b
    Example:
      ladderboard holdout clients add holdout.db ci
      ladderboard holdout serve holdout.db --labels labels.csv --check-user runner
      ladderboard holdout serve holdout.db --labels labels.csv --socket /run/holdout.sock
      ladderboard holdout serve --mcp --url http://127.0.0.1:8765
    """
    use_one_thread()  # before NumPy is imported, so that imports follow
    from ladderboard.cli.guard.mcp_stdio import run_for_service, run_with_labels
    from ladderboard.cli.guard.note import find_tasks
    from ladderboard.cli.guard.opening import open_guard
    from ladderboard.guard.service.access import require_no_access
    from ladderboard.guard.service.body_limit import BodyLimit, find_body_limit
    from ladderboard.guard.service.single_service import claim_guard_file

    if url is not None:
        _refuse_unless(mcp and path is None, "--url names a service to ask: give it with --mcp and without GUARD")
        run_for_service(url)
        return
    _refuse_unless(path is not None, "give GUARD, the file that `init` made; or --mcp --url for a running service")
    assert path is not None
    with ExitStack() as stack:
        if check_user is not None:
            require_no_access(check_user, labels=labels or find_tasks(path), guard=path)
        holdout = stack.enter_context(open_guard(path, labels, id_column, metric))
        secret = labels or find_tasks(path)
        service = _make_service(holdout, secret, has_trusted_grader=trusted_grader)
        if mcp:
            run_with_labels(service, (secret, path))
            return
        stack.enter_context(claim_guard_file(path))
        stop = stack.enter_context(_keep_signals())
        listening = stack.enter_context(_open_listening(socket_path, host, port))
        listening.listen()  # from here on clients wait instead of being refused
        _show_address(holdout, path, listening, socket_path)
        if socket_path is not None:
            stack.callback(socket_path.unlink, missing_ok=True)
        limit = find_body_limit(holdout) if max_request_mb is None else BodyLimit(max_request_mb * MEGABYTE)
        _run(service, listening, limit, stop)


def _refuse_unless(is_fine: bool, otherwise: str) -> None:
    if not is_fine:
        raise click.UsageError(otherwise)


def _keep_signals() -> "StopRequest":
    from ladderboard.server.app.stopping import StopRequest

    return StopRequest(signal.SIGINT, signal.SIGTERM)


def _run(service: "HoldoutService", listening: "socket.socket", limit: "BodyLimit", stop: "StopRequest") -> None:
    from ladderboard.server.holdout.app import create_holdout_app, run_server

    run_server(create_holdout_app(service, limit), listening, stop)


def _make_service(holdout: "Holdout", labels: Path | None, *, has_trusted_grader: bool) -> "HoldoutService":
    from ladderboard.cli.guard.holdout_report import describe_release
    from ladderboard.guard.service.service import HoldoutService

    return HoldoutService(
        holdout,
        labels=labels,
        describe=lambda guard, release: list(describe_release(guard, release)),
        complain=lambda sentence: click.echo(f"Fault: {sentence}", err=True),
        has_trusted_grader=has_trusted_grader,
    )


def _open_listening(socket_path: Path | None, host: str, port: int) -> "socket.socket":
    from ladderboard.cli.host.serve import open_socket
    from ladderboard.server.holdout.app import open_unix_socket

    if socket_path is not None:
        return open_unix_socket(socket_path)
    if not _is_loopback(host):
        click.echo(
            f"Warning: whoever reaches {host} can send requests, and tokens travel unencrypted. Put a proxy with TLS "
            "in front, and let only it reach this port.",
            err=True,
        )
    return open_socket(host, port)


def _is_loopback(host: str) -> bool:
    """
    >>> _is_loopback("127.0.0.1"), _is_loopback("0.0.0.0"), _is_loopback("localhost")
    (True, False, True)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _show_address(holdout: "Holdout", path: Path, listening: "socket.socket", socket_path: Path | None) -> None:
    from ladderboard.cli.host.serve import format_address
    from ladderboard.guard.clients import list_clients

    at = f"unix:{socket_path.absolute()}" if socket_path else format_address(*listening.getsockname()[:2])
    click.echo(f"{path} ({len(holdout)} items, {holdout.metric.name}) is served at {at}. Stop with Ctrl+C.")
    with holdout._guard.use() as connection:
        if not any(not one.is_revoked for one in list_clients(connection)):
            click.echo(f"Nobody has a token yet. In another terminal: ladderboard holdout clients add {path} NAME")
