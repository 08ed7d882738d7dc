"""`ladderboard sota`: how much of a best score is luck."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.matrix_options import read_matrix, takes_matrix_options
from ladderboard.core.errors import ParameterError

if TYPE_CHECKING:
    from ladderboard.cli.analyse.sota_report import SotaOptions, SotaReport

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option("--classifiers", type=int, metavar="M", help="How many classifiers were tried on the test set.")
@click.option("--test-size", type=int, metavar="N", help="How many items it has.")
@click.option("--accuracy", type=float, help="The true accuracy of all of them, a share such as .9.")
@click.option("--accuracies", type=FILE, help="Instead: a table with one row for each classifier, such as a board.")
@click.option("--column", metavar="NAME", help="The column of the accuracies in that table.")
@click.option("--correlation", type=float, help="Of each classifier's right answers with those of a reference.")
@click.option("--similarity", type=float, help="Instead: the share of items two classifiers both get right or wrong.")
@click.option("--reference-accuracy", type=float, help="Of the reference.  [default: the best accuracy]")
@click.option("--random-reference", is_flag=True, help="The reference varies as on fresh test sets (default: fixed).")
@click.option("--observed", type=float, metavar="SCORE", help="A best score that was seen: what does it mean?")
@click.option("--losses", type=FILE, help="Instead of accuracies: items × systems (.csv, .tsv, .parquet, .npz).")
@takes_matrix_options
@click.option("--replicates", default=10_000, show_default=True, help="For --losses: of the multiplier bootstrap.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="For --losses.")
@click.option("--auc", type=float, help="Instead: an AUC known only as a number.")
@click.option("--positives", type=int, metavar="N", help="For --auc: the positive items.")
@click.option("--negatives", type=int, metavar="N", help="For --auc: the negative items.")
@click.option(
    "--better-by", default=0.01, show_default=True, help="The true lead of the newcomer in the last sentence."
)
@click.option("--confidence", default=0.95, show_default=True, help="Of all intervals.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
@click.option("--figure", type=FILE, help="Draw it (.svg, .png, .pdf).")
def sota(
    *, confidence: float, better_by: float, observed: float | None, as_json: bool, figure: Path | None, **given: Any
) -> None:
    r"""How much of the best score is luck: for classifiers of known accuracy, a board, a loss matrix or an AUC.

    \b
    Example:
      ladderboard sota --classifiers 1000 --test-size 3000 --accuracy .9
      ladderboard sota --classifiers 1000 --test-size 3000 --accuracy .9 --correlation .6 --random-reference
      ladderboard sota --accuracies board.csv --column score --test-size 3000
      ladderboard sota --losses predictions.csv --kind predictions --labels-column label --figure luck.svg
      ladderboard sota --auc .949 --positives 136 --negatives 7551 --classifiers 3308
    """
    from ladderboard.cli.analyse.sota_report import SotaOptions

    report = _report(SotaOptions(confidence=confidence, better_by=better_by, observed=observed), given)
    if figure is not None:
        report.draw(figure)
    if as_json:
        click.echo(json.dumps(report.record))
    else:
        _show(report)


def _report(wishes: "SotaOptions", given: dict[str, Any]) -> "SotaReport":
    sources = {name: given[name] for name in ("accuracy", "accuracies", "losses", "auc") if given[name] is not None}
    if len(sources) != 1:
        raise ParameterError("give one of --accuracy, --accuracies, --losses and --auc")
    if wishes.observed is not None and "accuracy" not in sources:
        raise ParameterError("--observed goes with --accuracy; a board and a loss matrix bring their own best score")
    return _READERS[next(iter(sources))](wishes, given)


def _known(wishes: "SotaOptions", given: dict[str, Any]) -> "SotaReport":
    from ladderboard.cli.analyse.sota_report import best_score_report
    from ladderboard.inference.multiplicity.sota import sota as best_score

    return best_score_report(
        best_score(given["classifiers"], given["test_size"], given["accuracy"], **_tie(given)), wishes
    )


def _board(wishes: "SotaOptions", given: dict[str, Any]) -> "SotaReport":
    from ladderboard.cli.analyse.sota_report import board_report
    from ladderboard.evals import read_board
    from ladderboard.inference.multiplicity.dependence import DependentClassifiers
    from ladderboard.inference.multiplicity.sota import sota as best_score
    from ladderboard.inference.shrinkage import shrink_board
    from ladderboard.tabular.columns import read_table

    if given["column"] is None:
        found = ", ".join(read_table(given["accuracies"]).columns)
        raise ParameterError(f"which column has the accuracies? Say it with --column; there are: {found}")
    scores = read_board(given["accuracies"], given["column"], bounds=(0.0, 1.0)).scores
    as_if_true = best_score(given["classifiers"], given["test_size"], accuracies=scores, **_tie(given))
    correlation = max(0.0, as_if_true.correlation) if isinstance(as_if_true, DependentClassifiers) else 0.0
    return board_report(shrink_board(scores, test_size=given["test_size"], correlation=correlation), as_if_true, wishes)


def _losses(wishes: "SotaOptions", given: dict[str, Any]) -> "SotaReport":
    from ladderboard.cli.analyse.sota_report import losses_report
    from ladderboard.inference.multiplicity.multiplier import sota_from_losses

    names = ("kind", "labels_column", "metric", "items_column", "table", "missing", "constant")
    matrix = read_matrix(given["losses"], **{name: given[name] for name in names})
    return losses_report(sota_from_losses(matrix, replicates=given["replicates"], seed=given["seed"]), wishes)


def _auc(wishes: "SotaOptions", given: dict[str, Any]) -> "SotaReport":
    from ladderboard.cli.analyse.sota_report import auc_report
    from ladderboard.inference.multiplicity.roc_shapes import auc_reading

    if given["positives"] is None or given["negatives"] is None:
        raise ParameterError("--auc needs --positives and --negatives, the items of the two classes")
    reading = auc_reading(given["auc"], positives=given["positives"], negatives=given["negatives"])
    return auc_report(reading, given["classifiers"], wishes)


_READERS = {"accuracy": _known, "accuracies": _board, "losses": _losses, "auc": _auc}


def _tie(given: dict[str, Any]) -> dict[str, Any]:
    """How classifiers depend on each other, as `ladderboard.sota` takes it."""
    names = ("correlation", "similarity", "reference_accuracy")
    reference = "random" if given["random_reference"] else "fixed"
    return {**{name: given[name] for name in names}, "reference": reference}


def _show(report: "SotaReport") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(no_wrap=True)
    for name, value in report.rows:
        table.add_row(name, Text(value))
    console.print(table)
    console.print()
    console.print(report.sentence, soft_wrap=True, markup=False)
