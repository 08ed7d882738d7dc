"""The output of `ladderboard ranks --aggregate all`: where the aggregation over tasks decides the winner."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.matrix_options import reading_to_json, show_reading
from ladderboard.inference.tasks.ranking import MEANINGS, TaskRanking, compare_aggregates, describe_aggregates

if TYPE_CHECKING:
    from ladderboard.evals import LossMatrix

SHOWN_NAMES = 4


def report_aggregates(losses: "LossMatrix", *, as_json: bool, **draws: Any) -> None:
    """Rank by every aggregation and print a table of winners, or everything as JSON."""
    rankings = compare_aggregates(losses, **draws)
    if as_json:
        report = {"confidence": draws["confidence"], "aggregates": [_to_json(one) for one in rankings]}
        click.echo(json.dumps({**report, "sentence": describe_aggregates(rankings), **reading_to_json(losses)}))
        return
    show_reading(losses)
    _show(rankings)
    click.echo(describe_aggregates(rankings))


def _show(rankings: Sequence[TaskRanking]) -> None:
    table = Table("ranked by", "first", "score", "could be first", box=None, pad_edge=False)
    for one in rankings:
        best = one.measure.format_score(one.scores[next(j for j, system in enumerate(one.ranges) if system.rank == 1)])
        table.add_row(MEANINGS[one.aggregate], Text(_list(one.winners)), best, Text(_list(one.could_be_first)))
    Console(highlight=False).print(table)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN_NAMES]) + (f", … ({len(names)})" if len(names) > SHOWN_NAMES else "")


def _to_json(ranking: TaskRanking) -> dict[str, Any]:
    systems = [
        {"system": one.system, "score": score, "rank": one.rank, "best": one.best, "worst": one.worst}
        for one, score in zip(ranking.ranges, ranking.scores, strict=True)
    ]
    return {"aggregate": ranking.aggregate, "measure": ranking.measure.name, "systems": systems}
