"""A competition's solution as bytes that a server keeps: labels, split, metric and how submissions are read.

What is kept does not depend on the folder any more, so that a folder may change, lag behind or be read-only.
"""

import json
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.competition.metric_choice import find_scorer_source, load_metric
from ladderboard.competition.model import Competition, Rules, Solution, SolutionSettings
from ladderboard.competition.rows_scoring import bind_rows
from ladderboard.competition.rules.rules_json import rules_from_json, rules_to_json
from ladderboard.competition.sample_file import SampleFile
from ladderboard.competition.submission_format import make_format
from ladderboard.mechanisms import make_mechanism
from ladderboard.scoring.solution_files import SolutionFiles

ARRAYS = ("ids", "labels", "usage", "weight", "group")


def pack_solution(competition: Competition) -> bytes:
    """Pack all that the digest of a solution covers, with the rules as they are now."""
    solution, content = competition.solution, BytesIO()
    facts: dict[str, Any] = {
        "rules": rules_to_json(competition.rules),
        "columns": [solution.id_column, *solution.label_columns],
        "predictions": competition.format.prediction_columns,
        "shows_classes": competition.format.shows_classes,
        "settings": asdict(competition.solution_settings),
        "metric_source": competition.metric_source,
    }
    arrays: dict[str, Any] = {name: getattr(solution, name) for name in ARRAYS}
    if competition.solution_files is not None and competition.sample is not None:
        facts["sample"] = competition.sample.name
        arrays["sample"] = np.frombuffer(competition.sample.content, np.uint8)
        arrays["files"] = np.frombuffer(competition.solution_files.packed, np.uint8)
    for name, files in (("inputs", competition.inputs), ("sample_inputs", competition.sample_inputs)):
        if files is not None:
            arrays[name] = np.frombuffer(files.packed, np.uint8)
    present = {name: values for name, values in arrays.items() if values is not None}
    assert all(values.dtype != object for values in present.values()), "it could not be read again"
    np.savez_compressed(content, facts=np.array(json.dumps(facts)), **present)
    return content.getvalue()


def unpack_solution(
    content: bytes, *, rules: Rules | None = None, folder: Path | None = None, description: str = ""
) -> Competition:
    """The competition with the solution that was packed, under these rules; None: those that were packed with it."""
    with np.load(BytesIO(content), allow_pickle=False) as packed:
        facts = json.loads(str(packed["facts"]))
        arrays = {name: packed[name] for name in ARRAYS if name in packed}
        sample = SampleFile(facts["sample"], packed["sample"].tobytes()) if "sample" in packed else None
        files, inputs, sample_inputs = (
            SolutionFiles(packed[name].tobytes()) if name in packed else None
            for name in ("files", "inputs", "sample_inputs")
        )
    solution = Solution(id_column=facts["columns"][0], label_columns=tuple(facts["columns"][1:]), **arrays)
    rules = rules_from_json(facts["rules"]) if rules is None else rules
    metric = load_metric(rules, folder, source=facts["metric_source"])
    shape = make_format(metric, solution, limits=rules.limits, columns=tuple(facts["predictions"]))
    competition = Competition(
        rules=rules,
        solution=solution,
        metric=metric,
        mechanism=make_mechanism(rules.mechanism, **rules.mechanism_parameters),
        format=replace(shape, shows_classes=facts["shows_classes"]),
        description=description,
        folder=folder,
        metric_source=facts["metric_source"],
        solution_settings=_read_settings(facts["settings"]),
        scorer_source=find_scorer_source(rules, facts["metric_source"]),
        solution_files=files,
        sample=sample,
        inputs=inputs,
        sample_inputs=sample_inputs,
    )
    return bind_rows(competition)


def _read_settings(record: dict[str, Any]) -> SolutionSettings:
    lists = {name: tuple(value) for name, value in record.items() if isinstance(value, list)}
    return SolutionSettings(**(record | lists))
