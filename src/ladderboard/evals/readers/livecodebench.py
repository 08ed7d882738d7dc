"""LiveCodeBench: ``output/MODEL/SCENARIO_N_TEMPERATURE_eval_all.json``, a record for each problem.

``graded_list`` says of each of the N answers whether it passed every test; they are repeats. The file without
``_eval_all`` holds answers that are not graded, and ``_eval.json`` numbers the problems instead of naming them.

Reference: LiveCodeBench/LiveCodeBench, lcb_runner/runner/main.py, utils/path_utils.py and benchmarks/.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "LiveCodeBench results"
UNGRADED = "its answers are not graded; run lcb_runner with --evaluate and give …_eval_all.json"
GRADED = "_eval_all"
_BEGIN = re.compile(r'\A\s*\[\s*\{\s*"question_(?:title|id)"\s*:')
_ANSWERS = re.compile(r'"(?:output_list|code_list|pred_list)"\s*:')
_FILE = re.compile(
    r"(?:Scenario\.)?(?P<scenario>[a-z]+)_(?P<n>\d+)_(?P<temperature>[\d.]+?)(?P<cot>_cot)?(?:_eval_all)?"
)


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds problems with answers."""
    return path.suffix == ".json" and bool(_BEGIN.search(opening) and _ANSWERS.search(opening))


def belongs_to_run(path: Path) -> bool:
    """Whether a file has the answers or the means of the graded file beside it."""
    stem = path.stem.removesuffix("_eval")
    return path.suffix == ".json" and GRADED not in stem and path.with_name(f"{stem}{GRADED}.json").is_file()


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file: whether each answer to each problem passed."""
    read = {path: read_document(path) for path in paths}
    graded = {path: records for path, records in read.items() if any(one.get("graded_list") for one in records)}
    left = [(f"{path.parent.name}/{path.name}", UNGRADED) for path in read if path not in graded]
    if not graded:
        raise InputError(f"{left[0][0]}: {UNGRADED}")
    settings = [_read_settings(path) for path in graded]
    tasks = [str(one.get("scenario") or path.stem) for one, path in zip(settings, graded, strict=True)]
    systems = tell_apart([path.parent.name for path in graded], settings, within=tasks)
    runs = [
        _make_run(path, records, system, task, options.groups_column)
        for (path, records), system, task in zip(graded.items(), systems, tasks, strict=True)
    ]
    return runs, [*collect_left_out("file", left)]


def _read_settings(path: Path) -> dict[str, Any]:
    """Scenario and temperature in a file's name; N is the number of repeats."""
    named = _FILE.fullmatch(path.stem)
    return {key: named[key] for key in ("scenario", "temperature", "cot")} if named else {}


def _name_item(record: dict[str, Any]) -> str:
    """A problem; in the scenarios of single tests and executions the one of these."""
    if "id" in record:
        return str(record["id"])
    return f"{record['question_id']}/{record['test_id']}" if "test_id" in record else str(record["question_id"])


def _make_run(path: Path, records: list[dict[str, Any]], system: str, task: str, column: str | None) -> Run:
    answers = [(record, passed) for record in records for passed in record.get("graded_list") or (None,)]
    return Run(
        system=system,
        file=f"{path.parent.name}/{path.name}",
        items=tuple(_name_item(record) for record, _ in answers),
        scores={"passed": np.array([np.nan if passed is None else float(passed) for _, passed in answers])},
        task=task,
        higher_is_better={"passed": True},
        groups=None if column is None else tuple(_read_group(path, record, column) for record, _ in answers),
    )


def _read_group(path: Path, record: dict[str, Any], column: str) -> str:
    if column not in record:
        raise InputError(
            f"{path.name}: a problem has no field {column!r} (--groups-column); it has {', '.join(record)}"
        )
    return str(record[column])
