"""`ladderboard holdout serve --mcp`: the tools of an agent over standard input and output."""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard.cli._shared.files import ItemColumns, read_rows
from ladderboard.client.remote_holdout import RemoteHoldout
from ladderboard.core.errors import ParameterError
from ladderboard.guard.alignment import list_with_ids
from ladderboard.guard.service.request_body import ITEM_SCORES, ScoreRequest
from ladderboard.integrations.mcp_server import make_mcp_server

if TYPE_CHECKING:
    from ladderboard.guard.service.service import HoldoutService

UNDER_SUDO = (
    "files are not read here, since sudo lets this process read what you cannot; give predictions inline, or let it "
    "ask a running service with --mcp --url"
)


def run_for_service(url: str) -> None:
    """Run the tools for a service that runs elsewhere; its token comes from the environment."""
    with RemoteHoldout(url) as holdout:
        make_mcp_server(holdout, _read_file).run("stdio")


def run_with_labels(service: "HoldoutService", secret: tuple[Path | None, ...]) -> None:
    """Run the tools with the labels in this very process; ``secret`` files are never read as predictions."""

    def read_file(path: Path, columns: Sequence[str], classes: Sequence[Any]) -> tuple[Any, Collection[str] | None]:
        if os.environ.get("SUDO_UID", str(os.geteuid())) != str(os.geteuid()):
            raise ParameterError(UNDER_SUDO)
        if any(one is not None and path.exists() and path.samefile(one) for one in secret):
            raise ParameterError(f"{path} is a file of the guard itself; give your predictions")
        return _read_file(path, columns, classes)

    make_mcp_server(_LocalHoldout(service), read_file).run("stdio")


def _read_file(path: Path, columns: Sequence[str], classes: Sequence[Any]) -> tuple[Any, Collection[str] | None]:
    rows = read_rows(path, ItemColumns(columns), word="prediction", classes=[*map(str, classes)])
    return rows.values, rows.ids


@dataclass(frozen=True)
class _LocalHoldout:
    """A holdout in this process, asked as a service is."""

    service: "HoldoutService"

    def ask_score(
        self, predictions: Any, *, ids: Collection[Any] | None = None, training_score: float | None = None
    ) -> dict[str, Any]:
        values, named = list_with_ids(predictions, ids)
        is_graded = self.status()["takes"] == ITEM_SCORES
        return self.service.score(None, ScoreRequest(values, named, training_score, are_item_scores=is_graded))

    def status(self) -> dict[str, Any]:
        return self.service.status(None)

    def plan(self) -> dict[str, Any]:
        return self.service.plan()
