"""One service per guard file, whatever name it is given by."""

import os
from pathlib import Path

import pytest

from ladderboard.core.errors import GuardFileError
from ladderboard.guard.service.single_service import claim_guard_file


def test_a_guard_is_served_once_also_through_links(tmp_path: Path) -> None:
    guard, folder = tmp_path / "holdout.db", tmp_path / "elsewhere"
    guard.touch()
    folder.symlink_to(tmp_path)
    (tmp_path / "link.db").symlink_to(guard)
    with claim_guard_file(guard):
        for other in (guard, tmp_path / "link.db", folder / "holdout.db", tmp_path / "." / "holdout.db"):
            with pytest.raises(GuardFileError, match=f"process {os.getpid()}"), claim_guard_file(other):
                pass
    with claim_guard_file(tmp_path / "link.db"):
        pass


def test_a_guard_with_two_names_is_not_served(tmp_path: Path) -> None:
    guard = tmp_path / "holdout.db"
    guard.touch()
    (tmp_path / "other.db").hardlink_to(guard)
    with pytest.raises(GuardFileError, match="hard link"), claim_guard_file(guard):
        pass
