"""The file of this user's tokens, one per server, readable by this user only."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from ladderboard.core.errors import ParameterError

FILE_NAME = "servers.json"


@dataclass(frozen=True)
class SavedToken:
    """A user's token for one server."""

    server: str
    token: str
    name: str = ""
    token_id: str = ""
    """Used to revoke the token; empty if it was made elsewhere."""


class CredentialFile:
    """The file ``servers.json`` in ``folder``, newest token first; the first is the default server."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or Path(click.get_app_dir("ladderboard"))) / FILE_NAME

    def find(self, server: str | None = None) -> SavedToken | None:
        """Find the token for ``server``, or the one saved last."""
        return next((one for one in self._read() if server in (None, one.server)), None)

    def remember(self, token: SavedToken) -> None:
        self._write([token, *self._others(token.server)])

    def forget(self, server: str) -> None:
        self._write(self._others(server))

    def _others(self, server: str) -> list[SavedToken]:
        return [one for one in self._read() if one.server != server]

    def _read(self) -> list[SavedToken]:
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ParameterError(f"cannot read {self.path}: {error.strerror or error}") from None
        try:
            return [SavedToken(**one) for one in json.loads(text)["servers"]]
        except (ValueError, KeyError, TypeError):
            raise ParameterError(f"{self.path} is damaged; delete it and sign in again") from None

    def _write(self, tokens: list[SavedToken]) -> None:
        text = json.dumps({"servers": [asdict(one) for one in tokens]}, indent=2)
        unfinished = self.path.with_name(f"{FILE_NAME}.{secrets.token_hex(4)}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Private from the moment it exists: changing the mode afterwards would be too late.
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(text)
            unfinished.replace(self.path)
        except OSError as error:
            raise ParameterError(f"cannot write {self.path}: {error.strerror or error}") from None
