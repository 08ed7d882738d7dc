"""A guard that certifies: what is pinned, asked, repeated and refused."""

from pathlib import Path

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.cli.guard.holdout_report import describe_release
from tests.mechanisms.play import labels_of, wrong_on

N = 400
LABELS = labels_of(N)
DEPLOYED, BETTER, LUCKY = wrong_on(N, range(120)), wrong_on(N, range(60)), wrong_on(N, range(118))


@pytest.fixture
def gate(tmp_path: Path) -> lb.Holdout:
    return lb.Holdout(LABELS, mechanism=lb.Certifier(), path=tmp_path / "gate.db", seed=1)


def reopen(gate: lb.Holdout) -> lb.Holdout:
    path = gate._guard.path
    gate.close()
    return lb.Holdout(LABELS, path=path)


def test_a_gate_without_a_reference_is_refused_and_costs_nothing(gate: lb.Holdout) -> None:
    with pytest.raises(lb.ParameterError, match="pin the model in use first"):
        gate.score(BETTER)
    assert (gate.attempts, gate.history(), gate.leakage.bits) == (0, [], 0.0)


def test_what_is_pinned_first_is_the_reference_and_tells_no_number(gate: lb.Holdout) -> None:
    gate.pin(DEPLOYED)
    assert [(one.value, one.accepted) for one in gate.history()] == [(None, False)]
    assert gate.best is None
    release = reopen(gate).score(BETTER)
    assert (release.improved, release.accepted, release.attempt) == (True, True, 2)
    assert release.outcome_name == "improved"


def test_what_is_pinned_later_changes_only_what_not_worse_compares_with(gate: lb.Holdout) -> None:
    gate.pin(DEPLOYED)
    gate.pin(BETTER)
    assert gate.attempts == 1
    assert gate.score(wrong_on(N, range(61))).improved  # against what was deployed, not against the better one
    assert gate.check_not_worse(BETTER).question is None


def test_the_same_candidate_again_is_answered_from_the_file_and_costs_nothing(gate: lb.Holdout) -> None:
    gate.pin(DEPLOYED)
    first = gate.score(LUCKY)
    before = gate.leakage
    with reopen(gate) as later:
        again = later.score(LUCKY)
        assert (again.value, again.accepted, again.attempt, again.is_repeat) == (None, False, 2, True)
        assert not first.is_repeat
        assert later.leakage == before
        assert later.score(DEPLOYED).is_repeat
        assert later.score(BETTER).improved
        assert later.score(BETTER).improved
        assert later.attempts == 3


def test_a_candidate_that_is_not_certified_gets_no_number_and_hears_against_what(gate: lb.Holdout) -> None:
    gate.pin(DEPLOYED)
    lines = list(describe_release(gate, gate.score(LUCKY)))
    assert lines == [
        "No change: Not proven better than the reference. Without a certificate no score is shown: that keeps the next "
        "test honest."
    ]
    again = list(describe_release(gate, gate.score(LUCKY)))
    assert "This repeats attempt 2" in again[0]
    assert "Nothing is certified yet" in again[0]
    certified = list(describe_release(gate, gate.score(BETTER)))
    assert certified[0] == f"Improved: Score {gate.best}. Proven better than the reference."
    rejected = gate.score(wrong_on(N, range(59)))
    assert "Not proven better than attempt 3" in next(iter(describe_release(gate, rejected)))
    assert "value" not in rejected.to_metrics()


def test_runs_of_an_item_may_differ_in_number() -> None:
    rng = np.random.default_rng(0)
    tasks = [f"task {number}" for number in range(150)]
    chance = rng.random(150)

    def answer(gain: float) -> dict[str, list[int]]:
        runs = rng.integers(1, 6, 150)
        return {
            task: rng.binomial(1, min(1, p + gain), n).tolist() for task, p, n in zip(tasks, chance, runs, strict=True)
        }

    gate = lb.Holdout.from_item_scores(tasks, mechanism="certifier", path=":memory:", seed=1)
    gate.pin(answer(0.0))
    assert not gate.score(answer(0.0)).improved
    assert gate.score(answer(0.3)).improved


def test_not_worse_is_answered_on_all_items_and_makes_certificates_harder(gate: lb.Holdout) -> None:
    gate.pin(DEPLOYED)
    level = lb.Certifier().find_level(gate._guard.progress()[0])
    assert gate.check_not_worse(wrong_on(N, range(1, 120)), margin=0.05).not_worse
    assert lb.Certifier().find_level(gate._guard.progress()[0]) == pytest.approx(level / 2)


def test_a_search_does_not_steer_by_a_gate(gate: lb.Holdout) -> None:
    with pytest.raises(lb.ParameterError, match="a search would steer by it"):
        gate.as_scorer()
    with pytest.raises(lb.ParameterError, match="a search would steer by it"):
        gate.search_split(np.zeros((5, 1)), [0, 1, 0, 1, 0], np.zeros((N, 1)))


def test_every_word_of_a_rehearsed_gate_is_false() -> None:
    gate = lb.Holdout(LABELS, mechanism="certifier", path=":memory:", seed=1)
    found = gate.rehearse(series=40, copies=20)
    assert found.recognised is None
    assert found.false <= 6  # binom.isf(.01, 40, .05)


def test_a_guard_that_exists_keeps_its_mechanism(tmp_path: Path) -> None:
    path = tmp_path / "holdout.db"
    labels = labels_of(600)
    lb.Holdout(labels, path=path, seed=1).close()
    with pytest.raises(lb.GuardFileError, match="was made with witness_ladder"):
        lb.Holdout(labels, mechanism=lb.Certifier(), path=path)
    with lb.Holdout(labels, path=path) as opened:
        assert opened.mechanism.name == "witness_ladder"
        opened.pin(wrong_on(600, range(90)))
        assert opened.attempts == 0
