"""The libraries that numbers were computed with, as the ledger records them: a replay is exact under the same ones."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from sqlalchemy import Connection, select

from ladderboard.store.schema import ledger

PACKAGES = ("ladderboard", "numpy", "scipy", "polars")
KINDS = ("created", "versions")
"""The kinds of entries that say from here on which versions are in use."""


def versions_here() -> dict[str, str]:
    """What this process runs on."""
    found = {"python": platform.python_version(), "platform": f"{sys.platform} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            found[package] = "unknown"
    return found


def versions_recorded(connection: Connection, slug: str) -> dict[str, str] | None:
    """The versions that the ledger recorded last; None where it has none."""
    mine = (ledger.c.competition == slug) & ledger.c.kind.in_(KINDS)
    body = connection.scalar(select(ledger.c.body).where(mine).order_by(ledger.c.seq.desc()).limit(1))
    found: dict[str, str] | None = None if body is None else body.get("versions")
    return found
