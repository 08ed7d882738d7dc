"""The container: its files agree with the project, its steps work, and an engine builds it where there is one."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
ENGINE = shutil.which("podman") or shutil.which("buildah")
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
    assert not re.search(r"PASSWORD: ", text)


def test_the_start_reads_the_address_of_the_database_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://somebody@database/board")
    fake = tmp_path / "ladderboard"
    fake.write_text('#!/bin/sh\nprintf "%s|%s|%s" "$*" "$LADDERBOARD_DATABASE" "${LADDERBOARD_DATABASE_FILE:-unset}"\n')
    fake.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "LADDERBOARD_DATABASE_FILE": str(tmp_path / "url")}
    started = subprocess.run(
        ["sh", ROOT / "deploy/start-server", "/competitions/competition"],
        env={**environment, "WORKERS": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert started.stdout == (
        "serve --host 0.0.0.0 --port 8000 --workers 3 /competitions/competition"
        "|postgresql://somebody@database/board|unset"
    )


@pytest.mark.skipif(
    ENGINE is None or not os.environ.get("LADDERBOARD_BUILD_IMAGE"), reason="builds an image when asked"
)
def test_an_engine_builds_the_image() -> None:
    assert ENGINE is not None
    built = subprocess.run(
        [ENGINE, "build", "--tag", "ladderboard-test", str(ROOT)], check=False, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[-2000:]
    shown = subprocess.run([ENGINE, "inspect", "ladderboard-test"], capture_output=True, text=True, check=True)
    assert "ladderboard" in json.dumps(json.loads(shown.stdout))
