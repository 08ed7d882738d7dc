"""The libraries that numbers were computed with, as the ledger records them: a replay is exact under the same ones.

Also the number of our own rules (`ladderboard.core.records.RULES`): a replay judges every entry by those in force then.
"""

import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from ladderboard.core.records import RULES
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import ledger

PACKAGES = ("ladderboard", "numpy", "scipy", "polars")
KINDS = ("created", "versions")
"""The kinds of entries that say from here on which versions are in use."""


def read_versions() -> dict[str, str]:
    """What this process runs on."""
    found = {"python": platform.python_version(), "platform": f"{sys.platform} {platform.machine()}"}
    found["rules"] = str(RULES)
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            found[package] = "unknown"
    return found


def read_rules_in_force(versions: Mapping[str, str]) -> int:
    """The number of the rules that states were judged by under these recorded versions."""
    return int(versions.get("rules", 1))


def find_recorded_versions(connection: Connection, slug: str) -> dict[str, str] | None:
    """The versions that the ledger recorded last; None where it has none."""
    body = ledger.find_last_body(connection, slug, KINDS)
    found: dict[str, str] | None = None if body is None else body.get("versions")
    return found
