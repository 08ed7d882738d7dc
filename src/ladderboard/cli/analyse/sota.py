"""`ladderboard sota`: how much of a best score is luck."""

import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.matrix_options import (
    MATRIX_OPTIONS,
    RESULTS,
    add_matrix_options,
    read_matrix,
    reading_to_json,
    show_reading,
)
from ladderboard.cli.analyse.sota_report import (
    SotaOptions,
    SotaReport,
    report_auc,
    report_best_score,
    report_board,
    report_losses,
)
from ladderboard.core.errors import ParameterError
from ladderboard.evals import read_board
from ladderboard.evals.score_columns import refuse_no_shares
from ladderboard.inference.measure import ACCURACY
from ladderboard.inference.multiplicity.dependence import DependentClassifiers
from ladderboard.inference.multiplicity.multiplier import sota_from_losses
from ladderboard.inference.multiplicity.roc_shapes import auc_reading
from ladderboard.inference.multiplicity.sota import sota as best_score
from ladderboard.inference.multiplicity.undisclosed import HiddenVariants, worth_of_hidden
from ladderboard.inference.shrinkage import shrink_board
from ladderboard.tabular import read_table

if TYPE_CHECKING:
    from ladderboard.core.records import FloatArray

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option("--classifiers", type=int, metavar="M", help="How many classifiers were tried on the test set.")
@click.option("--test-size", type=int, metavar="N", help="How many items the test set has.")
@click.option("--accuracy", type=float, help="The true accuracy of all classifiers, such as .9.")
@click.option("--accuracies", type=FILE, help="Instead: a table with one row per classifier, such as a board.")
@click.option("--column", metavar="NAME", help="The column of accuracies in that table.")
@click.option("--percent", is_flag=True, help="The column holds percentages, 87.5 instead of .875.")
@click.option("--is-accuracy", is_flag=True, help="The column holds shares of right answers, whatever its name.")
@click.option("--correlation", type=float, help="Between each classifier's right answers and a reference's.")
@click.option(
    "--similarity",
    type=float,
    help="Instead: the share of items that two classifiers both get right or both get wrong.",
)
@click.option("--reference-accuracy", type=float, help="The reference's accuracy.  [default: the best accuracy]")
@click.option(
    "--random-reference", is_flag=True, help="Let the reference vary, as on fresh test sets.  [default: fixed]"
)
@click.option(
    "--undisclosed",
    type=click.IntRange(min=2),
    metavar="N",
    help="Also report what showing only the best of N variants of a system gains.",
)
@click.option("--observed", type=float, metavar="SCORE", help="An observed best score to interpret.")
@click.option("--losses", type=RESULTS, help="Instead of accuracies: a table of items × systems, or a folder.")
@add_matrix_options
@click.option("--replicates", default=10_000, show_default=True, help="With --losses: bootstrap replicates.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="With --losses: the bootstrap's seed."
)
@click.option("--auc", type=float, help="Instead: an AUC of which only the value is known.")
@click.option("--positives", type=int, metavar="N", help="With --auc: the number of positive items.")
@click.option("--negatives", type=int, metavar="N", help="With --auc: the number of negative items.")
@click.option("--better-by", default=0.01, show_default=True, help="A newcomer's true lead, for the last sentence.")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of all intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--figure", type=FILE, help="Draw the distribution (.svg, .png, .pdf).")
def sota(
    *, confidence: float, better_by: float, observed: float | None, as_json: bool, figure: Path | None, **given: Any
) -> None:
    r"""Estimate how much of a best score is luck: from a known accuracy, a board, a loss matrix or an AUC.

    \b
    Example:
      ladderboard sota --classifiers 1000 --test-size 3000 --accuracy .9
      ladderboard sota --classifiers 1000 --test-size 3000 --accuracy .9 --correlation .6 --random-reference
      ladderboard sota --accuracies board.csv --column score --test-size 3000
      ladderboard sota --losses predictions.csv --kind predictions --labels-column label --figure luck.svg
      ladderboard sota --losses answers.csv --kind correct --undisclosed 27
      ladderboard sota --auc .949 --positives 136 --negatives 7551 --classifiers 3308
      ladderboard sota --auc .9352 --positives 136 --negatives 7551 --classifiers 3308 --observed .949
    """
    report = _make_report(SotaOptions(confidence=confidence, better_by=better_by, observed=observed), given)
    if figure is not None:
        report.draw(figure)
    if as_json:
        click.echo(json.dumps(report.record))
    else:
        report.say_first()
        _show(report)


def _make_report(options: SotaOptions, given: dict[str, Any]) -> SotaReport:
    sources = {name: given[name] for name in ("accuracy", "accuracies", "losses", "auc") if given[name] is not None}
    if len(sources) != 1:
        raise ParameterError("give exactly one of --accuracy, --accuracies, --losses and --auc")
    if options.observed is not None and not sources.keys() & {"accuracy", "auc"}:
        raise ParameterError(
            "--observed works only with --accuracy and --auc; a board and a loss matrix have their own best score"
        )
    report = _READERS[next(iter(sources))](options, given)
    return report if given["undisclosed"] is None else _add_undisclosed(report, next(iter(sources)), given)


def _add_undisclosed(report: SotaReport, source: str, given: dict[str, Any]) -> SotaReport:
    """Add what a hidden best of N is worth on this board."""
    variants, measure = given["undisclosed"], ACCURACY
    if source == "auc":
        raise ParameterError("--undisclosed works with --accuracy, --accuracies and --losses, not with --auc")
    if source == "losses":
        matrix = read_matrix(given["losses"], **{name: given[name] for name in MATRIX_OPTIONS})
        found, measure = worth_of_hidden(matrix, variants), matrix.measure
    else:
        found = HiddenVariants(variants, *_hide_variants(report, source, given))
    sentence = found.sentence(measure.format_amount)
    return replace(
        report,
        rows=(*report.rows, (f"a hidden best of {variants} is worth", measure.format_amount(found.worth))),
        sentence=f"{report.sentence} {sentence}",
        record={**report.record, "undisclosed": asdict(found), "sentence": f"{report.sentence} {sentence}"},
    )


def _hide_variants(report: SotaReport, source: str, given: dict[str, Any]) -> tuple[float, float, float | None]:
    """By the binomial law: the luck of the best of N at the best classifier's accuracy, as alike as said, and most."""
    variants, size, accuracy = given["undisclosed"], given["test_size"], report.record["true_best"]
    worth = best_score(variants, size, accuracy, **_dependence_options(given)).luck
    lead = None
    if source == "accuracies":
        scores = sorted(_read_accuracies(given))
        lead = float(scores[-1] - scores[-2]) if len(scores) > 1 else None
    return worth, best_score(variants, size, accuracy).luck, lead


def _report_accuracy(options: SotaOptions, given: dict[str, Any]) -> SotaReport:
    return report_best_score(
        best_score(given["classifiers"], given["test_size"], given["accuracy"], **_dependence_options(given)), options
    )


def _report_board(options: SotaOptions, given: dict[str, Any]) -> SotaReport:
    if given["column"] is None:
        found = ", ".join(read_table(given["accuracies"]).columns)
        raise ParameterError(f"which column has the accuracies? Name it with --column; the file has: {found}")
    file, column, size = given["accuracies"], given["column"], given["test_size"]
    scores = _read_accuracies(given)
    refuse_no_shares(file.name, column, scores, size, is_accuracy=given["is_accuracy"])
    as_if_true = best_score(given["classifiers"], given["test_size"], accuracies=scores, **_dependence_options(given))
    correlation = max(0.0, as_if_true.correlation) if isinstance(as_if_true, DependentClassifiers) else 0.0
    return report_board(
        shrink_board(scores, test_size=given["test_size"], correlation=correlation), as_if_true, options
    )


def _read_accuracies(given: dict[str, Any]) -> "FloatArray":
    return read_board(given["accuracies"], given["column"], bounds=(0.0, 1.0), percent=given["percent"]).scores


def _report_losses(options: SotaOptions, given: dict[str, Any]) -> SotaReport:
    matrix = read_matrix(given["losses"], **{name: given[name] for name in MATRIX_OPTIONS})
    report = report_losses(sota_from_losses(matrix, replicates=given["replicates"], seed=given["seed"]), options)
    return replace(report, record={**report.record, **reading_to_json(matrix)}, say_first=partial(show_reading, matrix))


def _report_auc(options: SotaOptions, given: dict[str, Any]) -> SotaReport:
    if given["positives"] is None or given["negatives"] is None:
        raise ParameterError("--auc needs --positives and --negatives, the number of items of each class")
    if options.observed is not None and given["classifiers"] is None:
        raise ParameterError("--observed with --auc needs --classifiers, the number that it is the best of")
    reading = auc_reading(given["auc"], positives=given["positives"], negatives=given["negatives"])
    return report_auc(reading, given["classifiers"], options)


_READERS = {"accuracy": _report_accuracy, "accuracies": _report_board, "losses": _report_losses, "auc": _report_auc}


def _dependence_options(given: dict[str, Any]) -> dict[str, Any]:
    """Collect how the classifiers depend on each other, for `ladderboard.sota`."""
    names = ("correlation", "similarity", "reference_accuracy")
    reference = "random" if given["random_reference"] else "fixed"
    return {**{name: given[name] for name in names}, "reference": reference}


def _show(report: SotaReport) -> None:
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(no_wrap=True)
    for name, value in report.rows:
        table.add_row(name, Text(value))
    console.print(table)
    console.print()
    console.print(report.sentence, soft_wrap=True, markup=False)
