"""The tokens of this user, one for each server, in a file that only this user can read."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from ladderboard.core.errors import ParameterError

FILE_NAME = "servers.json"


@dataclass(frozen=True)
class Credential:
    """Who this user is on a server."""

    server: str
    token: str
    name: str = ""
    token_id: str = ""
    """By which the token can be revoked; empty where it was made elsewhere."""


class CredentialFile:
    """The file ``servers.json`` in ``folder``: newest first, so that the first is the server to use by default."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or Path(click.get_app_dir("ladderboard"))) / FILE_NAME

    def find(self, server: str | None = None) -> Credential | None:
        """The credential for ``server``, or the one that was used to sign in last."""
        return next((one for one in self._read() if server in (None, one.server)), None)

    def remember(self, credential: Credential) -> None:
        self._write([credential, *self._others(credential.server)])

    def forget(self, server: str) -> None:
        self._write(self._others(server))

    def _others(self, server: str) -> list[Credential]:
        return [one for one in self._read() if one.server != server]

    def _read(self) -> list[Credential]:
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ParameterError(f"{self.path} cannot be read: {error.strerror or error}") from None
        try:
            return [Credential(**one) for one in json.loads(text)["servers"]]
        except (ValueError, KeyError, TypeError):
            raise ParameterError(f"{self.path} is damaged; delete it and sign in again") from None

    def _write(self, credentials: list[Credential]) -> None:
        text = json.dumps({"servers": [asdict(one) for one in credentials]}, indent=2)
        unfinished = self.path.with_name(f"{FILE_NAME}.{secrets.token_hex(4)}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Closed to others from its first moment on: changing the mode afterwards would be too late.
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(text)
            unfinished.replace(self.path)
        except OSError as error:
            raise ParameterError(f"{self.path} cannot be written: {error.strerror or error}") from None
