"""Real servers for tests: the application on a loopback socket, and people who talk to it."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI
from starlette.routing import BaseRoute

from ladderboard.competition import Competition
from ladderboard.server.app.application import create_app
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Registry
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.services import Services, files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.referee import Referee
from tests.hosting.competitions import SECRET

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""For tests only: a real argon2 that takes no time."""
PASSWORD = "correct horse"
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Unused, as it is all plain HTTP; without it every client would load all certificates of the system."""


def a_host(database: Database, folder: Path, *competitions: Competition, **settings: Any) -> Services:
    """A host of competitions that exist in memory only."""
    usual = Settings(data=folder, sign_in_tries_per_minute=1000, sign_ups_per_hour=1000)
    chosen = replace(usual, **settings)
    files = files_for(chosen, database)
    services = Services(chosen, database, files, Referee(database))
    services.serve(enter(database, files, competition, secret=SECRET) for competition in competitions)
    return services


@dataclass
class Server:
    """A running server. `client` speaks for nobody; `sign_up` and `organiser` give clients that speak for somebody."""

    services: Services
    app: FastAPI
    url: str
    _clients: list[httpx.Client] = field(default_factory=list)

    def client(self, token: str | None = None, **more: Any) -> httpx.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=120, verify=NO_TLS, **more)
        self._clients.append(client)
        return client

    def sign_up(self, name: str, *, password: str = PASSWORD) -> httpx.Client:
        """A new participant with a token."""
        answer = self.client().post("/api/v1/accounts", json={"name": name, "password": password})
        assert answer.status_code == 201, answer.text
        return self.sign_in(name, password=password)

    def organiser(self, name: str = "Olga") -> httpx.Client:
        """A new organiser with a token for everything."""
        Registry(self.app.state.accounts).add(name, PASSWORD, role="organiser")
        return self.sign_in(name, scopes=["read", "submit", "organise"])

    def sign_in(self, name: str, *, password: str = PASSWORD, **wishes: Any) -> httpx.Client:
        answer = self.client().post("/api/v1/tokens", json={"name": name, "password": password, **wishes})
        assert answer.status_code == 201, answer.text
        return self.client(answer.json()["token"])

    def close(self) -> None:
        for client in self._clients:
            client.close()


_ROUTES: list[BaseRoute] = []


def make_app(services: Services) -> FastAPI:
    """The application of a host. FastAPI takes a third of a second to build its routes, which hold nothing of a host:
    all applications of a process share those of the first.
    """
    app = create_app(services, passwords=Passwords(QUICK))
    _ROUTES.extend([] if _ROUTES else app.router.routes)
    app.router.routes = list(_ROUTES)
    return app


@contextmanager
def serving(services: Services) -> Iterator[Server]:
    """The application of a host on a free port, in a thread."""
    app = make_app(services)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", access_log=False, ws="none", timeout_graceful_shutdown=5)
    running = uvicorn.Server(config)
    # The socket listens already: whoever connects waits until the application has started.
    thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    server = Server(services, app, f"http://127.0.0.1:{listening.getsockname()[1]}")
    try:
        yield server
    finally:
        server.close()
        running.should_exit = True
        thread.join(timeout=120)
        listening.close()
