"""`ladderboard sign-up`, `sign-in` and `sign-out`: accounts and tokens."""

import os
import platform
import sys

import click

from ladderboard.cli.participate.connection import SERVER, server_option
from ladderboard.cli.participate.credentials import CredentialFile, SavedToken
from ladderboard.client import Client
from ladderboard.core.errors import LadderboardError, ParameterError

PASSWORD = "LADDERBOARD_PASSWORD"  # noqa: S105 - the name of a variable
_server = click.argument("server", metavar="SERVER", envvar=SERVER)
_name = click.option("--name", help="Your name on the server.  [default: asks]")
_password = click.option(
    "--password-stdin",
    is_flag=True,
    help=f"Read the password from standard input instead of asking; {PASSWORD} works too.",
)


@click.command("sign-up")
@_server
@_name
@click.option("--code", help="A sign-up code, if the server requires one.")
@_password
def sign_up(server: str, *, name: str | None, code: str | None, password_stdin: bool) -> None:
    r"""Create an account on SERVER and sign in.

    \b
    Example:
      ladderboard sign-up https://board.example.org --name ada
    """
    with Client(server) as client:
        name = name or click.prompt("Name")
        password = _read_password(is_new=True, from_stdin=password_stdin)
        account = client.sign_up(name, password, code=code)
        made = client.sign_in(account.name, password, label=_make_label())
        where = _remember(SavedToken(client.base_url, made.token, account.name, made.id))
    click.echo(f"Welcome, {account.name}! Your account on {client.base_url} is ready, and you are signed in ({where}).")


@click.command("sign-in")
@_server
@_name
@_password
@click.option(
    "--token-stdin", is_flag=True, help="Read a token from standard input instead of asking for name and password."
)
def sign_in(server: str, *, name: str | None, password_stdin: bool, token_stdin: bool) -> None:
    r"""Sign in to SERVER and save the token in a file that only you can read.

    In continuous integration, set LADDERBOARD_TOKEN and LADDERBOARD_SERVER instead.

    \b
    Example:
      ladderboard sign-in https://board.example.org --name ada
      echo "$TOKEN" | ladderboard sign-in https://board.example.org --token-stdin
    """
    if token_stdin:
        credential = _check_token(server, sys.stdin.readline().strip())
    else:
        with Client(server) as client:
            name = name or click.prompt("Name")
            made = client.sign_in(name, _read_password(is_new=False, from_stdin=password_stdin), label=_make_label())
            credential = SavedToken(client.base_url, made.token, client.me().name, made.id)
    where = _remember(credential)
    click.echo(f"Signed in to {credential.server} as {credential.name} ({where}).")


@click.command("sign-out")
@server_option
def sign_out(server: str | None) -> None:
    r"""Delete the saved token of a server and revoke it there.

    \b
    Example:
      ladderboard sign-out
    """
    credentials = CredentialFile()
    known = credentials.find(None if server is None else server.rstrip("/"))
    if known is None:
        raise ParameterError("you are not signed in" + ("" if server is None else f" to {server}"))
    credentials.forget(known.server)
    click.echo(f"Signed out of {known.server}.")
    if not known.token_id:
        click.echo("The token was created elsewhere and is still valid; revoke it where you created it.")
        return
    try:
        with Client(known.server, known.token) as client:
            client.revoke_token(known.token_id)
    except LadderboardError as problem:
        click.echo(f"The token is deleted here, but it could not be revoked: {problem}", err=True)


def _check_token(server: str, token: str) -> SavedToken:
    if not token:
        raise ParameterError('standard input has no token; pipe it in, as in `echo "$TOKEN" | ladderboard sign-in …`')
    with Client(server, token) as client:
        return SavedToken(client.base_url, token, client.me().name)


def _remember(credential: SavedToken) -> str:
    credentials = CredentialFile()
    credentials.remember(credential)
    return f"token saved in {credentials.path}"


def _read_password(*, is_new: bool, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    given = os.environ.get(PASSWORD)
    if given is not None:
        return given
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=is_new, err=True)
    return password


def _make_label() -> str:
    """Make the label that the owner reads in the list of tokens."""
    return f"ladderboard on {platform.node() or 'a computer'}"[:80]
