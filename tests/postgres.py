"""A real PostgreSQL for tests: a cluster of its own in a temporary folder, reachable by a Unix socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from uuid import uuid4

import psycopg
from psycopg import sql

from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import VERSION_TABLE, upgrade
from ladderboard.server.db.schema import metadata

HOW_TO_INSTALL = "PostgreSQL is not installed; on Debian: apt-get install -y postgresql"
EMPTY, PREPARED = "template1", "prepared"
PATIENCE = 120
"""Seconds for what takes a moment on an idle machine."""


def binaries() -> Path | None:
    """The folder of PostgreSQL's programs: Debian's newest, else where ``initdb`` is on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class Cluster:
    """One PostgreSQL server, durable as a real one (fsync stays on), sorting text as most servers do.

    It can be stopped and started, and killed without warning, while connections are open.
    """

    def __init__(self) -> None:
        programs = binaries()
        assert programs is not None
        self._programs = programs
        # PostgreSQL refuses to run as root; Debian's package brings a user for it.
        self._user = "postgres" if os.getuid() == 0 else None
        # Not pytest's folder: the path of a socket may have 107 bytes only.
        self.folder = Path(tempfile.mkdtemp(prefix="lb-postgres-"))
        if self._user:
            entry = pwd.getpwnam(self._user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self._clean: dict[str, list[str]] = {EMPTY: [], PREPARED: []}
        self._prepared_is: list[object] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._initialise()
        self.start()

    def _initialise(self) -> None:
        command: list[str | Path] = [self._programs / "initdb"]
        command += ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"]
        command += ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US", "-D", self.folder / "data"]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, user=self._user)
        (self.folder / "data" / "postgresql.auto.conf").write_text(
            f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nshared_buffers = 16MB\n"
            "max_connections = 200\nmax_wal_size = 256MB\n"
        )

    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""
        command: list[str | Path] = [self._programs / "postgres", "-D", self.folder / "data"]
        if shutil.which("setpriv"):
            command = ["setpriv", "--pdeathsig", "QUIT", *command]  # it shall not outlive killed tests
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, user=self._user)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.address("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text(errors="replace")[-3000:]) from None
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End it at once, as a power cut would: connections break, and starting again recovers from the log."""
        if self._process is not None:
            subprocess.run(
                [
                    self._programs / "pg_ctl",
                    "stop",
                    "--mode=immediate",
                    f"--timeout={PATIENCE}",
                    "-D",
                    self.folder / "data",
                ],
                check=True,
                capture_output=True,
                cwd=self.folder,
                user=self._user,
            )
            self._process.wait(PATIENCE)
            self._process = None

    def address(self, name: str, scheme: str = "postgresql") -> str:
        return f"{scheme}://postgres@/{name}?host={self.folder}"

    def create(self, *, template: str = EMPTY, name: str | None = None) -> str:
        """A new database, equal to ``template``; its name."""
        name, deadline = name or f"test_{uuid4().hex}", time.monotonic() + PATIENCE
        while True:
            try:
                self._run("CREATE DATABASE {} TEMPLATE {}", name, template)
            except psycopg.errors.ObjectInUse:  # who looked at the template has hung up, but has not gone yet
                assert time.monotonic() < deadline
            else:
                return name

    def lend(self, template: str) -> str:
        """A database equal to ``template``: one that was given back and cleaned, else a new one; its name.

        Making and dropping a database costs what a hundred tests of it do.
        """
        return self._clean[template].pop() if self._clean[template] else self.create(template=template)

    def give_back(self, name: str, template: str) -> None:
        """End what still uses the database, and clean it for the next test; one that was reshaped is left alone."""
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE datname = %s", [PATIENCE * 1000, name]
            )
        with psycopg.connect(self.address(name), autocommit=True) as connection:
            if template == EMPTY:
                connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            elif _described(connection) == self._prepared_is:
                tables = [sql.Identifier(table.name) for table in reversed(metadata.sorted_tables)]
                connection.execute(sql.SQL(";").join(sql.SQL("DELETE FROM {}").format(table) for table in tables))
            else:
                return
        self._clean[template].append(name)

    def prepare(self) -> None:
        """Make the database with our tables that others are copied from."""
        database = Database(self.address(self.create(name=PREPARED)))
        upgrade(database)
        database.close()
        with psycopg.connect(self.address(PREPARED)) as connection:
            self._prepared_is = _described(connection)

    def _run(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _described(connection: "psycopg.Connection[tuple[object, ...]]") -> list[object]:
    """All columns of all tables, and the step they are at."""
    columns = (
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_schema = 'public' ORDER BY 1, 2"
    )
    return [*connection.execute(columns), *connection.execute(f"SELECT version_num FROM {VERSION_TABLE}")]
