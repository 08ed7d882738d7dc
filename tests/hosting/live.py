"""Real servers for tests: `ladderboard serve` as a process that can be killed, and teams that submit to it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from sqlalchemy import insert

from ladderboard.competition import Competition
from ladderboard.core.tokens import hash_secret, make_secret
from ladderboard.server.db.columns import new_id
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import accounts, members, teams, tokens
from tests.hosting.competitions import a_file, predictions

BOUNDARY = "7d1f5a"
PATIENCE = 120
"""Seconds for what takes a moment on an idle machine."""
UNHURRIED = {
    "LADDERBOARD_UPLOAD_PROCESSOR_SECONDS_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_AT_ONCE": "100",
}


def write_folder(folder: Path, competition: Competition, *, total: int | str = "none") -> Path:
    """The competition as an organiser would have it: competition.toml and solution.csv."""
    folder.mkdir(parents=True)
    rules, solution = competition.rules, competition.solution
    (folder / "competition.toml").write_text(
        f'title = "{rules.title}"\nslug = "{rules.slug}"\nmetric = "{rules.metric}"\n'
        f'mechanism = "{rules.mechanism}"\n\n[limits]\nper_day = "none"\ntotal = {json.dumps(total)}\n'
    )
    rows = zip(solution.ids, solution.labels, solution.usage, strict=True)
    (folder / "solution.csv").write_text("id,label,Usage\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    return folder


class LiveServer:
    """`ladderboard serve`, from its start until it is stopped or killed."""

    def __init__(self, folder: Path, *, data: Path, database: str = "", file_limit: int | None = None) -> None:
        command = [str(Path(sys.executable).with_name("ladderboard")), "serve", str(folder), "--port", "0"]
        command += ["--data", str(data)] + (["--database", database] if database else [])
        if file_limit is not None:
            command = ["prlimit", f"--fsize={file_limit}", *command]
        self.log = data.with_suffix(".log")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=os.environ | UNHURRIED, text=True
            )
        self.port = self._read_port()
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.is_running and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(f"the server did not listen: {self.log.read_text()[-3000:]}")

    def _read_port(self) -> int:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            if found:
                return int(found[1])
        raise RuntimeError(f"the server did not start: {self.log.read_text()[-3000:]}")

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End it between two instructions; nothing is finished, nothing is said."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self.is_running:
            self._process.send_signal(how)
        self._process.wait(PATIENCE)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def get(self, path: str) -> int:
        """The status of a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status

    def __enter__(self) -> "LiveServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    body: dict[str, Any]
    retry_after: str | None


@dataclass
class Contestant:
    """A team of one, with its token."""

    team_id: str
    token: str
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def submit(self, port: int, competition: Competition, seed: int, *, key: str | None = None) -> Reply:
        """Send the predictions number ``seed``; raises OSError or HTTPException where the connection breaks."""
        values = predictions(competition, min(0.95, 0.5 + seed / 150), seed=seed)
        return self.post(port, competition.slug, a_file(competition, values), key=key)

    def post(self, port: int, slug: str, content: bytes, *, key: str | None = None) -> Reply:
        disposition = 'Content-Disposition: form-data; name="file"; filename="p.csv"'
        body = f"--{BOUNDARY}\r\n{disposition}\r\n\r\n".encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        }
        if key is not None:
            headers["Idempotency-Key"] = key
        if self._connection is None or self._connection.port != port:
            self.hang_up()
            self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        was_kept = self._connection.sock is not None
        try:
            return self._exchange(self._connection, slug, body, headers)
        except (OSError, http.client.HTTPException):
            # A server closes a connection on which nothing came for some seconds; whoever has a key may ask again.
            if not was_kept or key is None:
                raise
            return self._exchange(self._connection, slug, body, headers)

    @staticmethod
    def _exchange(connection: http.client.HTTPConnection, slug: str, body: bytes, headers: dict[str, str]) -> Reply:
        try:
            connection.request("POST", f"/api/v1/competitions/{slug}/submissions", body, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            raise
        return Reply(response.status, json.loads(text), response.getheader("Retry-After"))

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()


def enlist(database: Database, slug: str, names: list[str]) -> list[Contestant]:
    """Accounts with a token and a team each, written to the tables: signing up is tested elsewhere, and slow."""
    now = datetime.now(UTC)
    contestants = [Contestant(new_id(now), make_secret()) for _ in names]
    with database.transaction() as connection:
        for name, one in zip(names, contestants, strict=True):
            account = {"id": f"account-{name}", "name": name, "name_key": name, "password_hash": "none"}
            connection.execute(insert(accounts).values(**account, role="participant", created_at=now))
            token = {"id": f"token-{name}", "account_id": account["id"], "name": "", "hash": hash_secret(one.token)}
            connection.execute(insert(tokens).values(**token, scopes="read submit", created_at=now))
            team = {"id": one.team_id, "competition": slug, "name": name, "name_key": name, "salt": "5a17"}
            connection.execute(insert(teams).values(**team, created_at=now))
            member = {"competition": slug, "account_id": account["id"], "team_id": one.team_id}
            connection.execute(insert(members).values(**member, joined_at=now))
    return contestants
