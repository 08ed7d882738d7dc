"""HELM: ``per_instance_stats.json`` of each run, with ``run_spec.json`` beside it.

A run is one model on one scenario. Its file has, for each metric, instance, trial and perturbation, the statistics of
that instance; the mean of one is its score, and trials are repeats. Perturbed instances are left out: they are the same
items again. Where helm-summarize has left only ``display_predictions.json``, its statistics are taken, and the splits
from ``instances.json`` beside it.

Reference: stanford-crfm/helm 0.5.16, benchmark/runner.py, metrics/metric.py (PerInstanceStats) and
presentation/run_display.py (DisplayPrediction); compared with files that this version wrote.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document
from ladderboard.evals.runs import Run

NAME = "HELM per_instance_stats.json"
NO_SCORES = re.compile(
    r"^(num|max_num|inference|training|logprob|prompt|estimated|finish_reason|ece|platt|selective)_|^logprob$|_runtime$"
    r"|^max_prob$|^batch_size$|^predicted_index$"
)
"""Statistics of a run that are no scores of the answer."""
PERTURBED = "perturbed: the same instances again"
OTHER_SPLIT = "not of the test split"
_MODEL = re.compile(r",?\bmodel=(?P<model>[^,]+)")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds statistics of instances."""
    return (
        path.suffix == ".json"
        and opening.lstrip().startswith("[")
        and '"instance_id"' in opening
        and '"stats"' in opening
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file, and notes on what was left out."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: HELM's statistics of instances have no groups; leave --groups-column out")
    notes: list[str] = []
    left: list[tuple[str, str]] = []
    runs = [_read_run(path, notes, left) for path in paths]
    if not any(run.scores for run in runs):
        raise InputError(f"{runs[0].file} has no score of its instances")
    unscored = [(run.file, "it has no score of its instances") for run in runs if not run.scores]
    return [run for run in runs if run.scores], [
        *dict.fromkeys(notes),
        *collect_left_out("instance", left),
        *collect_left_out("file", unscored),
    ]


def _read_run(path: Path, notes: list[str], left: list[tuple[str, str]]) -> Run:
    model, task = _find_names(path)
    every = read_document(path)
    entries = [entry for entry in every if not entry.get("perturbation")]
    left += [(f"{task}/{entry['instance_id']}", PERTURBED) for entry in every if entry.get("perturbation")]
    entries = _keep_test_split(path, task, entries, notes, left)
    scores: dict[str, list[float]] = {}
    for row, entry in enumerate(entries):
        for name, value in _list_means(entry["stats"]):
            number = as_number(value)
            if number is not None and not NO_SCORES.search(name):
                scores.setdefault(name, [float("nan")] * len(entries))[row] = number
    return Run(
        system=model,
        file=f"{path.parent.name}/{path.name}",
        items=tuple(str(entry["instance_id"]) for entry in entries),
        scores={name: np.array(numbers) for name, numbers in scores.items()},
        task=task,
    )


def _list_means(stats: Any) -> list[tuple[str, Any]]:
    """The name and mean of each statistic of an instance; those for display have only these two."""
    return (
        list(stats.items()) if isinstance(stats, dict) else [(stat["name"]["name"], stat.get("mean")) for stat in stats]
    )


def _keep_test_split(
    path: Path, task: str, entries: list[dict[str, Any]], notes: list[str], left: list[tuple[str, str]]
) -> list[dict[str, Any]]:
    """The instances of the test split where there is one: HELM scores the validation split beside it."""
    by_id = _read_splits(path)
    is_test = ["test" in _find_splits(entry, by_id) for entry in entries]
    if not by_id and any(isinstance(entry["stats"], dict) for entry in entries):
        notes.append(f"{task}: {path.name} does not say which instances are of the test split; all are taken")
    if not any(is_test):
        return entries
    left += [
        (f"{task}/{entry['instance_id']}", OTHER_SPLIT)
        for entry, is_kept in zip(entries, is_test, strict=True)
        if not is_kept
    ]
    return [entry for entry, is_kept in zip(entries, is_test, strict=True) if is_kept]


def _find_splits(entry: dict[str, Any], by_id: dict[str, str]) -> set[str | None]:
    """The split of an instance, named with each statistic, but not with those for display."""
    stats = entry["stats"]
    return (
        {by_id.get(entry["instance_id"])} if isinstance(stats, dict) else {stat["name"].get("split") for stat in stats}
    )


def _read_splits(path: Path) -> dict[str, str]:
    """The split of each instance by ``instances.json``, which helm-summarize writes; empty where it is not there."""
    instances = path.with_name("instances.json")
    found = read_document(instances) if instances.is_file() else []
    return {instance["id"]: instance["split"] for instance in found if instance.get("split")}


def _find_names(path: Path) -> tuple[str, str]:
    """The model and the scenario of a run: from its specification, else from the folder's name."""
    specification = path.with_name("run_spec.json")
    document = read_document(specification) if specification.is_file() else {}
    name = str(document.get("name") or path.parent.name)
    named = _MODEL.search(name)
    model = document.get("adapter_spec", {}).get("model") or (named and named["model"])
    if model is None:
        raise InputError(
            f"{path.parent.name}/{path.name}: the model is not known; put run_spec.json beside it, as HELM writes it"
        )
    return str(model), _MODEL.sub("", name).replace(":,", ":").rstrip(":")
