"""A competition whose submissions are queued: an own metric that does what the predictions ask for."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.competition import Competition, load_competition
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import jobs, submissions, teams
from ladderboard.server.jobs.work import take_up, work
from tests.competition.folders import write_folder
from tests.hosting.hosts import Stage

TOML = """\
title = "Whales"
slug = "whales"
[limits]
per_day = {per_day}
[metric]
file = "metric.py"
lower_is_better = true
bounds = [0, inf]
queued = true
"""
METRIC = """\
import time
import numpy as np

def score(labels, predictions):
    time.sleep({seconds})
    return float(np.mean((labels - predictions) ** 2))
"""
ROWS = 60


def write_queued(folder: Path, *, per_day: str = '"none"', seconds: float = 0.0) -> Path:
    """The folder of a competition whose metric waits for so long."""
    rng = np.random.default_rng(4)
    labels, parts = rng.normal(size=ROWS).round(3), rng.choice(["Public", "Private"], ROWS)
    rows = [f"{i},{y},{part}" for i, (y, part) in enumerate(zip(labels, parts, strict=True))]
    solution = "\n".join(["id,label,Usage", *rows])
    toml = TOML.format(per_day=per_day)
    return write_folder(folder, toml, solution, metric__py=METRIC.format(seconds=seconds))


def load_queued(folder: Path, **options: Any) -> Competition:
    return load_competition(write_queued(folder / "whales", **options))


def open_queued(database: Database, folder: Path, **options: Any) -> Stage:
    return Stage(database, folder / "data", load_queued(folder, **options))


def values(share: float) -> np.ndarray[Any, Any]:
    """Predictions that differ with ``share``."""
    return np.round(np.random.default_rng(round(share * 1000)).normal(size=ROWS) * share, 6)


def run_one(stage: Stage) -> str | None:
    """Take up the next job and score it here; returns its id."""
    job = take_up(stage.services, timedelta(seconds=30))
    if job is None:
        return None
    assert job.lease is not None
    work(stage.services, job.id, job.lease)
    return job.id


def run_all(stage: Stage) -> list[str]:
    done = []
    while (job_id := run_one(stage)) is not None:
        done.append(job_id)
    return done


def job_rows(stage: Stage) -> list[Any]:
    return sorted(stage.rows(jobs), key=lambda job: (job.received_at, job.id))


def team_row(stage: Stage, name: str) -> Any:
    return next(row for row in stage.rows(teams) if row.id == f"id-{name}")


def submission_rows(stage: Stage) -> list[Any]:
    return sorted(stage.rows(submissions), key=lambda row: row.number)
