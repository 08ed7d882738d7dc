"""The output of `ladderboard ranks` for battles: strengths, rank ranges and the check of fit."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.matrix_options import reading_to_json, show_reading
from ladderboard.inference.battles.ranking import BattleRanking, rank_battles

if TYPE_CHECKING:
    from ladderboard.evals import Battles


def report_battles(battles: "Battles", *, top: int | None, as_json: bool, **draws: Any) -> None:
    """Rank the systems of a file of battles and print a table, or everything as JSON."""
    ranking = rank_battles(battles, **draws)
    if as_json:
        report = {"confidence": draws["confidence"], **_to_json(ranking), **reading_to_json(battles)}
        click.echo(json.dumps(report))
        return
    show_reading(battles)
    _show(ranking, top)
    click.echo(_describe(ranking, confidence=draws["confidence"]))


def _show(ranking: BattleRanking, top: int | None) -> None:
    table = Table("rank", "range", "system", "strength", "±", box=None, pad_edge=False)
    places = sorted(range(len(ranking.ranges)), key=lambda place: ranking.ranges[place].rank)
    for place in places[:top]:
        one = ranking.ranges[place]
        span = str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
        strength, error = ranking.strengths[place], ranking.standard_errors[place]
        table.add_row(str(one.rank), span, Text(one.system), f"{strength:+.3f}", f"{error:.3f}")
    Console(highlight=False).print(table)


def _describe(ranking: BattleRanking, *, confidence: float) -> str:
    first = [one.system for one in ranking.ranges if one.could_be_first]
    who = (
        f"{first[0]} is the best of {len(ranking.ranges)} systems"
        if len(first) == 1
        else f"{len(first)} of {len(ranking.ranges)} systems could be first"
    )
    return (
        f"{who}; with {100 * confidence:g} % confidence, every true rank lies within its range. A difference of 1 in "
        f"strength is 73 % of the points. {_describe_effects(ranking)}{ranking.fit.sentence()}"
    )


def _describe_effects(ranking: BattleRanking) -> str:
    if not ranking.effects:
        return ""
    return f"Effects on the log-odds: {', '.join(one.describe() for one in ranking.effects)}. "


def _to_json(ranking: BattleRanking) -> dict[str, Any]:
    systems = [
        {**asdict(one), "score": strength, "standard_error": error, "could_be_best": one.could_be_first}
        for one, strength, error in zip(
            ranking.ranges, ranking.strengths.tolist(), ranking.standard_errors.tolist(), strict=True
        )
    ]
    return {
        "units": ranking.units,
        "effects": [asdict(one) for one in ranking.effects],
        "systems": systems,
        "fit": {**asdict(ranking.fit), "sentence": ranking.fit.sentence()},
    }
