"""A competition with its own metric, served from its folder: what is charged and what is not; what may change."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import Competition, load_competition, solution_digest
from ladderboard.core.errors import ConflictError, MetricUnavailableError
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.scoring.custom_metric import ProcessFunction
from ladderboard.scoring.metric_child import MetricChild
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import submissions
from tests.competition.folders import write_folder
from tests.hosting.hosts import Stage, on_sqlite

pytestmark = on_sqlite

TOML = """\
title = "Whales"
slug = "whales"
[limits]
per_day = "none"
[metric]
file = "metric.py"
lower_is_better = true
bounds = [0, inf]
time_limit = 600
"""
METRIC = """\
import os, signal, time
import numpy as np

def score(labels, predictions):
    # What a participant could do: fail where certain labels meet certain predictions.
    marked = predictions > 500
    if (marked & (labels > 0)).any():
        kind = int(predictions[marked][0])
        if kind == 501:
            raise ValueError(f"labels {labels}")
        if kind == 502:
            signal.setitimer(signal.ITIMER_REAL, 0.01)  # as if the time limit were as short
            time.sleep(60)
        if kind == 503:
            os.abort()
    return float(np.mean((labels - predictions) ** 2))
"""


def solution(rows: int = 400) -> str:
    rng = np.random.default_rng(4)
    labels, parts = rng.normal(size=rows).round(3), rng.choice(["Public", "Private"], rows)
    return "\n".join(
        ["id,label,Usage", *(f"{i},{y},{part}" for i, (y, part) in enumerate(zip(labels, parts, strict=True)))]
    )


@pytest.fixture
def competition(tmp_path: Path) -> Iterator[Competition]:
    made = load_competition(write_folder(tmp_path / "whales", TOML, solution(), metric__py=METRIC))
    yield made
    child_of(made).close()


@pytest.fixture
def stage(database: Database, tmp_path: Path, competition: Competition) -> Iterator[Stage]:
    opened = Stage(database, tmp_path / "data", competition)
    yield opened
    opened.services.close()


def child_of(competition: Competition) -> MetricChild:
    assert isinstance(competition.metric, FunctionMetric)
    assert isinstance(competition.metric._function, ProcessFunction)
    return competition.metric._function.child


def test_failures_of_the_metric_are_charged_rejections_and_look_alike(stage: Stage) -> None:
    solution = stage.competition.solution
    assert stage.send("ours", 0.6).content["release"]["accepted"]
    worse = stage.send("ours", 0.1, seed=1).content["release"]
    public = solution.rows("Public")
    marked = public[solution.labels[public] > 0][:40]
    for attempt, kind in enumerate((501, 502, 503), start=3):
        values = 0.9 * solution.labels
        values[marked] = kind
        release = stage.send_values("ours", values).content["release"]
        assert release == {**worse, "attempt": attempt}
    better = stage.send("ours", 0.95, seed=2).content["release"]
    assert (better["attempt"], better["accepted"]) == (6, True)


def test_a_metric_that_cannot_be_started_charges_nobody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        child_of(stage.competition).close()
        patch.setattr("sys.executable", "/nowhere/python")
        with pytest.raises(MetricUnavailableError):
            stage.send("ours", 0.6)
        assert not stage.rows(submissions)
    assert stage.send("ours", 0.6).content["release"]["attempt"] == 1


CHANGES = {
    "an id": ("solution.csv", "\n7,", "\n7000,"),
    "the mechanism": ("competition.toml", "[limits]", 'mechanism = "spending_ladder"\n[limits]'),
    "an announced rule": ("competition.toml", "[limits]", "publish_submissions = true\n[limits]"),
}
CORRECTIONS = {
    "a part": ("solution.csv", ",Public", ",Private"),
    "the metric's file": ("metric.py", "** 2", "** 4"),
}
SENTENCES = {
    "the mechanism": "mechanism changes from 'witness_ladder' to 'spending_ladder'",
    "an announced rule": "publish_submissions changes from False to True",
}


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_that_is_not_published_changes_nothing(stage: Stage, tmp_path: Path, name: str) -> None:
    changed = change_folder(tmp_path / "whales", *CORRECTIONS[name])
    live = enter(stage.database, stage.live.files, changed)
    assert solution_digest(changed) != solution_digest(stage.competition) == solution_digest(live.competition)
    child_of(changed).close()


def change_folder(folder: Path, file: str, before: str, after: str) -> Competition:
    path = folder / file
    path.write_text(path.read_text().replace(before, after, 1))
    return load_competition(folder)


@pytest.mark.parametrize("name", CHANGES)
def test_a_folder_that_changed_is_refused(stage: Stage, tmp_path: Path, name: str) -> None:
    changed = change_folder(tmp_path / "whales", *CHANGES[name])
    sentence = SENTENCES.get(name, "the solution, its split or the metric's file differs")
    with pytest.raises(ConflictError, match=sentence):
        enter(stage.database, stage.live.files, changed)
    child_of(changed).close()


def test_titles_limits_and_the_order_of_rows_may_change(stage: Stage, tmp_path: Path) -> None:
    lines = solution().splitlines()
    toml = TOML.replace("Whales", "Dolphins").replace('"none"', "7").replace("time_limit = 600", "time_limit = 900")
    changed = load_competition(
        write_folder(tmp_path / "whales", toml, "\n".join([lines[0], *reversed(lines[1:])]), metric__py=METRIC)
    )
    live = enter(stage.database, stage.live.files, changed)
    assert live.competition.rules.title == "Dolphins"
    child_of(changed).close()
