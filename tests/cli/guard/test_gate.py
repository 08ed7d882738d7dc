"""`holdout init --gate`, `holdout pin`, `holdout score --not-worse` and `holdout rehearse`."""

import json

import numpy as np
import pytest

from tests.cli.guard.test_holdout import LABELS, guard, in_tmp, refusal, run, score, write_csv  # noqa: F401 (fixtures)
from tests.guard.guards import with_errors

pytestmark = pytest.mark.usefixtures("guard")

DEPLOYED = with_errors(LABELS, 120)


def read_status() -> tuple[str, tuple[object, ...]]:
    """The line of `holdout status` before the last, and what its JSON says of the reference."""
    told = json.loads(run("holdout", "status", "holdout.db", "--json").stdout)
    lines = run("holdout", "status", "holdout.db").stdout.splitlines()
    return lines[-2], tuple(told[name] for name in ("is_pinned", "reference", "questions"))


def test_not_worse_is_exit_code_0_and_not_shown_3() -> None:
    write_csv("deployed.csv", DEPLOYED, column="p")
    write_csv("near.csv", with_errors(DEPLOYED, 2, seed=1), column="p")
    write_csv("bad.csv", with_errors(LABELS, 200, seed=2), column="p")
    pinned = run("holdout", "pin", "holdout.db", "deployed.csv", "--labels", "labels.csv")
    assert pinned.stdout == (
        "holdout.db now compares with deployed.csv; ask with: ladderboard holdout score holdout.db … --not-worse\n"
    )
    near = score("near.csv", "--not-worse", "--margin", 0.05)
    assert (near.exit_code, near.stdout) == (
        0,
        "Not worse: at most 0.05 error_rate behind the pinned predictions.\n",
    )
    bad = score("bad.csv", "--not-worse", "--margin", 0.05)
    assert bad.exit_code == 3
    assert bad.stdout.startswith("Not shown: these may be more than 0.05 error_rate behind the pinned predictions;")
    again = score("near.csv", "--not-worse", "--margin", 0.05)
    assert "Asked before, as question 1; nothing was charged." in again.stdout
    own = score("deployed.csv", "--not-worse", "--margin", 0.05)
    assert (own.exit_code, own.stdout) == (0, "Not worse: these are the pinned predictions. Nothing was asked.\n")
    line = 'Pinned: predictions that had not been scored; "not worse" shown in 1 of 2 questions'
    assert read_status() == (line, (True, None, 2))


def test_an_attempt_is_pinned_without_labels_and_the_answer_is_json() -> None:
    write_csv("good.csv", DEPLOYED, column="p")
    write_csv("near.csv", with_errors(DEPLOYED, 2, seed=1), column="p")
    assert score("good.csv").exit_code == 0
    assert read_status()[1] == (False, None, 0)
    assert "Pinned" not in run("holdout", "status", "holdout.db").stdout
    assert "compares with attempt 1;" in run("holdout", "pin", "holdout.db").stdout
    assert read_status() == ("Pinned: attempt 1; no question asked yet", (True, 1, 0))
    assert "compares with attempt 1;" in run("holdout", "pin", "holdout.db", 1).stdout
    told = json.loads(score("near.csv", "--not-worse", "--margin", 0.12, "--json").stdout)
    assert (told["not_worse"], told["question"], told["reference"]) == (True, 1, 1)
    assert told["leakage"]["attempts"] == 1
    assert read_status()[0] == 'Pinned: attempt 1; "not worse" shown in 1 of 1 question'


def test_what_cannot_be_answered_is_refused_in_one_sentence() -> None:
    write_csv("good.csv", DEPLOYED, column="p")
    arguments = ("holdout", "score", "holdout.db", "--labels", "labels.csv", "good.csv")
    assert "no reference is pinned" in refusal(*arguments, "--not-worse")
    assert "nothing was accepted yet" in refusal("holdout", "pin", "holdout.db")
    assert "--margin belongs to --not-worse" in run(*arguments, "--margin", 0.1).stderr
    assert "give --labels" in run("holdout", "pin", "holdout.db", "good.csv").stderr
    score("good.csv")
    assert "only those of 1;" in refusal("holdout", "pin", "holdout.db", 7)
    run("holdout", "pin", "holdout.db")
    write_csv("near.csv", with_errors(DEPLOYED, 2, seed=1), column="p")
    hopeless = (*arguments[:-1], "near.csv", "--not-worse")
    assert "a margin of 0.005 cannot be shown on 400 hidden items" in refusal(*hopeless)


def test_a_rehearsal_reports_a_rate_with_its_interval_and_spends_nothing() -> None:
    arguments = ("holdout", "rehearse", "holdout.db", "--labels", "labels.csv", "--copies", 10, "--series", 20)
    told = json.loads(run(*arguments, "--json").stdout)
    assert told["series"] == told["recognised"] == 20
    assert told["interval"][0] <= told["false_rate"] <= told["interval"][1]
    spoken = run(*arguments).stdout
    assert f'A copy was called "improved" over another in {told["false"]} of 20 series' in spoken
    assert json.loads(run("holdout", "status", "holdout.db", "--json").stdout)["attempts"] == 0
    raw = json.loads(run(*arguments, "--mechanism", "full_disclosure", "--json").stdout)
    assert raw["false"] > np.maximum(10, told["false"])


def test_a_gate_certifies_against_what_was_pinned_first() -> None:
    write_csv("deployed.csv", DEPLOYED, column="p")
    write_csv("lucky.csv", with_errors(LABELS, 118, seed=4), column="p")
    write_csv("better.csv", with_errors(LABELS, 50, seed=5), column="p")
    made = run("holdout", "init", "labels.csv", "--gate", "--to", "gate.db")
    assert made.stdout.endswith("next, pin the model in use: ladderboard holdout pin gate.db PREDICTIONS\n")
    ask = ("holdout", "score", "gate.db", "--labels", "labels.csv")
    assert "pin the model in use first" in refusal(*ask, "better.csv")
    pinned = run("holdout", "pin", "gate.db", "deployed.csv", "--labels", "labels.csv")
    assert pinned.stdout == "gate.db now compares with deployed.csv; ask with: ladderboard holdout score gate.db …\n"
    lucky = run(*ask, "lucky.csv")
    assert lucky.exit_code == 3
    assert lucky.stdout.startswith("No change: Not proven better than the reference. Without a certificate no score")
    assert json.loads(run(*ask, "lucky.csv", "--json").stdout)["value"] is None
    better = run(*ask, "better.csv")
    assert better.exit_code == 0
    assert "Proven better than the reference." in better.stdout
    assert run("holdout", "status", "gate.db").stdout.splitlines()[1].startswith("3 attempts, 1 accepted; score shown")
    later = run("holdout", "pin", "gate.db", "better.csv", "--labels", "labels.csv")
    assert later.stdout.endswith("score gate.db … --not-worse\n")


def test_a_gate_has_its_own_mechanism_and_its_own_rehearsal() -> None:
    both = run("holdout", "init", "labels.csv", "--gate", "--mechanism", "ladder", "--to", "gate.db")
    assert both.exit_code == 2
    assert "leave out --gate or --mechanism" in both.stderr
    run("holdout", "init", "labels.csv", "--gate", "--to", "gate.db")
    told = run("holdout", "rehearse", "gate.db", "--labels", "labels.csv", "--copies", 10, "--series", 20)
    assert "20 series of 10 equally good copies, certifier: the first is the reference." in told.stdout
