"""Signing in with a provider that others have written: the package oidc-provider-mock, in a process of its own."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.hosting.hosts import on_sqlite
from tests.web.pages.readers import Reader
from tests.web.providers.conftest import Start

PATIENCE_SECONDS = 60


@pytest.fixture
def issuer() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "True"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                httpx.get(f"{url}/.well-known/openid-configuration").raise_for_status()
                break
            except httpx.HTTPError:
                assert process.poll() is None, "the provider has ended"
                assert time.monotonic() < give_up
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


@on_sqlite
def test_somebody_comes_from_there_and_comes_again(start: Start, issuer: str) -> None:
    board = start(issuer, 'domains = ["example.edu"]')
    claims = {"email": "grace@example.edu", "email_verified": True, "preferred_username": "grace"}
    httpx.put(f"{issuer}/users/s-7", json=claims).raise_for_status()
    for expected in ("Choose a name", "grace"):
        reader = Reader(board)
        reader.http.follow_redirects = False
        there = reader.http.get("/sign-in/with/uni?next=/account").headers["location"]
        assert there.startswith(f"{issuer}/oauth2/authorize?")
        back = httpx.post(there, data={"sub": "s-7"}).headers["location"]
        reader.http.follow_redirects = True
        page = reader.open(back)
        assert page.heading == expected
        if expected == "Choose a name":
            assert reader.send("/sign-in/new", {"name": "grace"}).heading == "grace"
