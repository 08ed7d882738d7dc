"""The organiser of a throw-away copy, created in its database."""

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ladderboard_lab.drill.probe_context import LocalProbeContext
from ladderboard_lab.drill.sessions import sign_in_to_pages

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, eq=False)
class Organiser:
    """A signed-in organiser."""

    http: "httpx.Client"
    slug: str
    name: str
    password: str = field(repr=False)

    def list_flags(self) -> dict[tuple[str, str], int]:
        """List open flags by team and kind."""
        found: dict[tuple[str, str], int] = {}
        path: str | None = f"/api/v1/competitions/{self.slug}/organise/flags/counts?limit=500"
        while path is not None:
            page = self.http.get(path).raise_for_status().json()
            found |= {(one["team"], one["kind"]): one["number"] for one in page["items"]}
            path = page["next"]
        return found

    def read_dashboard(self) -> str:
        """Read the organiser's dashboard page."""
        with closing(sign_in_to_pages(str(self.http.base_url), self.name, self.password)) as pages:
            return pages.get(f"/competitions/{self.slug}/organise").raise_for_status().text

    def read_health(self) -> dict[str, Any]:
        """Read the leakage meter."""
        answer = self.http.get(f"/api/v1/competitions/{self.slug}/organise/health")
        return dict(answer.raise_for_status().json())


@contextmanager
def sign_in_organiser(context: LocalProbeContext) -> Iterator[Organiser]:
    """Create an organiser on the context's server and sign in."""
    import httpx

    from ladderboard.server.people.accounts import Accounts, Registry
    from ladderboard.server.services import open_services
    from ladderboard.server.settings import Settings

    services = open_services(Settings(data=context.server.data, database=context.server.database), [])
    name, password = f"organiser-{secrets.token_hex(4)}", secrets.token_urlsafe(16)
    try:
        Registry(Accounts(services.database, services.settings)).add(name, password, role="organiser")
    finally:
        services.close()
    with httpx.Client(base_url=context.url, timeout=60, verify=False) as http:  # noqa: S501 - plain HTTP on loopback
        wish = {"name": name, "password": password, "scopes": ["read", "organise"]}
        token = http.post("/api/v1/tokens", json=wish).raise_for_status().json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        yield Organiser(http, context.slug, name, password)
