"""What a program can do in the sandbox: as root, who becomes nobody, and as nobody; each attempt works outside."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ladderboard
from ladderboard.core.errors import NoSandboxError
from ladderboard.scoring import sandbox
from ladderboard.scoring.memory_group import find_parent
from tests.scoring import sandbox_probes

USERS = ("this user", "nobody")
REFUSED = {
    "network": "ConnectionRefusedError",
    "unix socket": "FileNotFoundError",
    "file": "FileNotFoundError",
    "symlink": "FileNotFoundError",
    "symlink in a readable folder": "FileNotFoundError",
    "writing": "OSError",
    "environment": None,
    "other processes": "ProcessLookupError",
    "namespaces": False,
    "memory": "MemoryError",
    "shared memory": "OSError",
    "long file": "OSError",
    "open files": "OSError",
}


@cache
def run_probes(user: str) -> dict[str, Any]:
    """Run all of them once; skips where this machine has no sandbox."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with tempfile.TemporaryDirectory() as folder:
        python, prefix = sys.executable, []
        if user == "nobody":
            if os.getuid() != 0 or not Path("/usr/bin/python3").exists():
                pytest.skip("only root can become nobody, with a Python that nobody may read")
            python, prefix = "/usr/bin/python3", ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
            shutil.copytree(ladderboard.__path__[0], Path(folder, "ladderboard"))
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o755)
        script = shutil.copy(sandbox_probes.__file__, folder)
        paths = [folder] if user == "nobody" else [str(Path(one).parent) for one in ladderboard.__path__]
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "PYTHONPATH": os.pathsep.join(paths)}
        command = [*prefix, python, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout)
    if found["obstacle"] is not None:
        pytest.skip(found["obstacle"])
    return found


@pytest.fixture(params=USERS)
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    return run_probes(request.param)


@pytest.mark.parametrize("name", REFUSED)
def test_what_works_outside_is_refused_inside(found: dict[str, Any], name: str) -> None:
    assert found[name]["inside"] == REFUSED[name]
    assert found[name]["outside"] in {"True", "'labels'", "419430400", "25165824", "41943040", "100"}


def test_it_is_never_root_and_has_no_rights(found: dict[str, Any]) -> None:
    assert 0 not in found["uid"]["inside"]
    assert [int(one, 16) for one in found["rights"]["inside"]] == [0, 0]
    assert int(found["rights"]["outside"].split("'")[3], 16) > 0  # outside they could be had again


def test_a_readable_folder_is_readable(found: dict[str, Any]) -> None:
    assert found["readable folder"] == {"inside": "shown", "outside": "'shown'"}


def test_a_fork_bomb_reaches_the_limit_of_processes(found: dict[str, Any]) -> None:
    assert 0 < found["fork bomb"]["inside"] < sandbox_probes.SMALL.processes
    assert found["fork bomb"]["outside"] == "20"


def test_all_processes_together_have_one_limit_of_memory(found: dict[str, Any]) -> None:
    """Four processes of 100 MB each, where all may use 300 MB."""
    assert found["memory of all"]["inside"] == "fell" or found["memory of all"]["inside"] <= 2
    assert found["memory of all"]["outside"] == "4"


def test_several_files_cannot_fill_the_memory(found: dict[str, Any]) -> None:
    assert found["disk"]["inside"] <= sandbox_probes.SMALL.files_mb << 20
    assert int(found["disk"]["outside"]) > sandbox_probes.SMALL.files_mb << 20


def test_whoever_hangs_is_ended_with_all_that_it_started(found: dict[str, Any]) -> None:
    assert found["hang"]["inside"] == ["OutOfTimeError", 0]
    assert found["hang"]["outside"] == 1


def test_nothing_outlives_the_process_that_started_it(found: dict[str, Any]) -> None:
    assert found["killed parent"]["inside"] == 0
    assert found["killed parent"]["outside"] > 0


def test_an_answer_that_is_too_large_is_not_read(found: dict[str, Any]) -> None:
    assert found["too much"] == {"inside": ["fell", "fell"], "outside": 900}


def test_a_machine_without_bubblewrap_hears_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sandbox.find_obstacle.cache_clear()
    with pytest.raises(NoSandboxError, match="bubblewrap is not installed; on Debian: apt-get install bubblewrap"):
        sandbox.require_sandbox()
    sandbox.find_obstacle.cache_clear()


def test_a_machine_that_forbids_namespaces_hears_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bwrap", "unshare"):
        refusing = tmp_path / name
        refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
        refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    sandbox.find_obstacle.cache_clear()
    with pytest.raises(NoSandboxError, match="No permissions to create a new namespace"):
        sandbox.require_sandbox()
    sandbox.find_obstacle.cache_clear()


def test_without_a_memory_group_the_processes_share_the_limit() -> None:
    limits = sandbox.SandboxLimits(memory_mb=1000, processes=4, files_mb=100)
    alone, grouped = (limits.list_for_process(has_group=has)["RLIMIT_AS"] for has in (False, True))
    assert 4 * alone + (limits.files_mb + sandbox.SHARED_MB << 20) <= 1000 << 20
    assert grouped == 4 * alone


@pytest.mark.parametrize(
    ("groups", "enabled", "place"),
    [
        ("4:memory:/jobs/a\n0::/\n", None, "memory/jobs/a"),
        ("0::/user/app\n", "cpu memory", "user/app"),
        ("0::/user/app\n", "cpu", None),
        ("1:cpu:/\n0::/\n", None, None),
    ],
    ids=["version 1", "version 2, delegated", "version 2, not delegated", "none"],
)
def test_the_memory_group_is_found_below_our_own(
    tmp_path: Path, groups: str, enabled: str | None, place: str | None
) -> None:
    (tmp_path / "groups").write_text(groups)
    if enabled is not None:
        (tmp_path / "user/app").mkdir(parents=True)
        (tmp_path / "user/app/cgroup.subtree_control").write_text(enabled)
    assert find_parent(tmp_path / "groups", tmp_path) == (None if place is None else tmp_path / place)
