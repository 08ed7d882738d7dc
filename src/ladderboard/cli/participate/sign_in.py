"""`ladderboard sign-up`, `sign-in` and `sign-out`: who this user is on a server."""

import os
import platform
import sys

import click

from ladderboard.cli.participate.connection import SERVER, server_option
from ladderboard.cli.participate.credentials import Credential, CredentialFile
from ladderboard.core.errors import LadderboardError, ParameterError

PASSWORD = "LADDERBOARD_PASSWORD"  # noqa: S105 - the name of a variable
_server = click.argument("server", metavar="SERVER", envvar=SERVER)
_name = click.option("--name", help="Your name on the server.  [default: you are asked]")
_password = click.option(
    "--password-stdin", is_flag=True, help=f"Read the password from standard input, or {PASSWORD}."
)


@click.command("sign-up")
@_server
@_name
@click.option("--code", help="A sign-up code, where the server asks for one.")
@_password
def sign_up(server: str, *, name: str | None, code: str | None, password_stdin: bool) -> None:
    r"""Make an account on SERVER and sign in to it.

    \b
    Example:
      ladderboard sign-up https://board.example.org --name ada
    """
    from ladderboard.client import Client

    with Client(server) as client:
        name = name or click.prompt("Name")
        password = _read_password(is_new=True, from_stdin=password_stdin)
        account = client.sign_up(name, password, code=code)
        made = client.sign_in(account.name, password, label=_label())
        where = _remember(Credential(client.base_url, made.token, account.name, made.id))
    click.echo(f"Welcome, {account.name}: you have an account on {client.base_url} and are signed in ({where}).")


@click.command("sign-in")
@_server
@_name
@_password
@click.option("--token-stdin", is_flag=True, help="Read a token from standard input instead of name and password.")
def sign_in(server: str, *, name: str | None, password_stdin: bool, token_stdin: bool) -> None:
    r"""Sign in to SERVER: a token is made there and kept in a file that only you can read.

    Where there is no home to keep it in, as in continuous integration, set LADDERBOARD_TOKEN (and
    LADDERBOARD_SERVER) instead.

    \b
    Example:
      ladderboard sign-in https://board.example.org --name ada
      echo "$TOKEN" | ladderboard sign-in https://board.example.org --token-stdin
    """
    from ladderboard.client import Client

    if token_stdin:
        credential = _with_token(server, sys.stdin.readline().strip())
    else:
        with Client(server) as client:
            name = name or click.prompt("Name")
            made = client.sign_in(name, _read_password(is_new=False, from_stdin=password_stdin), label=_label())
            credential = Credential(client.base_url, made.token, client.me().name, made.id)
    where = _remember(credential)
    click.echo(f"Signed in to {credential.server} as {credential.name} ({where}).")


@click.command("sign-out")
@server_option
def sign_out(server: str | None) -> None:
    r"""Forget the token of a server, and make it worthless there.

    \b
    Example:
      ladderboard sign-out
    """
    from ladderboard.client import Client

    credentials = CredentialFile()
    known = credentials.find(None if server is None else server.rstrip("/"))
    if known is None:
        raise ParameterError("you are not signed in" + ("" if server is None else f" to {server}"))
    credentials.forget(known.server)
    click.echo(f"Signed out of {known.server}.")
    if not known.token_id:
        click.echo("The token was made elsewhere and stays good; revoke it where it was made.")
        return
    try:
        with Client(known.server, known.token) as client:
            client.revoke_token(known.token_id)
    except LadderboardError as problem:
        click.echo(f"The token is forgotten here, but it could not be revoked: {problem}", err=True)


def _with_token(server: str, token: str) -> Credential:
    from ladderboard.client import Client

    if not token:
        raise ParameterError("there is no token on standard input")
    with Client(server, token) as client:
        return Credential(client.base_url, token, client.me().name)


def _remember(credential: Credential) -> str:
    credentials = CredentialFile()
    credentials.remember(credential)
    return f"token kept in {credentials.path}"


def _read_password(*, is_new: bool, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    given = os.environ.get(PASSWORD)
    if given is not None:
        return given
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=is_new, err=True)
    return password


def _label() -> str:
    """What the owner reads in the list of tokens."""
    return f"ladderboard on {platform.node() or 'a computer'}"[:80]
