"""The pages' examples run in an empty directory of their own, so that they may write files as a reader would."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
