"""`ladderboard ranks`: which ranks each system could truly have."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.console import make_console
from ladderboard.cli._shared.matrix_options import (
    add_matrix_argument,
    read_matrix_or_battles,
    reading_to_json,
    show_reading,
)
from ladderboard.cli.analyse.aggregate_report import report_aggregates
from ladderboard.cli.analyse.battle_report import report_battles
from ladderboard.core.errors import ParameterError
from ladderboard.drawing.names import shorten_names
from ladderboard.evals import Battles, LossMatrix
from ladderboard.figures.ranks import save_rank_ranges
from ladderboard.inference.comparisons import Comparison, compare_systems
from ladderboard.inference.rank_ranges import RankRange, rank_ranges
from ladderboard.inference.repeats import describe_runs, split_errors
from ladderboard.inference.tasks.ranking import AGGREGATES, rank_over_tasks
from ladderboard.inference.variance_components import describe_sources, split_sources
from ladderboard.metrics import find_metric

if TYPE_CHECKING:
    from ladderboard.core.records import PairedTest
    from ladderboard.inference.measure import Measure

BAR_WIDTH = 24
OTHER_COLUMNS = 57
"""The most characters that the columns beside the system's name take."""
SHOWN_NAMES = 6


@click.command()
@add_matrix_argument
@click.option("--confidence", default=0.95, show_default=True, help="The confidence that all ranges hold at once.")
@click.option(
    "--aggregate",
    type=click.Choice(["items", "tasks", "mean-rank", "win-rate", "borda", "all"]),
    default="items",
    show_default=True,
    help="With several tasks: rank by the mean over items or over tasks, by ranks in tasks, or compare all of these.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show only the first N systems.")
@click.option("--pairwise", is_flag=True, help="Also compare all pairs (McNemar or Student's t, Holm-corrected).")
@click.option("--against", metavar="SYSTEM", help="Compare every system with this one.")
@click.option("--replicates", default=10_000, show_default=True, help="Bootstrap replicates.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same ranges."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Draw the ranges (.svg, .png, .pdf).")
def ranks(
    *,
    confidence: float,
    top: int | None,
    as_json: bool,
    figure: Path | None,
    replicates: int,
    seed: int,
    aggregate: str,
    **options: Any,
) -> None:
    r"""Show which ranks each system could truly have, from MATRIX: a table of items × systems, or a harness's folder.

    All ranges hold at once with the given confidence. Systems whose ranges overlap form a group: within it, the order
    may be luck. A table of battles (item, a, b, winner) is ranked by Bradley–Terry strengths.

    \b
    Example:
      ladderboard ranks losses.csv --kind losses
      ladderboard ranks lm-eval-results/ --metric acc_norm
      ladderboard ranks predictions.csv --kind predictions --labels-column label --figure ranks.svg
      ladderboard ranks answers.parquet --kind correct --against ours --json
      ladderboard ranks lm-eval-results/ --aggregate all
      ladderboard ranks battles.csv
    """
    pairwise, against = options.pop("pairwise"), options.pop("against")
    losses = read_matrix_or_battles(**options)
    draws = {"confidence": confidence, "replicates": replicates, "seed": seed}
    if isinstance(losses, Battles):
        _refuse_stray(aggregate=aggregate != "items", pairwise=pairwise, against=against, figure=figure)
        report_battles(losses, top=top, as_json=as_json, **draws)
        return
    if aggregate == "all":
        _refuse_stray(pairwise=pairwise, against=against, figure=figure, top=top)
        report_aggregates(losses, as_json=as_json, **draws)
        return
    ranges, measure = _rank(losses, aggregate, draws)
    compared = _compare(losses, against, options) if pairwise or against is not None else []
    if figure is not None:
        save_rank_ranges(ranges[:top], figure, measure=measure, confidence=confidence)
    if as_json:
        click.echo(json.dumps({"confidence": confidence, **_to_json(losses, ranges, compared, measure)}))
        return
    show_reading(losses)
    _show(ranges, compared, measure, confidence=confidence, top=top)
    _show_runs(losses)


def _show_runs(losses: LossMatrix) -> None:
    """Print how much of the errors is between seeds, prompts or repeated runs, where there are some."""
    if losses.conditions is not None:
        click.echo(describe_sources(split_sources(losses), losses.measure))
    if losses.repeats is not None:
        click.echo(describe_runs(split_errors(losses), losses.systems))


def _runs_to_json(losses: LossMatrix) -> dict[str, Any]:
    """What the errors consist of for JSON, where seeds or prompts are named or runs were repeated."""
    if losses.conditions is not None:
        return {"variance": [asdict(one) for one in split_sources(losses)]}
    return {} if losses.repeats is None else {"errors": [asdict(one) for one in split_errors(losses)]}


def _rank(losses: LossMatrix, aggregate: str, draws: dict[str, Any]) -> tuple[list[RankRange], "Measure"]:
    """The ranges, best first, and what their scores are."""
    if aggregate == "items":
        ranges, measure = rank_ranges(losses, **draws), losses.measure
    else:
        name = next(one for one in AGGREGATES if one == aggregate.replace("-", "_"))
        ranking = rank_over_tasks(losses, name, **draws)
        ranges, measure = list(ranking.ranges), ranking.measure
    return sorted(ranges, key=lambda one: (one.rank, one.best)), measure


def _refuse_stray(**given: object) -> None:
    """Refuse options that would silently have no effect."""
    for name, value in given.items():
        if value:
            raise ParameterError(f"--{name} has no effect on battles or with --aggregate all; leave it out")


def _compare(losses: LossMatrix, against: str | None, options: dict[str, Any]) -> Sequence[Comparison]:
    return compare_systems(losses, reference=against, test=_find_test(options))


def _find_test(options: dict[str, Any]) -> "PairedTest | None":
    """Find the paired test of the metric that scored the predictions; None: chosen by the losses."""
    scored = options["kind"] == "predictions" and options["metric"]
    return find_metric(options["metric"][0]).paired_test if scored else None


def _show(
    ranges: Sequence[RankRange],
    compared: Sequence[Comparison],
    measure: "Measure",
    *,
    confidence: float,
    top: int | None,
) -> None:
    console = make_console()
    console.print(_board(ranges[:top], measure, systems=len(ranges), name_width=max(12, console.width - OTHER_COLUMNS)))
    if compared:
        console.print(_pairs(compared))
    console.print(describe_top(ranges, confidence=confidence), soft_wrap=True, markup=False)


def describe_top(ranges: Sequence[RankRange], *, confidence: float) -> str:
    """Describe in one sentence which systems could be first: those whose ranges begin with rank 1."""
    systems = len(ranges)
    if systems == 1:
        return "There is only one system, so there is nothing to compare."
    first = [one.system for one in ranges if one.could_be_first]
    names = ", ".join(first[:SHOWN_NAMES]) + (", …" if len(first) > SHOWN_NAMES else "")
    who = (
        f"{names} is the best of {systems} systems"
        if len(first) == 1
        else f"{len(first)} of {systems} systems could be first ({names})"
    )
    return f"{who}; with {100 * confidence:g} % confidence, every true rank lies within its range."


def _board(ranges: Sequence[RankRange], measure: "Measure", *, systems: int, name_width: int) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("rank", "range", "system", measure.name, "group"):
        is_name = column == "system"
        table.add_column(column, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
    table.add_column(f"1 … {systems}", no_wrap=True, min_width=BAR_WIDTH)
    for one, name in zip(ranges, shorten_names([one.system for one in ranges], name_width), strict=True):
        span = str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
        bar = draw_range_bar(one, systems=systems, width=BAR_WIDTH)
        table.add_row(
            str(one.rank), span, Text(name), measure.format_score(measure.score(one.score)), str(one.group), bar
        )
    return table


def draw_range_bar(one: RankRange, *, systems: int, width: int) -> str:
    """Draw a range as a line of characters from rank 1 to the last, with the observed rank marked.

    >>> from ladderboard.inference.rank_ranges import RankRange
    >>> draw_range_bar(RankRange("ours", score=0.1, rank=2, best=1, worst=5, group=1), systems=10, width=10)
    '━●━━━·····'
    """
    cells = ["·"] * width
    first, last, observed = (_place(rank, systems, width) for rank in (one.best, one.worst, one.rank))
    cells[first : last + 1] = "━" * (last + 1 - first)
    cells[observed] = "●"
    return "".join(cells)


def _place(rank: int, systems: int, width: int) -> int:
    return 0 if systems == 1 else round((rank - 1) / (systems - 1) * (width - 1))


def _pairs(compared: Sequence[Comparison]) -> Table:
    table = Table("system", "against", "loss difference", "p", "p (Holm)", box=None, pad_edge=False)
    for one in compared:
        table.add_row(
            Text(one.first), Text(one.second), f"{one.difference:+.4f}", f"{one.p_value:.2g}", f"{one.adjusted:.2g}"
        )
    return table


def _to_json(
    losses: LossMatrix, ranges: Sequence[RankRange], compared: Sequence[Comparison], measure: "Measure"
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "items": len(losses.items),
        "measure": measure.name,
        "systems": [
            {**asdict(one), "score": measure.score(one.score), "could_be_best": one.could_be_first} for one in ranges
        ],
    }
    if compared:
        report["pairwise"] = [asdict(one) for one in compared]
    return {**report, **_runs_to_json(losses), **reading_to_json(losses)}
