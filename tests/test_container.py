"""The container: its files agree with the project, its steps work, and an engine builds it where there is one."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.competition.folders import write_folder

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BUILDAH = shutil.which("buildah")
IS_ASKED = bool(os.environ.get("LADDERBOARD_BUILD_IMAGE"))
IMAGE, BASE = "localhost/ladderboard-test", "localhost/ladderboard-test-base"
ENVIRONMENT = os.environ | {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
"""Without an overlay of file systems and without namespaces: it works within another container too."""
NAMES = re.compile(r"^([a-z0-9.-]+)(?:\[[\w,-]+\])?==([^\s;]+)", re.MULTILINE)


def read_lock(name: str) -> dict[str, str]:
    return dict(NAMES.findall((ROOT / "requirements" / f"{name}.lock").read_text()))


def test_the_servers_lock_has_hashes_and_the_versions_that_are_tested() -> None:
    lines = (ROOT / "requirements/server.lock").read_text()
    server, tested = read_lock("server"), read_lock("dev")
    assert {"fastapi", "uvicorn", "psycopg", "polars", "hatchling"} <= set(server)
    assert not {"pytest", "ruff", "scikit-learn"} & set(server)
    assert server.items() <= tested.items()
    assert lines.count("--hash=sha256:") >= len(server)


def test_the_image_runs_as_a_user_without_rights_and_copies_what_is_there() -> None:
    assert re.search(r"^USER ladderboard$", DOCKERFILE, re.MULTILINE)
    assert "--require-hashes" in DOCKERFILE
    last_stage = DOCKERFILE.rindex("\nFROM ")
    assert "pip install" not in DOCKERFILE[last_stage:]
    for sources in re.findall(r"^COPY (?!--from)(?:--\S+ )*(.+) \S+$", DOCKERFILE, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source


def test_compose_mounts_its_root_read_only_and_takes_secrets_from_files() -> None:
    text = (ROOT / "compose.yaml").read_text()
    for line in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "LADDERBOARD_DATABASE_FILE:"):
        assert line in text
    assert "PASSWORD_FILE:" in text
    checks = [re.search(r"import urllib\.request[^\"]*", one) for one in (text, DOCKERFILE)]
    assert checks[0] is not None
    assert checks[1] is not None
    assert checks[0][0] == checks[1][0]
    assert not re.search(r"PASSWORD: ", text)


def test_the_start_passes_on_the_folders_and_the_number_of_processes(tmp_path: Path) -> None:
    fake = tmp_path / "ladderboard"
    fake.write_text('#!/bin/sh\nprintf "%s" "$*"\n')
    fake.chmod(0o755)
    started = subprocess.run(
        ["sh", ROOT / "deploy/start-server", "/competitions/competition"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "WORKERS": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert started.stdout == "serve --host 0.0.0.0 --port 8000 --workers 3 /competitions/competition"


def test_no_secret_stands_on_a_command_line_of_the_guide() -> None:
    """`printf` is built into the shell: no process of its own shows what it is given."""
    lines = [line for line in (ROOT / "docs/guide/container.md").read_text().splitlines() if "$(cat" in line]
    assert [line for line in lines if not line.startswith("printf ")] == []


@pytest.mark.skipif(
    BUILDAH is None or not IS_ASKED, reason="LADDERBOARD_BUILD_IMAGE=1 builds and runs the image: minutes"
)
def test_an_engine_builds_the_image_and_its_server_answers(tmp_path: Path) -> None:
    buildah("build", "--build-arg", f"PYTHON={find_base(tmp_path)}", "--network", "host", "--tag", IMAGE, str(ROOT))
    container = buildah("from", IMAGE)
    try:
        settings = json.loads(buildah("inspect", container))["OCIv1"]["config"]
        assert (settings["User"], settings["Entrypoint"]) == ("ladderboard", ["start-server"])
        assert buildah("run", container, "--", "sh", "-c", "id -u; command -v gcc || true; touch /x 2>&1 || true") == (
            "10001\ntouch: cannot touch '/x': Permission denied"
        )
        folder = write_folder(tmp_path / "whales")
        command = [
            "run",
            "--network",
            "host",
            "--cap-drop",
            "all",
            "--volume",
            f"{folder}:/competitions/competition:ro",
        ]
        with subprocess.Popen(
            ["buildah", *command, container, "--", "ladderboard", "serve", "--port", "0", "/competitions/competition"],
            stdout=subprocess.PIPE, env=ENVIRONMENT, text=True, start_new_session=True,
        ) as server:  # fmt: skip
            try:
                assert server.stdout is not None
                address = re.search(r"http://\S+/competitions/whales", server.stdout.readline())
                assert address is not None
                assert httpx.get(address[0], timeout=60, verify=False).status_code == 200
            finally:
                os.killpg(server.pid, signal.SIGTERM)
    finally:
        buildah("rm", container)


def find_base(folder: Path) -> str:
    """The image that the Dockerfile builds on; where no registry can be reached, Debian's own Python by debootstrap."""
    base = re.search(r"^ARG PYTHON=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert base is not None
    if subprocess.run(["buildah", "pull", base[1]], env=ENVIRONMENT, capture_output=True, check=False).returncode == 0:
        return base[1]
    packages = "python3,python3-venv,python-is-python3,ca-certificates"
    root, certificates = folder / "root", Path("/etc/ssl/certs/ca-certificates.crt")
    subprocess.run(["debootstrap", "--variant=minbase", f"--include={packages}", "bookworm", str(root)], check=True)
    shutil.copy(certificates, root / certificates.relative_to("/"))  # those of a proxy too
    container = buildah("from", "scratch")
    buildah("add", "--quiet", container, str(root), "/")
    buildah("config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
    buildah("config", "--env", f"PIP_CERT={certificates}", container)
    buildah("commit", "--quiet", "--rm", container, BASE)
    return BASE


def buildah(*arguments: str) -> str:
    """What buildah says; its errors fail the test."""
    done = subprocess.run(["buildah", *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()
