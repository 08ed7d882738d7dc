"""Throw-away copies of a competition, with the same rules and shuffled labels.

Shuffled labels cannot be predicted from anything, so that whatever a board shows beyond chance was climbed by luck or
leaked, and the true score of a submission is known. The organiser's own labels never reach an attacker. The limits on
attempts are switched off, since they are not what the claim rests on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.competition import Competition
from ladderboard.competition.checks.sample_check import write_sample
from ladderboard_lab.participant import Array, IntArray
from ladderboard_lab.problems.base import Problem, brief_insider
from ladderboard_lab.problems.permuted import Truth

WEIGHT, GROUP, USAGE = "drill weight", "drill group", "drill usage"
"""Columns of the copy's solution; names that no label has."""


@dataclass(frozen=True, eq=False)
class Copy:
    """A copied competition: its folder, and the labels that only the drill knows."""

    folder: Path
    slug: str
    labels: Array
    """For every row of the solution, shuffled, as the file has them."""
    is_public: Array
    """For every row of the solution."""


def shuffle_labels(original: Competition, *, rng: np.random.Generator) -> Array:
    """Shuffle the labels of the rows that count."""
    counted = np.flatnonzero(original.solution.usage != "Ignored")
    labels = original.solution.labels.copy()
    labels[counted] = labels[rng.permutation(counted)]
    return np.asarray(labels)


def copy_competition(original: Competition, to: Path, labels: Array, *, slug: str = "", **changes: str | int) -> Copy:
    """Write the copy. Rows, ids, split, groups, weights, metric and mechanism are the original's.

    ``changes``: keys of competition.toml that are other in the copy, such as ``board`` and ``deadline``.
    """
    name = slug or original.slug
    to.mkdir(parents=True)
    (to / "competition.toml").write_text(_rules_text(original, name, changes), encoding="utf-8")
    (to / "description.md").write_text("A copy for a drill.\n")
    if original.metric_source:
        (to / str(original.rules.metric_options["file"])).write_text(original.metric_source, encoding="utf-8")
    _write_solution(to / "solution.csv", original, labels)
    write_sample(to, original.format)
    return Copy(to, name, labels, original.solution.usage == "Public")


def _rules_text(original: Competition, slug: str, changes: Mapping[str, str | int]) -> str:
    rules, solution = original.rules, original.solution
    top = {"title": f"Drill: {rules.title}", "slug": slug, "board": rules.instances, "ranks": rules.ranks, **changes}
    tables: dict[str, dict[str, Any]] = {
        "metric": {"name": rules.metric, **rules.metric_options, **_name_positive(original)},
        "mechanism": {"name": rules.mechanism, **rules.mechanism_parameters},
        "limits": {"per_day": "none", "total": "none"},
        "solution": {
            "id": solution.id_column,
            "label": list(solution.label_columns),
            "usage": USAGE,
            "predictions": list(original.format.prediction_columns),
            **({"classes": listed} if (listed := list(original.solution_settings.classes)) else {}),
            **({} if solution.weight is None else {"weight": WEIGHT}),
            **({} if solution.group is None else {"group": GROUP}),
        },
    }
    if original.metric_source:
        del tables["metric"]["name"]
    lines = _lines(top)
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _name_positive(original: Competition) -> dict[str, Any]:
    """The positive class; of two probabilities the greater, since drills write that of the second class."""
    positive, classes = original.rules.positive, original.format.classes
    if positive is None:
        return {}
    return {"positive": classes[-1] if original.format.takes == "probabilities" else positive}


def _lines(table: Mapping[str, Any]) -> list[str]:
    # A TOML text, number, truth value or list of them is written as in JSON; infinities are spelled "inf" in both.
    return [f"{name} = {json.dumps(value).replace('Infinity', 'inf')}" for name, value in table.items()]


def _write_solution(path: Path, original: Competition, labels: Array) -> None:
    import polars as pl

    solution = original.solution
    columns: dict[str, Any] = {solution.id_column: solution.ids}
    table = labels if labels.ndim == 2 else labels[:, None]
    columns |= {name: table[:, place] for place, name in enumerate(solution.label_columns)}
    columns[USAGE] = solution.usage
    if solution.weight is not None:
        columns[WEIGHT] = solution.weight
    if solution.group is not None:
        columns[GROUP] = solution.group
    pl.DataFrame(columns).write_csv(path)


def make_drill_problem(
    original: Competition, copy: Copy, *, rng: np.random.Generator, known_share: float = 0.0
) -> Problem:
    """Make the copy's problem; an insider knows ``known_share`` of all labels. Class labels are class codes."""
    target = original.metric.kind.read_labels(copy.labels)
    metric, values = original.metric.for_classes(target.classes), target.values
    public: IntArray = np.flatnonzero(copy.is_public)
    briefing = brief_insider(rng, metric, values, classes=len(target.classes), known_share=known_share)
    unknown = np.flatnonzero(~np.isin(public, briefing.known_items))
    truth = Truth(metric, values[public], unknown, int(rng.integers(2**62)))
    return Problem(metric, briefing, values, public, lambda predictions: truth(predictions[public]))
