"""Folders of Kaggle: solution.csv with Usage, sample_submission.csv, and the metric as a notebook or a file."""

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

from ladderboard.competition.importers.bundle import Taken, read_page
from ladderboard.core.errors import InputError, ParameterError
from ladderboard.scoring.kinds import find_scorer_kind

SOLUTION, SAMPLE = "solution.csv", "sample_submission.csv"


def find_settings(root: Path) -> Path | None:
    """The solution, where a metric of Kaggle's kind lies beside it; None: it is none of this platform."""
    return root / SOLUTION if (root / SOLUTION).is_file() and _find_metric(root) is not None else None


def take(root: Path, into: Path, *, now: datetime, phase: str | None, sample: Path | None) -> Taken:  # noqa: ARG001 (one call for all)
    """Copy solution, sample, metric and data, and say what was taken; raises `InputError`."""
    found = _find_metric(root)
    assert found is not None, "it was recognised"
    path, source = found
    given = sample or root / SAMPLE
    if not given.is_file():
        raise InputError(f"there is no {SAMPLE}; give a valid submission with --sample")
    shutil.copyfile(root / SOLUTION, into / SOLUTION)
    shutil.copyfile(given, into / SAMPLE)
    (into / "metric.py").write_text(source)
    taken = Taken("Kaggle", root.name.replace("-", " ").capitalize())
    pages = [
        one
        for one in sorted(root.glob("*.md"))
        if one.name.lower() != "readme.md" or not (root / "description.md").is_file()
    ]
    taken.description = "\n\n".join(read_page(one).strip() for one in pages)
    used = {root / SOLUTION, given, path, *pages}
    for one in sorted(root.rglob("*")):
        if one.is_file() and one not in used and one.suffix not in (".py", ".ipynb"):
            target = into / "data" / one.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(one, target)
    taken.metric = {"file": "metric.py", "lower_is_better": False}
    taken.left.append("whether lower scores are better: taken as no; --lower-is-better says yes")
    taken.left.append("dates and limits: Kaggle keeps them in its settings")
    return taken


def _find_metric(root: Path) -> tuple[Path, str] | None:
    """The file with Kaggle's function, and its code."""
    for path in (*sorted(root.glob("*.py")), *sorted(root.glob("*.ipynb"))):
        source = path.read_text(encoding="utf-8", errors="replace") if path.suffix == ".py" else read_notebook(path)
        try:
            kind, _ = find_scorer_kind(source, "score")
        except ParameterError:
            continue
        if kind == "frames":
            return path, source
    return None


def read_notebook(path: Path) -> str:
    """The code of a notebook's cells, without the lines for the shell; empty where it is none."""
    try:
        cells: Any = json.loads(path.read_bytes()).get("cells", [])
        code = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
        lines = [line for one in code for line in ("".join(one) + "\n\n").splitlines()]
    except (ValueError, AttributeError, TypeError, KeyError):
        return ""
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!"))) + "\n"
