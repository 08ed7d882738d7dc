"""Writing of outcomes: tables (CSV, Parquet), a figure (SVG, PNG, PDF) and a verdict (JSON), reproducibly."""

import csv
import inspect
import io
import json
import platform
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard_lab.experiments.base import Cell, Conditions, Experiment, ExperimentResult, ResultTable
from ladderboard_lab.experiments.deciding import VERDICT_LEVEL
from ladderboard_lab.experiments.estimates import Estimate
from ladderboard_lab.foreign_code import digest_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#20252b"
PAPER = "#fffffe"
"""Colours of the figures' text and background; unlike any other, so that a page can replace them by its own."""

COLOURS = ("#1f6fb4", "#d1495b", "#3a8f5c", "#b7791f", "#7a5ea8", "#4c8c9b", "#9a6a4f")
"""Told apart by most colour-blind readers, and visible on light and on dark."""

RELEVANT = ("ladderboard", "numpy", "scipy", "scikit-learn", "ruptures", "matplotlib")
"""The packages whose versions are recorded: numbers or figures depend on them."""


@dataclass(frozen=True)
class Written:
    """A written outcome: the record of its JSON file, its figure and its table (cells as text where it was read)."""

    record: dict[str, Any]
    svg: str
    table: ResultTable
    elapsed_seconds: float


def write(
    experiment: Experiment, outcome: ExperimentResult, folder: Path, *, conditions: Conditions, elapsed_seconds: float
) -> Written:
    """Write all files of an outcome into the folder, which is made where it is missing.

    ``<id>.csv``, ``.svg``, ``.png``, ``.pdf``, ``.json``; where there are repetitions also ``<id>.raw.csv``, and
    ``.raw.parquet`` where Polars is installed. The JSON file goes first and comes last: it says that the others are
    complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name, command = experiment.id, format_command(experiment, conditions)
    (folder / f"{name}.json").unlink(missing_ok=True)
    (folder / f"{name}.csv").write_text(table_csv(outcome.table), encoding="utf-8")
    _write_raw(outcome.raw, folder, name)
    drawn = draw_figure(outcome.draw, size=outcome.size, salt=name)
    for suffix, content in drawn.items():
        (folder / f"{name}.{suffix}").write_bytes(content)
    record = make_record(experiment, outcome, conditions, command)
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return Written(record, drawn["svg"].decode(), outcome.table, elapsed_seconds)


def read_written(experiment: Experiment, folder: Path, conditions: Conditions) -> Written | None:
    """Read what an earlier run wrote, if it was made by the same command, versions and files; None if not."""
    stem = folder / experiment.id
    try:
        record = json.loads((folder / f"{experiment.id}.json").read_text(encoding="utf-8"))
        if (
            not {"decision", "errors", "level"} <= set(record)
            or record["command"] != format_command(experiment, conditions)
            or record["versions"] != list_versions()
        ):
            return None
        if record.get("inputs", {}) != list_inputs(experiment, conditions):
            return None
        with Path(f"{stem}.csv").open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        svg = Path(f"{stem}.svg").read_text(encoding="utf-8")
    except (OSError, ValueError, KeyError):
        return None
    return Written(record, svg, ResultTable(tuple(header), [tuple(row) for row in rows]), 0.0)


def format_command(experiment: Experiment, conditions: Conditions) -> str:
    """Spell the command that reproduces the outcome.

    >>> experiment = Experiment("neto-fig6", "", "Neto", "", run=lambda conditions: None)
    >>> format_command(experiment, Conditions(seed=3, quick=True))
    'ladderboard lab reproduce neto-fig6 --quick --seed 3'
    """
    words = ["ladderboard", "lab", "reproduce", Path(experiment.place).name or experiment.id]
    words += ["--quick"] if conditions.quick else []
    words += ["--repetitions", str(conditions.repetitions)] if conditions.repetitions is not None else []
    words += ["--seed", str(conditions.seed)] if conditions.seed else []
    if experiment.takes_data and conditions.data is not None:
        words += ["--data", conditions.data.name, "--target", str(conditions.target)]
    words += ["--shared", conditions.shared.name] if conditions.shared is not None else []
    words += ["--control", conditions.control] if conditions.control is not None else []
    return shlex.join(words)


def table_csv(table: ResultTable) -> str:
    """Convert the table to CSV text; numbers with six significant digits, nothing for None."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([format_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def format_cell(cell: Cell) -> str:
    """Format a cell as text.

    >>> format_cell(0.123456789), format_cell(1785), format_cell(True), format_cell(None)
    ('0.123457', '1785', 'yes', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def make_record(
    experiment: Experiment, outcome: ExperimentResult, conditions: Conditions, command: str
) -> dict[str, Any]:
    """The verdict and everything needed to run it again elsewhere."""
    verdict = outcome.verdict
    return {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "claim": experiment.claim,
        "stand_in": experiment.stand_in,
        "command": command,
        "control": conditions.control,
        "size": "quick" if conditions.quick else "full",
        "seed": conditions.seed,
        "holds": verdict.holds,
        "decision": verdict.decision,
        "level": VERDICT_LEVEL,
        "checks": [
            {
                "kind": check.kind,
                "statement": check.statement,
                "decision": check.decision,
                "evidence": [str(one) for one in check.evidence],
                "caveat": check.caveat,
            }
            for check in verdict.checks
        ],
        "sentence": verdict.sentence,
        "lists_repetitions": outcome.raw is not None,
        "numbers": {name: float(number) for name, number in verdict.numbers.items()},
        "errors": {name: one.error for name, one in verdict.numbers.items() if isinstance(one, Estimate)},
        "versions": list_versions(),
        "inputs": list_inputs(experiment, conditions),
    }


def list_inputs(experiment: Experiment, conditions: Conditions) -> dict[str, str]:
    """The files of the user that the outcome depends on, each with a digest of its content."""
    own = [] if experiment.run.__module__.startswith("ladderboard_lab.") else [Path(inspect.getfile(experiment.run))]
    data = [conditions.data] if experiment.takes_data and conditions.data is not None else []
    return {file.name: digest_file(file) for file in (*own, *data)}


def list_versions() -> dict[str, str]:
    """The versions of Python and of the packages that numbers or figures depend on."""
    found = {"python": platform.python_version()}
    for package in RELEVANT:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def draw_figure(draw: Callable[["Figure"], None], *, size: tuple[float, float], salt: str) -> dict[str, bytes]:
    """Draw a figure as SVG, PNG and PDF, without dates or random names."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    undated: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    with mpl.rc_context({**_style(), "svg.hashsalt": salt}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        drawn = {}
        for suffix, metadata in undated.items():
            file = io.BytesIO()
            figure.savefig(file, format=suffix, dpi=120, metadata=metadata)
            drawn[suffix] = file.getvalue()
    return drawn


def _write_raw(raw: ResultTable | None, folder: Path, name: str) -> None:
    if raw is None:
        return
    (folder / f"{name}.raw.csv").write_text(table_csv(raw), encoding="utf-8")
    if find_spec("polars") is not None:
        import polars

        columns = {column: raw.column(column) for column in raw.columns}
        polars.DataFrame(columns, strict=False).write_parquet(folder / f"{name}.raw.parquet")


def _style() -> dict[Any, Any]:
    from cycler import cycler

    return {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9.0,
        "axes.titlesize": 9.0,
        "axes.labelsize": 9.0,
        "xtick.labelsize": 8.0,
        "ytick.labelsize": 8.0,
        "legend.fontsize": 8.0,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": INK,
        "grid.alpha": 0.12,
        "axes.prop_cycle": cycler(color=COLOURS),
        # Text stays text: a page can give it its own colour, and a reader can search for it.
        "svg.fonttype": "none",
        "figure.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "axes.facecolor": "none",
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color"), INK
        ),
    }
