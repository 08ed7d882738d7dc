"""A throw-away copy of a competition, served by a real server process: the rules as they are, the labels shuffled.

Shuffled labels cannot be predicted from anything, so that whatever a board shows beyond chance was climbed by luck or
leaked, and the true score of a submission is known. The organiser's own labels never reach an attacker. The limits on
attempts are switched off, since they are not what the claim rests on.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition
from ladderboard_lab.participant import Array

UNLIMITED = {
    "LADDERBOARD_SIGN_UPS_PER_HOUR": "1000000",
    "LADDERBOARD_SIGN_IN_TRIES_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_AT_ONCE": "1000",
}
"""Limits on people are no part of what a drill shows: an attacker may have any number of addresses and days."""

START_SECONDS = 60


@dataclass(frozen=True, eq=False)
class Copy:
    """The copied competition: its folder, and the labels that only the drill knows."""

    folder: Path
    slug: str
    labels: Array
    """For every row of the solution, shuffled, as the file has them."""
    is_public: Array
    """For every row of the solution."""


def copy_competition(original: Competition, to: Path, *, rng: np.random.Generator) -> Copy:
    """Write the copy. Rows, ids, split, groups, weights, metric and mechanism are the original's."""
    solution = original.solution
    counted = np.flatnonzero(solution.usage != "Ignored")
    labels = solution.labels.copy()
    labels[counted] = labels[rng.permutation(counted)]
    to.mkdir(parents=True)
    (to / "competition.toml").write_text(_rules_text(original))
    _write_solution(to / "solution.csv", original, labels)
    (to / "description.md").write_text("A copy for a drill.\n")
    return Copy(to, original.slug, labels, solution.usage == "Public")


@contextmanager
def serving(
    folder: Path, data: Path, *, database: str = "", environment: Mapping[str, str] = UNLIMITED
) -> Iterator["RunningServer"]:
    """A server process for the folder, from when it answers to the end of the block."""
    data.mkdir(parents=True, exist_ok=True)
    log = data / "server.log"
    command = [sys.executable, "-c", "from ladderboard.cli.main import main; main()", "serve", str(folder)]
    command += ["--port", "0", "--data", str(data), *(["--database", database] if database else [])]
    with log.open("ab") as to:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=to, env={**os.environ, **environment}, text=True
        )
    try:
        yield RunningServer(_address(process, log), process, data, database, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True, eq=False)
class RunningServer:
    """Where the server is, and what it writes."""

    url: str
    process: "subprocess.Popen[str]"
    data: Path
    database: str
    log: Path


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://[\d.]+:\d+", line)
        if found:
            return found[0]
    raise lb.LadderboardError(f"the server did not start:\n{log.read_text()[-2000:]}")


def _rules_text(original: Competition) -> str:
    rules = original.rules
    lines = [
        f"title = {json.dumps('Drill: ' + rules.title)}",
        f"slug = {json.dumps(rules.slug)}",
        f"board = {json.dumps(rules.instances)}",
        f"ranks = {rules.ranks}",
        "",
        "[metric]",
        f"name = {json.dumps(rules.metric)}",
        *(f"{name} = {json.dumps(value)}" for name, value in rules.metric_options.items()),
        "",
        "[mechanism]",
        f"name = {json.dumps(rules.mechanism)}",
        *(f"{name} = {json.dumps(value)}" for name, value in rules.mechanism_parameters.items()),
        "",
        "[limits]",
        'per_day = "none"',
        'total = "none"',
        "",
    ]
    return "\n".join(lines)


def _write_solution(path: Path, original: Competition, labels: Array) -> None:
    import polars as pl

    solution = original.solution
    columns: dict[str, Any] = {solution.id_column: solution.ids}
    table = labels if labels.ndim == 2 else labels[:, None]
    columns |= {name: table[:, place] for place, name in enumerate(solution.label_columns)}
    columns["Usage"] = solution.usage
    if solution.weight is not None:
        columns["weight"] = solution.weight
    if solution.group is not None:
        columns["group"] = solution.group
    pl.DataFrame(columns).write_csv(path)
