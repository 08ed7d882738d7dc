"""`ladderboard compare`: is the new system better than the old one?"""

import json
import sys
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.analysis.compare import PairedComparison, compare
from ladderboard.analysis.compare_words import (
    describe_power,
    describe_sources,
    list_changes,
    list_parts,
    render_markdown,
)
from ladderboard.cli._shared.console import make_console
from ladderboard.cli._shared.matrix_options import add_matrix_options, read_matrix, reading_to_json, show_reading
from ladderboard.core.errors import InputError, ParameterError
from ladderboard.evals import LossMatrix
from ladderboard.evals.joining import join_results

EXIT_CODES = {"better": 0, "not worse": 0, "worse": 1, "not proven": 3}
SHOWN_PARTS = 20


@click.command("compare")
@click.argument("given", nargs=-1, required=True, metavar="(RESULTS NEW OLD | NEW_RESULTS OLD_RESULTS)")
@add_matrix_options
@click.option("--margin", type=float, help="Ask whether NEW is not worse by this much, in the unit of the scores.")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of the interval.")
@click.option(
    "--items", "shown", default=5, show_default=True, type=click.IntRange(min=0), help="Items named, each way."
)
@click.option("--markdown", is_flag=True, help="Print a table for a pull request.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare_command(
    *,
    given: tuple[str, ...],
    margin: float | None,
    confidence: float,
    shown: int,
    markdown: bool,
    as_json: bool,
    **options: Any,
) -> None:
    r"""Compare two systems on the same items: the difference, its interval, and which items were won and lost.

    RESULTS is a table or a harness's folder that holds both systems, NEW and OLD their names; or give two paths, one
    for each. A name with * or ? stands for several seeds of one system: the variance between them is part of the error.

    Ends with 0 if NEW is better (with --margin: not worse), 3 if nothing is proven, 1 if NEW is worse; 2 is bad input.

    \b
    Example:
      ladderboard compare lm-eval-results/ ours baseline --metric acc
      ladderboard compare new-run/ old-run/ --metric acc --markdown
      ladderboard compare scores.csv 'ours-seed*' 'base-seed*' --kind correct
      ladderboard compare inspect-logs/ candidate production --margin 0.01
    """
    results, new, old = _read(given, options)
    found = compare(results, new, old, margin=margin, confidence=confidence, shown=shown)
    if as_json:
        click.echo(json.dumps({**to_json(found), **reading_to_json(results)}))
    elif markdown:
        click.echo(render_markdown(found, notes=results.notes), nl=False)
    else:
        show_reading(results)
        _show(found)
    sys.exit(EXIT_CODES[found.verdict])


def _read(given: tuple[str, ...], options: dict[str, Any]) -> tuple[LossMatrix, list[str], list[str]]:
    if len(given) == 3:
        results = read_matrix(Path(given[0]), **options)
        return results, _find_systems(results, given[1]), _find_systems(results, given[2])
    if len(given) != 2:
        raise ParameterError("give RESULTS NEW OLD (a path and two names), or NEW_RESULTS OLD_RESULTS (two paths)")
    missing = options.pop("missing")
    both = [read_matrix(Path(path), missing="error" if missing == "error" else missing, **options) for path in given]
    results = join_results(*both, missing=missing.replace("-", "_"))
    return results, [results.systems[0]], [results.systems[1]]


def _find_systems(results: LossMatrix, name: str) -> list[str]:
    """The system of this name, or all that a pattern fits."""
    if name in results.systems:
        return [name]
    found = [system for system in results.systems if fnmatchcase(system, name)] if set(name) & set("*?") else []
    if not found:
        results.select([name])  # raises, with the names there are
        raise InputError(f"no system is called {name!r}")
    return found


def to_json(found: PairedComparison) -> dict[str, Any]:
    """Everything about a comparison, as JSON."""
    return {
        **{key: value for key, value in asdict(found).items() if key != "measure"},
        "measure": found.measure.name,
        "lower_is_better": found.measure.lower_is_better,
        "resolved_gap": found.resolved_gap,
        "sentence": found.sentence(),
    }


def _show(found: PairedComparison) -> None:
    click.echo(found.sentence())
    for line in (*describe_sources(found), describe_power(found)):
        if line:
            click.echo(line)
    console = make_console()
    head = (found.old, found.new, "difference", f"{100 * found.confidence:g} % interval")
    for word, parts in (("task", found.by_task), ("group", found.by_group)):
        if parts:
            click.echo(f"\nBy {word}" + (" (the intervals hold for all tasks at once):" if word == "task" else ":"))
            console.print(_table((word, "items", *head), list_parts(found, parts)[:SHOWN_PARTS]))
            if len(parts) > SHOWN_PARTS:
                click.echo(f"… and {len(parts) - SHOWN_PARTS} more {word}s (--json has all)")
    for title, changes in (("won", found.largest_wins), ("lost", found.largest_losses)):
        if changes:
            click.echo(f"\nItems {title}, the largest differences first:")
            console.print(_table(("item", *head[:2]), list_changes(found, changes)))


def _table(head: tuple[str, ...], rows: list[list[str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column, name in enumerate(head):
        table.add_column(Text(name), justify="left" if column == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
