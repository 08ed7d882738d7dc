"""`ladderboard passes`: pass@k and pass^k of repeated runs, with their intervals."""

import json
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.console import make_console
from ladderboard.cli._shared.matrix_options import add_matrix_argument, read_matrix, reading_to_json, show_reading
from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix
from ladderboard.inference.repeats import pass_at_k, pass_hat_k
from ladderboard.inference.score_intervals import score_intervals


@click.command()
@add_matrix_argument
@click.option("-k", "ks", type=click.IntRange(min=1), multiple=True, help="Repeatable.  [default: 1, 2, 4 … all runs]")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of each interval.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def passes(*, ks: tuple[int, ...], confidence: float, as_json: bool, **options: Any) -> None:
    r"""Show pass@k (one of k runs is right) and pass^k (all of k are) of the repeated runs in MATRIX, with intervals.

    Each interval holds alone, over items like these; --pass-at K and --pass-hat K of ranks, compare and report rank and
    compare systems by them.

    \b
    Example:
      ladderboard passes inspect-logs/
      ladderboard passes runs.csv --kind correct -k 1 -k 8 --json
    """
    results = read_matrix(**options)
    if results.repeats is None:
        raise InputError("there is one run of each system on each item; pass@k needs several (--reruns repeats)")
    rows = [
        (system, k, name, score, interval)
        for k in ks or _list_sizes(int(results.repeats.counts.min()))
        for name, measured in ((f"pass@{k}", pass_at_k(results, k)), (f"pass^{k}", pass_hat_k(results, k)))
        for system, score, interval in _measure(measured, confidence)
    ]
    if as_json:
        names = ("system", "k", "measure", "score", "interval")
        click.echo(
            json.dumps({"passes": [dict(zip(names, row, strict=True)) for row in rows], **reading_to_json(results)})
        )
        return
    show_reading(results)
    _show(results, rows)


def _list_sizes(runs: int) -> list[int]:
    """Powers of two, and all runs.

    >>> _list_sizes(10)
    [1, 2, 4, 8, 10]
    """
    sizes = [2**power for power in range(runs.bit_length()) if 2**power < runs]
    return [*sizes, runs]


def _measure(results: LossMatrix, confidence: float) -> list[tuple[str, float, tuple[float, float]]]:
    intervals = [(1 - high, 1 - low) for low, high in score_intervals(results, confidence)]
    return list(zip(results.systems, results.scores.tolist(), intervals, strict=True))


def _show(results: LossMatrix, rows: list[tuple[str, int, str, float, tuple[float, float]]]) -> None:
    table = Table("system", "k", "pass@k", "interval", "pass^k", "interval", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    cells = {(system, name): (f"{score:.4f}", f"{low:.3f}–{high:.3f}") for system, _, name, score, (low, high) in rows}
    for system in results.systems:
        for k in dict.fromkeys(k for _, k, *_ in rows):
            table.add_row(Text(system), f"{k}", *cells[system, f"pass@{k}"], *cells[system, f"pass^{k}"])
    make_console().print(table)
