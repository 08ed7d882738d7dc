"""People who read pages without script: they open, fill in forms, and send them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import httpx

from tests.web.pages.accessibility import assert_accessible
from tests.web.pages.tree import Node, tree_of
from tests.web.servers import PASSWORD, Server

HTML = {"Accept": "text/html,application/xhtml+xml"}


@dataclass(frozen=True)
class Page:
    """An answer as it is read."""

    answer: httpx.Response

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def html(self) -> str:
        return self.answer.text

    @property
    def path(self) -> str:
        return self.answer.url.path

    @property
    def tree(self) -> Node:
        return tree_of(self.html)

    @property
    def text(self) -> str:
        return self.tree.one("main").text

    @property
    def heading(self) -> str:
        return self.tree.one("h1").text


class Reader:
    """One browser without script. Every page it opens must be accessible."""

    def __init__(self, server: Server) -> None:
        self.http = server.client(follow_redirects=True)
        self.http.headers.update(HTML)
        self._token = ""

    def open(self, path: str, *, status: int = 200) -> Page:
        return self._read(self.http.get(path), status)

    def send(
        self,
        path: str,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        *,
        status: int = 200,
        files: Any = None,
    ) -> Page:
        """Send a form of the page that was opened last."""
        data = {"csrf": self._token, **(fields or {})}
        return self._read(self.http.post(path, data=data, files=files), status)

    def sign_up(self, name: str) -> Self:
        self.open("/sign-up")
        page = self.send("/sign-up", {"name": name, "password": PASSWORD, "next": "/account"})
        assert page.heading == name
        return self

    def sign_in(self, name: str) -> Self:
        self.open("/sign-in")
        page = self.send("/sign-in", {"name": name, "password": PASSWORD, "next": "/account"})
        assert page.heading == name
        return self

    def found(self, team: str, slug: str = "pets") -> Self:
        self.open(f"/competitions/{slug}/team")
        assert self.send(f"/competitions/{slug}/team", {"name": team}).heading == team
        return self

    def submit(
        self, content: bytes, *, name: str = "mine.csv", slug: str = "pets", status: int = 200, **fields: str
    ) -> Page:
        self.open(f"/competitions/{slug}/submit")
        files = {"file": (name, content, "text/csv")}
        return self.send(f"/competitions/{slug}/submit", fields, files=files, status=status)

    def _read(self, answer: httpx.Response, status: int) -> Page:
        assert answer.status_code == status, f"{answer.status_code} {answer.url}\n{answer.text[:3000]}"
        if answer.headers["content-type"].startswith("text/html"):
            assert_accessible(answer.text)
            found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
            self._token = "" if found is None else found[1]
        return Page(answer)
