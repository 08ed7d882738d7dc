"""Writing of outcomes: a table (CSV), a figure (SVG and PNG) and a verdict (JSON), reproducibly."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladderboard_lab.experiments.base import Cell, Conditions, Experiment, Outcome, Table

INK = "#20252b"
PAPER = "#fffffe"
"""Colours of the figures' text and background; unlike any other, so that a page can replace them by its own."""

COLOURS = ("#1f6fb4", "#d1495b", "#3a8f5c", "#b7791f", "#7a5ea8", "#4c8c9b", "#9a6a4f")
"""Told apart by most colour-blind readers, and visible on light and on dark."""


@dataclass(frozen=True)
class Written:
    """An experiment and its written outcome."""

    experiment: Experiment
    outcome: Outcome
    svg: str
    command: str
    elapsed_seconds: float


def write(
    experiment: Experiment, outcome: Outcome, folder: Path, *, conditions: Conditions, elapsed_seconds: float
) -> Written:
    """Write ``<id>.csv``, ``.svg``, ``.png`` and ``.json`` into the folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    stem, command = folder / experiment.id, format_command(experiment, conditions)
    stem.with_suffix(".csv").write_text(table_csv(outcome.table), encoding="utf-8")
    svg, png = draw_figure(outcome, salt=experiment.id)
    stem.with_suffix(".svg").write_text(svg, encoding="utf-8")
    stem.with_suffix(".png").write_bytes(png)
    stem.with_suffix(".json").write_text(verdict_json(experiment, outcome, command), encoding="utf-8")
    return Written(experiment, outcome, svg, command, elapsed_seconds)


def format_command(experiment: Experiment, conditions: Conditions) -> str:
    """Spell the command that reproduces the outcome.

    >>> experiment = Experiment("neto-fig6", "", "Neto", "", run=lambda conditions: None)
    >>> format_command(experiment, Conditions(seed=3, quick=True))
    'ladderboard lab reproduce neto-fig6 --quick --seed 3'
    """
    words = ["ladderboard lab reproduce", experiment.id]
    words += ["--quick"] if conditions.quick else []
    words += ["--seed", str(conditions.seed)] if conditions.seed else []
    if experiment.takes_data and conditions.data is not None:
        words += ["--data", conditions.data.name, "--target", str(conditions.target)]
    words += ["--shared", conditions.shared.name] if conditions.shared is not None else []
    return " ".join(words)


def table_csv(table: Table) -> str:
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


def verdict_json(experiment: Experiment, outcome: Outcome, command: str) -> str:
    """Convert the verdict and its context to JSON."""
    record: dict[str, Any] = {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "claim": experiment.claim,
        "command": command,
        "holds": bool(outcome.verdict.holds),
        "sentence": outcome.verdict.sentence,
        "numbers": {name: float(number) for name, number in outcome.verdict.numbers.items()},
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def draw_figure(outcome: Outcome, *, salt: str) -> tuple[str, bytes]:
    """Draw the figure as SVG text and PNG bytes, without dates or random names."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({**_style(), "svg.hashsalt": salt}):
        figure = Figure(figsize=outcome.size, layout="constrained")
        FigureCanvasAgg(figure)
        outcome.draw(figure)
        svg, png = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=120, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


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
