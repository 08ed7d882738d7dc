"""`ladderboard audit-records`: which claimed records on a board are real."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.analysis.records_audit import RecordsAudit, audit_scores
from ladderboard.analysis.records_audit import audit_records as audit_losses
from ladderboard.cli._shared.console import make_console
from ladderboard.cli._shared.matrix_options import (
    MATRIX_OPTIONS,
    add_optional_matrix_argument,
    read_matrix,
    read_names,
    reading_to_json,
    show_reading,
)
from ladderboard.core.errors import ParameterError
from ladderboard.drawing.names import shorten_names
from ladderboard.evals import Board, LossMatrix, read_board
from ladderboard.evals.score_columns import refuse_no_mean
from ladderboard.figures.records import save_records
from ladderboard.inference.measure import Measure
from ladderboard.mechanisms import MECHANISMS

FILE = click.Path(dir_okay=False, path_type=Path)
OTHER_COLUMNS = 66
"""The most characters that the columns beside the system's name take."""


@click.command("audit-records")
@add_optional_matrix_argument
@click.option("--order", metavar="NAMES", help="The systems in order of time: a,b,c or a file with one name per line.")
@click.option("--scores", type=FILE, help="Instead of MATRIX: a table with one row per board entry.")
@click.option("--score-column", metavar="NAME", help="With --scores: the column of scores.")
@click.option("--team-column", metavar="NAME", help="With --scores: the column that names the entries.")
@click.option(
    "--order-column",
    metavar="NAME",
    help="With --scores: the column of dates or numbers to sort by.  [default: file order]",
)
@click.option(
    "--system-column",
    metavar="NAME",
    help="With --scores: rows with the same name here are re-evaluations of one system; their mean counts, once.",
)
@click.option("--percent", is_flag=True, help="With --scores: they are percentages, 87.5 instead of .875.")
@click.option("--is-accuracy", is_flag=True, help="With --scores: shares of right answers, whatever the column's name.")
@click.option(
    "--variants",
    metavar="NAME",
    help="With --scores: the column that says how many variants an entry is the best of.",
)
@click.option("--test-size", type=click.IntRange(min=2), metavar="N", help="With --scores: the number of test items.")
@click.option(
    "--bounds", type=(float, float), help="With --scores: the lowest and highest possible score.  [default: 0 1]"
)
@click.option(
    "--correlation", type=float, help="With --scores: between two entries' item scores.  [default: 0, cautious]"
)
@click.option("--step-size", type=float, help="With --scores: the Ladder's step size.  [default: from Theorem 3.1]")
@click.option("--mechanism", "mechanisms", multiple=True, help="With MATRIX: a ladder to apply; repeatable.")
@click.option(
    "--repeats",
    is_flag=True,
    help="With MATRIX: runs vary; count that, and deduct each record's luck before the next is judged.",
)
@click.option("--alpha", default=0.05, show_default=True, help="The significance level, Holm-corrected.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the ladders' secret splits."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--figure", type=FILE, help="Draw the claimed and accepted records (.svg, .png, .pdf).")
def audit_records(
    *, matrix: Path | None, scores: Path | None, alpha: float, as_json: bool, figure: Path | None, **options: Any
) -> None:
    r"""Check which claimed records on a board are real, and which a ladder would have accepted.

    MATRIX is a table with a row for each item and a column for each system, in order of time, or a harness's folder.
    Each record is tested against the one before it on the same items. If you know only the scores, use --scores and
    --test-size.

    \b
    Example:
      ladderboard audit-records losses.csv --kind losses --order baseline,ours,theirs
      ladderboard audit-records predictions.csv --kind predictions --labels-column label --figure records.svg
      ladderboard audit-records scores.csv --kind correct --seed-column seed --repeats
      ladderboard audit-records --scores board.csv --score-column accuracy --order-column date --test-size 10000
    """
    if (matrix is None) == (scores is None):
        raise ParameterError(
            "give either MATRIX, a file of items × systems, or --scores, a file with one row per entry"
        )
    losses = None if matrix is None else _read_losses(matrix, options)
    board = None if scores is None else _read_scores(scores, options)
    audit, measure = _audit_scores(board, alpha, options) if board else _audit_losses(losses, alpha, options)
    order = _describe_order(board, losses, options)
    if figure is not None:
        save_records(audit, figure, measure=measure)
    if as_json:
        results = losses or board
        reading = {} if results is None else reading_to_json(results)
        click.echo(json.dumps({**_to_json(audit, measure), "order": order, **reading}, allow_nan=False))
        return
    if losses is not None:
        show_reading(losses)
    _show(audit, measure)
    click.echo(order)


SCORE_OPTIONS = (
    "score_column",
    "team_column",
    "order_column",
    "system_column",
    "variants",
    "test_size",
    "bounds",
    "correlation",
    "step_size",
    "percent",
)
ONLY_WITH_MATRIX = (
    *("labels_column", "metric", "items_column", "groups_column", "tasks_column", "systems", "table"),
    *("order", "mechanisms", "repeats"),
)


def _read_losses(matrix: Path, options: dict[str, Any]) -> LossMatrix:
    """Read the matrix, its systems in the order of time."""
    _refuse_stray([name for name in SCORE_OPTIONS if options[name] not in (None, False)], "with --scores")
    losses = read_matrix(matrix, **{name: options[name] for name in MATRIX_OPTIONS})
    return losses if options["order"] is None else losses.select(read_names(options["order"]))


def _audit_losses(losses: LossMatrix | None, alpha: float, options: dict[str, Any]) -> tuple[RecordsAudit, Measure]:
    assert losses is not None
    ladders, seed = options["mechanisms"] or None, options["seed"]
    audit = audit_losses(losses, alpha=alpha, ladders=ladders, repeats=options["repeats"], seed=seed)
    return audit, losses.measure


def _read_scores(scores: Path, options: dict[str, Any]) -> Board:
    """Read the board of scores, its entries in the order of time."""
    _refuse_stray([name for name in ONLY_WITH_MATRIX if options[name]], "with MATRIX")
    if options["score_column"] is None or options["test_size"] is None:
        raise ParameterError("--scores needs --score-column and --test-size")
    if options["missing"] == "worst":
        raise ParameterError(
            "--missing worst does not work with --scores; use --missing drop-items to leave out entries without a score"
        )
    board = read_board(
        scores,
        options["score_column"],
        team_column=options["team_column"],
        order_column=options["order_column"],
        system_column=options["system_column"],
        variants_column=options["variants"],
        bounds=options["bounds"] or (0.0, 1.0),
        percent=options["percent"],
        missing="error" if options["missing"] == "error" else "drop",
    )
    refuse_no_mean(scores.name, options["score_column"], is_accuracy=options["is_accuracy"])
    return board


def _audit_scores(board: Board, alpha: float, options: dict[str, Any]) -> tuple[RecordsAudit, Measure]:
    bounds, lower_is_better = options["bounds"] or (0.0, 1.0), options["higher_is_better"] is False
    audit = audit_scores(
        board.scores,
        options["test_size"],
        systems=board.teams,
        lower_is_better=lower_is_better,
        bounds=bounds,
        correlation=options["correlation"] or 0.0,
        alpha=alpha,
        step_size=options["step_size"],
        batches=board.order,
        variants=board.variants,
    )
    return audit, Measure(options["score_column"], None if lower_is_better else 0.0)


def _describe_order(board: Board | None, losses: LossMatrix | None, options: dict[str, Any]) -> str:
    """Say which order of time was taken, and which entries are one batch."""
    if board is None:
        dates = None if losses is None else losses.dates
        if options["order"] is not None:
            return "Order of time: as --order says."
        if dates is None:
            return "Order of time: as the systems stand in the file; --order gives another one."
        days = f"{dates[0][:10]} to {dates[-1][:10]}"
        return f"Order of time: by the dates of the runs, {days}; runs of one day are one batch."
    said = " ".join(f"{note}." for note in board.notes)
    if board.order is None:
        return f"Order of time: as the rows stand in the file; --order-column sorts them. {said}".rstrip()
    shared = len(board.order) - len(set(board.order))
    span = f"by {options['order_column']!r}, {board.order[0]} to {board.order[-1]}"
    batches = (
        f"entries with the same one are one batch ({shared} beside the first)" if shared else "no two are the same"
    )
    return f"Order of time: {span}; {batches}. {said}".rstrip()


def _refuse_stray(names: list[str], belongs: str) -> None:
    """Refuse options that would silently have no effect."""
    if names:
        option = names[0].rstrip("s") if names[0] == "mechanisms" else names[0]
        raise ParameterError(f"--{option.replace('_', '-')} works only {belongs}")


def _show(audit: RecordsAudit, measure: Measure) -> None:
    console = make_console()
    if audit.claims:
        console.print(_table(audit, measure, console.width))
    console.print(audit.sentence(), soft_wrap=True, markup=False)


def _table(audit: RecordsAudit, measure: Measure, width: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("record", overflow="fold")
    has_luck = any(claim.luck_before for claim in audit.claims)
    for column in (measure.name, "gain", *(["luck before"] if has_luck else []), "p", "p (Holm)"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("real?", no_wrap=True)
    table.add_column("accepted by")
    names = shorten_names([claim.system for claim in audit.claims], max(12, width - OTHER_COLUMNS))
    for claim, name in zip(audit.claims, names, strict=True):
        table.add_row(
            Text(name),
            measure.format_score(measure.score(claim.loss)),
            measure.format_score(claim.improvement),
            *([measure.format_score(claim.luck_before)] if has_luck else []),
            f"{claim.p_value:.2g}",
            f"{claim.adjusted_p_value:.2g}",
            "yes" if claim.is_real else "no",
            _list_accepting(claim.accepted_by, asked=len(audit.boards)),
        )
    return table


def _list_accepting(names: tuple[str, ...], *, asked: int) -> str:
    if 1 < asked == len(names):
        return "all"
    return ", ".join(MECHANISMS[name].label if name in MECHANISMS else name for name in names) or "none"


def _to_json(audit: RecordsAudit, measure: Measure) -> dict[str, Any]:
    """Convert an audit to JSON; scores in the measure's own direction, ``improvement`` positive."""
    claims = []
    for claim in audit.claims:
        record = asdict(claim)
        claims.append({"system": record.pop("system"), "score": measure.score(record.pop("loss")), **record})
    boards = {
        name: [None if loss is None else measure.score(loss) for loss in board] for name, board in audit.boards.items()
    }
    return {
        "measure": measure.name,
        "alpha": audit.alpha,
        "claimed": len(audit.claims),
        "real": len(audit.survivors),
        "claims": claims,
        "entries": [
            {"system": system, "score": measure.score(loss)}
            for system, loss in zip(audit.systems, audit.losses, strict=True)
        ],
        "boards": boards,
        "sentence": audit.sentence(),
    }
