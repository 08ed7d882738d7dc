"""One class and one line in the table, and a mechanism is complete everywhere."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ladderboard as lb
from docs.generate import mechanisms_page
from ladderboard.analysis.replay import list_replayed
from ladderboard.cli.main import cli
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms import MECHANISMS, list_compared
from ladderboard.mechanisms.outcomes import Footing, describe_outcome
from ladderboard.server.db.database import Database
from ladderboard_lab.arena.arena import Plan
from ladderboard_lab.arena.picture import COLOURS_OF_FAMILIES
from ladderboard_lab.arena.variants import make_variants
from tests.competition.folders import TOML, write_folder
from tests.contracts.templates.mechanism import PatientLadder
from tests.hosting.competitions import NOON, a_competition
from tests.web.servers import Server, a_host, serving


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line."""
    monkeypatch.setitem(MECHANISMS, PatientLadder.name, PatientLadder)


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=lambda: NOON)
    with serving(a_host(database, tmp_path, a_competition(mechanism=PatientLadder.name))) as running:
        yield running
    database.close()


def test_it_is_public_under_its_class_name() -> None:
    assert getattr(lb, PatientLadder.__name__) is PatientLadder


def test_check_states_its_promise(tmp_path: Path) -> None:
    write_folder(tmp_path, TOML + f'mechanism = "{PatientLadder.name}"\n')
    result = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert PatientLadder.promise in result.output


def test_pages_have_its_words(server: Server) -> None:
    client, words = server.client(), PatientLadder.words
    page = client.get(f"/mechanisms/{PatientLadder.name}").text
    parts = (*words.steps, *words.guarantee, *words.limits, *words.reading, *words.parameters.values())
    for text in (words.title, words.lead, words.source, *parts):
        assert text in page
    assert "<code>pace</code>" in page
    assert words.title in client.get("/mechanisms").text
    rules = client.get("/competitions/pets/rules").text
    assert words.title in rules
    assert words.lead in rules
    assert words.title in client.get("/competitions/pets/leaderboard").text


def test_the_words_of_an_outcome_follow_from_its_traits() -> None:
    release = lb.Release(0.2, 0.2, accepted=True, improved=True, attempt=2, interval=None)
    footing = Footing(0.3, incumbent=1)
    outcome = describe_outcome(release, footing, mechanism=PatientLadder(), lower_is_better=True, scores=ScoreFormat())
    assert outcome.title == "New best"
    assert "does not correct" in outcome.sentences[1]


def test_it_is_asked_where_its_traits_say_so(tmp_path: Path) -> None:
    assert PatientLadder.name in list_compared()
    assert PatientLadder.name in list_replayed()
    losses = (np.random.default_rng(1).random((200, 3)) < (0.5, 0.4, 0.1)).astype(int)
    path = tmp_path / "losses.csv"
    np.savetxt(path, losses, fmt="%d", delimiter=",", header="a,b,c", comments="")
    result = CliRunner().invoke(
        cli,
        ["audit-records", str(path), "--kind", "losses", "--mechanism", PatientLadder.name, "--mechanism", "ladder"],
    )
    assert result.exit_code == 0, result.output
    assert PatientLadder.label in result.output
    assert PatientLadder.name in lb.audit_records(losses).boards


def test_the_laboratory_compares_its_variants() -> None:
    assert {"patient_2", "patient_100"} <= set(Plan().mechanisms)
    assert make_variants(n=400, k=10)["patient_100"] == PatientLadder(pace=400)
    assert PatientLadder.family in COLOURS_OF_FAMILIES


def test_a_guard_a_plan_and_the_reference_take_it() -> None:
    holdout = lb.Holdout([0, 1] * 50, mechanism=PatientLadder.name, path=":memory:")
    assert holdout.score([0, 1] * 50).improved
    assert lb.plan_submissions(n=400, mechanism=PatientLadder.name).mechanism == PatientLadder()
    assert f"## {PatientLadder.name}" in mechanisms_page()
