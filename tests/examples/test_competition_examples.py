"""The example competitions, each played as its first lines say: from `new` and `check` to the reveal."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.competition import load_competition
from ladderboard.server.db.database import Database
from ladderboard.server.lifecycle import freeze, reveal
from ladderboard.server.results.finalizing import finalize, find_board
from tests.hosting.hosts import Stage, on_sqlite
from tests.shared_data import ROOT

COMPETITIONS = ROOT / "examples" / "competitions"
METRICS = {"masks": "dice", "retrieval": "ndcg", "text": "exact_match"}


def test_every_example_is_played() -> None:
    assert {path.parent.name for path in COMPETITIONS.glob("*/make_*.py")} == set(METRICS)


@contextmanager
def serving(database: Database, folder: Path) -> Iterator[Stage]:
    stage = Stage(database, folder.parent / "served", load_competition(folder))
    yield stage
    stage.services.close()


@on_sqlite
@pytest.mark.parametrize("name", METRICS)
def test_an_example_competition_is_played_to_its_end(
    name: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = COMPETITIONS / name / f"make_{name}.py"
    said = script.read_text().split('"""')[1].replace("\\\n", " ")
    make, new = (line.strip() for line in said.splitlines() if line.startswith("    "))
    monkeypatch.chdir(tmp_path)
    files, folder = Path(shlex.split(make)[-1]), Path(shlex.split(new)[2])
    subprocess.run([sys.executable, "-W", "error", str(script), str(files)], check=True)
    for words in (shlex.split(new)[1:], ["check", str(folder)]):
        ran = CliRunner().invoke(cli, words)
        assert ran.exit_code == 0, ran.output
    assert "problem" not in ran.output
    with serving(database, folder) as stage:
        assert stage.competition.metric.name == METRICS[name]
        weak, better = (
            stage.send_file(team, (files / f"{team}.csv").read_bytes()).content["release"]
            for team in ("weak", "better")
        )
        assert better["value"] > weak["value"]
        freeze(stage.services, stage.slug)
        stage.pass_time(timedelta(hours=1))
        finalize(stage.services, stage.slug)
        reveal(stage.services, stage.slug)
        with stage.database.reading() as connection:
            rows = find_board(connection, stage.slug, sees_all=False).result["rows"]
        assert [row["team"] for row in rows] == ["better", "weak"]
