"""A board that people sign in to with an identity provider."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition
from tests.web.providers.identity_provider import CLIENT, SECRET, IdentityProvider, running
from tests.web.servers import Server, a_host, serving

Start = Callable[..., Server]


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with running(IdentityProvider()) as started:
        yield started


@pytest.fixture
def start(database: Database, tmp_path: Path) -> Iterator[Start]:
    """Start a board for an issuer, with ``more`` in its table and other settings."""
    with ExitStack() as stack:

        def start(issuer: str, more: str = "", **settings: Any) -> Server:
            path = tmp_path / "providers.toml"
            path.write_text(
                f'[uni]\ntitle = "University"\nissuer = "{issuer}"\nclient_id = "{CLIENT}"\n'
                f'client_secret = "{SECRET}"\n{more}\n'
            )
            services = a_host(database, tmp_path, a_competition(), identity_providers=str(path), **settings)
            server = stack.enter_context(serving(services))
            # The port is known only now.
            services.settings = replace(services.settings, base_url=server.url)
            return server

        yield start


@pytest.fixture
def board(start: Start, provider: IdentityProvider) -> Server:
    return start(provider.url)
