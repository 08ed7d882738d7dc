"""Guard files of earlier versions are read and carried on: nothing is lost, and nothing is misread.

`format1.sql` was written by version 0.1.0: 120 coin flips (seed 5), AUC, four attempts of which three were accepted.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.records import BASELINE
from ladderboard.guard.clients import add_client, list_clients
from ladderboard.guard.file_schema import FORMAT
from tests.guard.guards import labels_of, with_errors

OLD = [(0.629, True, True), (0.845, True, False), (0.845, False, False), (0.871, True, False)]
"""What was told then: value, accepted, improved."""
TOLD_BY_FORMAT_2 = [(0.198, True), (0.212, False), (0.052, True)]
TOLD_BY_FORMAT_3 = [(0.296, True), (0.252, False), (0.2, True), (0.2, False), (0.152, False), (0.102, False)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "holdout.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format1.sql").read_text())
    return path


def test_the_history_is_kept_without_its_intervals(old: Path, rng: np.random.Generator) -> None:
    labels = rng.integers(0, 2, 120)
    with lb.Holdout(labels, metric="auc", path=old) as holdout:
        told = holdout.history()
    assert [(one.value, one.accepted, one.improved) for one in told] == OLD
    assert {(one.interval, one.standard_error) for one in told} == {(None, None)}
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)


def test_the_next_attempts_are_judged_against_the_incumbent_and_the_baseline(
    old: Path, rng: np.random.Generator
) -> None:
    """State of the old form: the proven entry is the baseline, and every accept so far counts."""
    labels = rng.integers(0, 2, 120)
    sent = [labels + spread * rng.normal(size=120) for spread in (2.5, 0.9, 0.9, 0.6)]
    with lb.Holdout(labels, metric="auc", path=old) as holdout:
        state, _ = holdout._guard.progress()
        assert (state.proof.submission, state.proof.accepts, state.accepts) == (BASELINE, 0, 3)
        again = holdout.score(sent[0])
        assert (again.is_repeat, again.improved, again.board_value) == (True, False, 0.871)
        better = holdout.score(labels + 0.05 * rng.normal(size=120))
        assert (better.attempt, better.accepted, better.improved) == (5, True, True)
        assert better.standard_error is not None
        assert better.interval is not None


def test_a_file_without_clients_is_carried_on_and_takes_them(tmp_path: Path) -> None:
    """`format2.sql` was written before guards had clients: 200 labels in turn, seed 5, three attempts."""
    path, labels = tmp_path / "holdout.db", labels_of(200)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format2.sql").read_text())
    with lb.Holdout(labels, path=path, seed=5) as holdout:
        assert [(one.value, one.improved) for one in holdout.history()] == TOLD_BY_FORMAT_2
        assert holdout.score(with_errors(labels, 10, seed=2)).is_repeat
        assert holdout.gains.shown is not None  # its facts were added when the file was opened with labels
        with holdout._guard.use() as connection:
            add_client(connection, "ci")
        holdout.score(with_errors(labels, 60, seed=9), client="ci")
        with holdout._guard.use() as connection:
            asked = connection.execute("SELECT client FROM releases ORDER BY attempt").fetchall()
            assert list_clients(connection)[0].attempts == 1
    assert [client for (client,) in asked] == [None, None, None, "ci"]


def test_a_file_without_a_reference_takes_one(tmp_path: Path) -> None:
    path, labels = tmp_path / "holdout.db", labels_of(200)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format2.sql").read_text())
    with lb.Holdout(labels, path=path) as holdout:
        bits = holdout.leakage.bits
        holdout.pin()
        answer = holdout.check_not_worse(with_errors(labels, 60, seed=9), margin=0.3)
        assert (answer.reference, answer.question) == (3, 1)
        assert holdout.leakage.bits is not None
        assert bits is not None
        assert holdout.leakage.bits > bits


@pytest.fixture
def halved(tmp_path: Path) -> Path:
    """`format3.sql` was written when the gate had half of the items: 400 labels in turn, seed 5, six attempts."""
    path = tmp_path / "holdout.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format3.sql").read_text())
    return path


@pytest.mark.parametrize("mechanism", [None, "witness_ladder", lb.WitnessLadder, lb.WitnessLadder()])
def test_a_guard_whose_gate_has_half_of_the_items_opens_with_the_default_mechanism(
    halved: Path, mechanism: Any
) -> None:
    labels = labels_of(400)
    with lb.Holdout(labels, path=halved, mechanism=mechanism) as holdout:
        assert holdout.mechanism == lb.WitnessLadder(gate_share=0.5)
        assert [(one.value, one.improved) for one in holdout.history()] == TOLD_BY_FORMAT_3
        state, _ = holdout._guard.progress()
        assert (state.accepts, state.proof.accepts, state.failed) == (5, 3, 2)
        better = holdout.score(with_errors(labels, 5, seed=5))
        assert (better.attempt, better.accepted, better.improved) == (7, True, True)
        assert holdout._guard.progress()[0].failed == 2


@pytest.mark.parametrize("mechanism", [lb.WitnessLadder(gate_share=0.4), lb.WitnessLadder(alpha=0.1)])
def test_it_is_not_opened_with_another_one(halved: Path, mechanism: lb.WitnessLadder) -> None:
    with pytest.raises(lb.LadderboardError, match="was made with witness_ladder"):
        lb.Holdout(labels_of(400), path=halved, mechanism=mechanism)


def test_a_guard_made_now_has_a_third_of_the_items_in_its_gate(tmp_path: Path) -> None:
    with lb.Holdout(labels_of(2000), path=tmp_path / "new.db") as holdout:
        assert holdout.mechanism == lb.WitnessLadder(gate_share=1 / 3)


def test_a_file_that_took_measurements_for_classes_is_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions took any numbers for classes; a new guard of such labels is refused."""
    path, labels = tmp_path / "holdout.db", np.random.default_rng(5).normal(size=200).round(2)
    with monkeypatch.context() as formerly:
        formerly.setattr("ladderboard.metrics.inputs.are_measurements", lambda *_: False)
        with lb.Holdout(labels, path=path, seed=5) as made:
            told = made.score(labels)
    with lb.Holdout(labels, path=path) as holdout:
        assert holdout.history() == [told]
        assert holdout.score(labels).is_repeat
        assert holdout.score(np.roll(labels, 1)).attempt == 2
    with pytest.raises(lb.LabelsError, match="name a regression metric"):
        lb.Holdout(labels, path=tmp_path / "new.db")
