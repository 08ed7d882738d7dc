"""Whether a user can get at the labels, judged by permission bits: compared with what that user really can do."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.guard.service.access import require_no_access
from tests.guard.guards import folder_open_to_others

USER = "nobody"

is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def can_read(path: Path) -> bool:
    """Whether the other user really can read the file."""
    account = pwd.getpwnam(USER)
    as_user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups"]
    return subprocess.run([*as_user, "cat", str(path)], capture_output=True, check=False).returncode == 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the other user could reach."""
    with folder_open_to_others() as place:
        for name in ("labels.csv", "holdout.db"):
            (place / name).write_text("secret")
            (place / name).chmod(0o600)
        yield place


def check(folder: Path) -> str | None:
    try:
        require_no_access(USER, labels=folder / "labels.csv", guard=folder / "holdout.db")
    except ParameterError as refusal:
        return str(refusal)
    return None


@is_root
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o604, 0o644, 0o060, 0o006])
@pytest.mark.parametrize("folder_mode", [0o755, 0o700, 0o711, 0o750])
@pytest.mark.parametrize("group", ["root", "nogroup"])
def test_what_the_check_says_is_what_the_user_can_do(folder: Path, mode: int, folder_mode: int, group: str) -> None:
    labels = folder / "labels.csv"
    gid = pwd.getpwnam(USER).pw_gid if group == "nogroup" else 0
    os.chown(labels, 0, gid)
    os.chown(folder, 0, gid)
    labels.chmod(mode)
    folder.chmod(folder_mode)
    assert (check(folder) is not None) == can_read(labels)


@is_root
def test_whoever_could_replace_a_file_or_owns_it_is_refused(folder: Path) -> None:
    assert check(folder) is None
    folder.chmod(0o777)
    assert "can write in" in str(check(folder))
    folder.chmod(0o1777)  # as /tmp: nobody replaces another's file
    assert check(folder) is None
    (folder / "holdout.db").chmod(0o602)
    assert "can write" in str(check(folder))
    os.chown(folder / "holdout.db", pwd.getpwnam(USER).pw_uid, 0)
    (folder / "holdout.db").chmod(0o000)
    assert "owns" in str(check(folder))


@is_root
def test_the_place_of_a_link_counts_as_well_as_the_file(folder: Path) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    (folder / "labels.csv").rename(private / "labels.csv")
    (folder / "labels.csv").symlink_to(private / "labels.csv")
    assert check(folder) is None
    folder.chmod(0o777)
    assert "can write in" in str(check(folder))


def test_root_the_services_own_user_and_strangers_are_refused(folder: Path) -> None:
    files = {"labels": folder / "labels.csv", "guard": folder / "holdout.db"}
    with pytest.raises(ParameterError, match="may read everything"):
        require_no_access("root", **files)
    with pytest.raises(ParameterError, match="there is no user 'nobody-at-all'"):
        require_no_access("nobody-at-all", **files)
