"""Stages for tests of hosting."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ladderboard.server.db.database import Database
from tests.hosting.hosts import Begin, Stage


@pytest.fixture
def begin(database: Database, tmp_path: Path) -> Iterator[Begin]:
    """Makes a competition that is being served, on either database."""
    stages: list[Stage] = []

    def open_stage(**settings: Any) -> Stage:
        stages.append(Stage.of(database, tmp_path, **settings))
        return stages[-1]

    yield open_stage
    for stage in stages:
        stage.services.close()
