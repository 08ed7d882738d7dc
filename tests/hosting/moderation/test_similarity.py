"""Near-duplicates, probing and many accounts are noticed; honest work is not; nobody but the organiser sees it."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ladderboard as lb
from ladderboard.server.db.schema import flags, submissions
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.participant import Briefing
from tests.hosting.competitions import predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite

pytestmark = on_sqlite

MODELS: dict[str, list[Any]] = {
    "classes": [
        GaussianNB(),
        DecisionTreeClassifier(max_depth=4, random_state=0),
        KNeighborsClassifier(15),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.001, max_iter=500)),
        make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=500)),
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), SVC()),
    ],
    "numbers": [
        KNeighborsRegressor(30),
        Ridge(1.0),
        Ridge(0.05),
        RandomForestRegressor(20, random_state=0),
        GradientBoostingRegressor(n_estimators=30, random_state=0),
        GradientBoostingRegressor(n_estimators=100, random_state=0),
    ],
}


def kinds(stage: Stage) -> list[tuple[str, str]]:
    return [(row.team_id.removeprefix("id-"), row.kind) for row in stage.rows(flags)]


# -- honest work ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer, load_diabetes])
def test_honest_models_that_get_better_raise_no_flag(begin: Begin, load: Any) -> None:
    features, labels = load(return_X_y=True)
    takes = "numbers" if load is load_diabetes else "classes"
    train, test, train_labels, test_labels = train_test_split(features, labels, test_size=0.5, random_state=0)
    stage = begin(metric="rmse" if takes == "numbers" else "accuracy", labels=test_labels)
    rng = np.random.default_rng(1)
    for number, model in enumerate(2 * MODELS[takes]):
        # Six teams, each with a model of another family every time, and with most of the data that there are.
        stage.pass_time(timedelta(hours=1))
        part = rng.permutation(len(train))[: int(0.8 * len(train))]
        stage.send_values("abcdef"[number % 6], model.fit(train[part], train_labels[part]).predict(test))
    assert kinds(stage) == []


def test_everybody_may_begin_with_the_same_constant(begin: Begin) -> None:
    stage = begin(metric="rmse")
    for team in ("a", "b", "c"):
        stage.send_values(team, np.full(400, 0.5))
    assert kinds(stage) == []


# -- attacks ----------------------------------------------------------------------------------------------------------


class Account:
    """An attacker's account on a stage."""

    def __init__(self, stage: Stage, team: str) -> None:
        self.stage, self.team = stage, team
        self.briefing = Briefing(
            "error_rate", lower_is_better=True, items=len(stage.competition.solution.ids), classes=2
        )

    def submit(self, values: Any, *, training_score: float | None = None) -> "lb.Release":
        del training_score
        self.stage.pass_time(timedelta(hours=1))
        return lb.Release.from_dict(self.stage.send_values(self.team, values).content["release"])

    def account(self, name: str) -> "Account":
        return Account(self.stage, name)


def honest_crowd(stage: Stage) -> None:
    for seed, team in enumerate("abcdef"):
        stage.send(team, 0.85, seed=seed)


@pytest.mark.parametrize(
    ("attack", "kind"),
    [
        (ATTACKS["hill_climb"](), "near_duplicate"),
        (ATTACKS["repeat_averaging"](near_duplicates=True), "near_duplicate"),  # type: ignore[call-arg]
        (ATTACKS["coordinate_probe"](), "nearly_constant"),
        (ATTACKS["sybil"](), "unrelated"),
    ],
)
def test_attacks_are_flagged_again_and_again(begin: Begin, attack: Any, kind: str) -> None:
    stage = begin(rows=2000, metric="error_rate")
    honest_crowd(stage)
    attack.run(Account(stage, "attacker"), budget=20, rng=np.random.default_rng(0))
    found = kinds(stage)
    assert sum(one == kind for _, one in found) >= 15
    assert {team for team, _ in found}.isdisjoint("abcdef")


def test_a_run_of_tiny_changes_is_probing_also_where_few_rows_differ_honestly(begin: Begin) -> None:
    stage = begin(rows=400, metric="error_rate")
    account = Account(stage, "attacker")
    ATTACKS["hill_climb"]().run(account, budget=26, rng=np.random.default_rng(0))
    assert ("attacker", "probing") in kinds(stage)


def test_another_account_of_the_same_person_is_found_by_its_predictions(begin: Begin) -> None:
    stage = begin(rows=2000)
    mine = predictions(stage.competition, 0.9)
    stage.send_values("a", mine)
    other = mine.copy()
    other[[3, 500]] = 1 - other[[3, 500]]
    stage.send_values("b", other)
    stage.send_values("c", mine)
    assert kinds(stage) == [("b", "near_duplicate_of_other"), ("c", "copy")]
    (near, copied) = stage.rows(flags)
    first = next(row.id for row in stage.rows(submissions) if row.team_id == "id-a")
    assert near.other_submission_id == copied.other_submission_id == first


def test_an_old_near_duplicate_is_found_through_its_bands(begin: Begin) -> None:
    stage = begin(rows=2000)
    mine = predictions(stage.competition, 0.9)
    stage.send_values("a", mine)
    for seed in range(45):  # more than are compared in full
        stage.send(f"team {seed}", 0.7, seed=seed + 1)
    other = mine.copy()
    other[:3] = 1 - other[:3]
    stage.send_values("late comer", other)
    assert ("late comer", "near_duplicate_of_other") in kinds(stage)


def test_numbers_with_a_little_noise_are_tightly_correlated(begin: Begin) -> None:
    stage = begin(rows=1000, metric="rmse")
    mine = predictions(stage.competition, 0.8)
    rng = np.random.default_rng(1)
    stage.send_values("a", mine)
    stage.send_values("a", np.round(mine + 0.001 * rng.normal(size=1000), 6))
    stage.send_values("b", np.round(mine + 0.001 * rng.normal(size=1000), 6))
    stage.send_values("c", np.round(mine + 0.3 * rng.normal(size=1000), 6))
    assert kinds(stage) == [("a", "correlated"), ("b", "correlated_with_other")]


def test_submissions_at_machine_speed_are_noticed_once_in_a_while(begin: Begin) -> None:
    stage = begin()
    for seed in range(17):
        stage.pass_time(timedelta(seconds=2))
        stage.send("a", 0.6, seed=seed)
    assert [kind for _, kind in kinds(stage)] == ["machine_speed", "machine_speed"]


def test_no_answer_tells_of_a_flag(begin: Begin) -> None:
    stage = begin(rows=2000)
    mine = predictions(stage.competition, 0.9)
    stage.send_values("a", mine)
    other = mine.copy()
    other[0] = 1 - other[0]
    answer = stage.send_values("a", other)
    assert kinds(stage) == [("a", "near_duplicate")]
    plain = stage.send("b", 0.7, seed=5)
    assert set(answer.content) == set(plain.content)
    assert "flag" not in str(answer.content)
    assert "flagged" not in stage.ledger_kinds()
