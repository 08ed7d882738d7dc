"""`ladderboard audit-records`: which "new state of the art" steps of a board are real."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.matrix_options import may_take_loss_matrix, read_matrix
from ladderboard.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from ladderboard.analysis.records_audit import RecordsAudit
    from ladderboard.inference.measure import Measure

FILE = click.Path(dir_okay=False, path_type=Path)
OTHER_COLUMNS = 66
"""Characters that all columns but the system's name take, at most."""


@click.command("audit-records")
@may_take_loss_matrix
@click.option("--order", metavar="NAMES", help="The systems in the order of time: a,b,c or a file with one in a line.")
@click.option("--scores", type=FILE, help="Instead of MATRIX: a table with one row for each entry of the board.")
@click.option("--score-column", metavar="NAME", help="With --scores: the column of scores.")
@click.option("--team-column", metavar="NAME", help="With --scores: the column that names the entries.")
@click.option("--order-column", metavar="NAME", help="With --scores: dates or numbers.  [default: as in the file]")
@click.option("--test-size", type=click.IntRange(min=2), metavar="N", help="With --scores: how many test items.")
@click.option("--lower-is-better", is_flag=True, help="With --scores: a lower score is better.")
@click.option("--bounds", type=(float, float), help="With --scores: lowest and highest score.  [default: 0 1]")
@click.option("--correlation", type=float, help="With --scores: of two entries on the items.  [default: 0, careful]")
@click.option("--step-size", type=float, help="With --scores: the Ladder's step.  [default: Theorem 3.1's]")
@click.option("--mechanism", "mechanisms", multiple=True, help="With MATRIX: a ladder to ask; repeatable.")
@click.option("--alpha", default=0.05, show_default=True, help="The level of Holm's correction.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the ladders' secret splits.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
@click.option("--figure", type=FILE, help="Draw claimed and accepted records (.svg, .png, .pdf).")
def audit_records(
    *, matrix: Path | None, scores: Path | None, alpha: float, as_json: bool, figure: Path | None, **options: Any
) -> None:
    r"""Which records of a board can be told from luck, and which a ladder would have accepted.

    From MATRIX (.csv, .tsv, .parquet or .npz): items × systems, the columns in the order of time. Each record is
    tested on the same items as the record before it. Where only scores are known, --scores and --test-size suffice.

    \b
    Example:
      ladderboard audit-records losses.csv --order baseline,ours,theirs
      ladderboard audit-records predictions.csv --kind predictions --labels-column label --figure records.svg
      ladderboard audit-records --scores board.csv --score-column accuracy --order-column date --test-size 10000
    """
    if (matrix is None) == (scores is None):
        raise ParameterError(
            "give either MATRIX, a file of items × systems, or --scores, a file with one row for each entry"
        )
    audit, measure = _of_scores(scores, alpha, options) if scores else _of_losses(matrix, alpha, options)
    if figure is not None:
        from ladderboard.figures.records import save_records

        save_records(audit, figure, measure=measure)
    if as_json:
        click.echo(json.dumps(_as_json(audit, measure), allow_nan=False))
    else:
        _show(audit, measure)


SCORE_OPTIONS = ("score_column", "team_column", "order_column", "test_size", "bounds", "correlation", "step_size")
MATRIX_OPTIONS = ("labels_column", "metric", "items_column", "table", "order", "mechanisms")


def _of_losses(matrix: Path | None, alpha: float, options: dict[str, Any]) -> tuple["RecordsAudit", "Measure"]:
    from ladderboard.analysis.records_audit import audit_records

    assert matrix is not None
    stray = [name for name in SCORE_OPTIONS if options.pop(name) is not None]
    if options.pop("lower_is_better"):
        stray.append("lower_is_better")
    _refuse_stray(stray, "with --scores")
    order, mechanisms, seed = (options.pop(name) for name in ("order", "mechanisms", "seed"))
    losses = read_matrix(matrix=matrix, **options)
    if order is not None:
        losses = losses.select(_names_in_order(order))
    return audit_records(losses, alpha=alpha, ladders=mechanisms or None, seed=seed), losses.measure


def _of_scores(scores: Path, alpha: float, options: dict[str, Any]) -> tuple["RecordsAudit", "Measure"]:
    from ladderboard.analysis.records_audit import audit_scores
    from ladderboard.evals import read_board
    from ladderboard.inference.measure import Measure

    _refuse_stray([name for name in MATRIX_OPTIONS if options[name]], "with MATRIX")
    column, size = options["score_column"], options["test_size"]
    if column is None or size is None:
        raise ParameterError("--scores needs --score-column and --test-size")
    if options["missing"] == "worst":
        raise ParameterError("an entry without a score has no worst score; say --missing drop-items to leave it out")
    bounds, lower_is_better = options["bounds"] or (0.0, 1.0), options["lower_is_better"]
    board = read_board(
        scores,
        column,
        team_column=options["team_column"],
        order_column=options["order_column"],
        bounds=bounds,
        missing="error" if options["missing"] == "error" else "drop",
    )
    audit = audit_scores(
        board.scores,
        size,
        systems=board.teams,
        lower_is_better=lower_is_better,
        bounds=bounds,
        correlation=options["correlation"] or 0.0,
        alpha=alpha,
        step_size=options["step_size"],
    )
    return audit, Measure(column, None if lower_is_better else 0.0)


def _refuse_stray(names: list[str], belongs: str) -> None:
    """Refuse what would silently change nothing."""
    if names:
        option = names[0].rstrip("s") if names[0] == "mechanisms" else names[0]
        raise ParameterError(f"--{option.replace('_', '-')} goes {belongs}")


def _names_in_order(order: str) -> list[str]:
    """The systems' names: from a file with one in each line, or from the words themselves."""
    path = Path(order)
    words = path.read_text(encoding="utf-8").splitlines() if path.is_file() else order.split(",")
    return [word.strip() for word in words if word.strip()]


def _show(audit: "RecordsAudit", measure: "Measure") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if audit.claims:
        console.print(_table(audit, measure, console.width))
    console.print(audit.sentence(), soft_wrap=True, markup=False)


def _table(audit: "RecordsAudit", measure: "Measure", width: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("record", no_wrap=True)
    for column in (measure.name, "gain", "p", "p (Holm)"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("real?", no_wrap=True)
    table.add_column("accepted by")
    for claim in audit.claims:
        name = Text(claim.system)
        name.truncate(max(12, width - OTHER_COLUMNS), overflow="ellipsis")
        table.add_row(
            name,
            measure.shown(measure.score(claim.loss)),
            measure.shown(claim.improvement),
            f"{claim.p_value:.2g}",
            f"{claim.adjusted_p_value:.2g}",
            "yes" if claim.is_real else "no",
            _accepting(claim.accepted_by, asked=len(audit.boards)),
        )
    return table


def _accepting(names: tuple[str, ...], *, asked: int) -> str:
    from ladderboard.mechanisms import MECHANISMS

    if 1 < asked == len(names):
        return "all"
    return ", ".join(MECHANISMS[name].label if name in MECHANISMS else name for name in names) or "none"


def _as_json(audit: "RecordsAudit", measure: "Measure") -> dict[str, Any]:
    """Scores and boards in the measure's own direction; ``improvement`` is positive."""
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
