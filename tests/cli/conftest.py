"""A real server for the participant's commands, and a home of their own for what they keep."""

from pathlib import Path

import pytest

from tests.web.conftest import server

__all__ = ["server"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; nothing of the environment says which server or who."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("SERVER", "TOKEN", "COMPETITION", "PASSWORD"):
        monkeypatch.delenv(f"LADDERBOARD_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
