"""`ladderboard replay`: the boards that other mechanisms would have shown."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladderboard.analysis.replay import Replay, ReplayedBoard, Submission, list_replayed
from ladderboard.analysis.replay import replay as replay_all
from ladderboard.analysis.solutions import SolutionTable, read_solution
from ladderboard.analysis.submission_files import IndexColumns, read_submission_files, read_submission_table
from ladderboard.cli._shared.console import show_progress
from ladderboard.cli._shared.metric_option import MetricOption, add_metric_options
from ladderboard.core.errors import InputError
from ladderboard.drawing.names import shorten_names
from ladderboard.figures.slopes import save_slopes
from ladderboard.mechanisms import REFERENCE_MECHANISM

FILE = click.Path(dir_okay=False, path_type=Path)
NAME_WIDTH = 24


@click.command()
@click.argument("solution", type=FILE)
@click.argument("submissions", type=click.Path(path_type=Path))
@add_metric_options()
@click.option(
    "--index", type=FILE, help="Names the team and time of each submission.  [default: index.csv in the folder]"
)
@click.option(
    "--id-column", metavar="NAME", help="The column that names the items.  [default: the first column called id]"
)
@click.option(
    "--label-column", multiple=True, metavar="NAME", help="The label column of SOLUTION; repeatable.  [default: label]"
)
@click.option(
    "--usage-column", metavar="NAME", help="The column of Public, Private or Ignored.  [default: Usage, if present]"
)
@click.option(
    "--public-share", type=float, metavar="SHARE", help="Without a usage column: the share to draw as public, by class."
)
@click.option(
    "--submission-column", metavar="NAME", help="Index column of submissions.  [default: file or submission_id]"
)
@click.option("--team-column", metavar="NAME", help="Index column of teams.  [default: team]")
@click.option("--time-column", metavar="NAME", help="Index column of dates or numbers.  [default: time or order]")
@click.option(
    "--prediction-column",
    multiple=True,
    metavar="NAME",
    help="The prediction column of a file in a folder; repeatable.  [default: all other columns]",
)
@click.option(
    "--mechanism",
    "mechanisms",
    multiple=True,
    help="A mechanism beside full disclosure; repeatable.  [default: four of them]",
)
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=1), help="How many teams to show.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the split and all noise."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--figure", type=FILE, help="Draw public against private ranks (.svg, .png, .pdf).")
def replay(solution: Path, submissions: Path, *, top: int, as_json: bool, figure: Path | None, **options: Any) -> None:
    r"""Replay a finished competition under other mechanisms.

    SOLUTION has one row per item: id, label, and Usage (Public, Private or Ignored). SUBMISSIONS is a folder of files
    (id, prediction) with an index.csv (file, team, time), or one table with a column per submission and an --index
    (submission_id, team, time). Each team has its own instance of the mechanism. A team's final is its last accepted
    submission.

    \b
    Example:
      ladderboard replay solution.csv submissions/ --metric auc
      ladderboard replay solution.csv submissions/ --metric rmse --public-share .3 --mechanism ladder
      ladderboard replay all.csv all.csv --index teams.csv --metric accuracy --public-share .5 --figure slopes.svg
    """
    found = _replay(solution, submissions, **options)
    if figure is not None:
        save_slopes(found, figure)
    if as_json:
        click.echo(json.dumps(_to_json(found), allow_nan=False))
    else:
        _show(found, top=top)


def _replay(
    solution: Path,
    submissions: Path,
    *,
    mechanisms: tuple[str, ...],
    public_share: float | None,
    seed: int,
    **options: Any,
) -> Replay:
    metric = MetricOption.take(options).load()
    answers, given = _read(solution, submissions, options)
    public = answers.public(share=public_share, metric=metric, seed=seed)
    chosen = tuple(dict.fromkeys((REFERENCE_MECHANISM.name, *(mechanisms or list_replayed()))))
    with show_progress("Replaying") as progress:
        return replay_all(given, answers.labels, metric, public=public, mechanisms=chosen, seed=seed, progress=progress)


def _read(solution: Path, submissions: Path, columns: dict[str, Any]) -> tuple[SolutionTable, list[Submission]]:
    answers = read_solution(
        solution,
        id_column=columns["id_column"],
        label_columns=columns["label_column"],
        usage_column=columns["usage_column"],
    )
    index, named = (
        columns["index"],
        IndexColumns(*(columns[f"{part}_column"] for part in ("submission", "team", "time"))),
    )
    if submissions.is_dir():
        index = index or submissions / "index.csv"
        predictions = columns["prediction_column"]
        return answers, read_submission_files(
            submissions, index, answers, columns=named, prediction_columns=predictions
        )
    if index is None:
        raise InputError(f"{submissions.name} is a single table; give --index, the file that names teams and times")
    return answers, read_submission_table(submissions, index, answers, columns=named)


def _show(found: Replay, *, top: int) -> None:
    console = Console(highlight=False)
    for board in found.boards.values():
        console.print(f"[bold]{board.mechanism.replace('_', ' ')}[/]")
        console.print(_table(board, found.rank_changes(board.mechanism), top=top))
        hidden = len(board.teams) - top
        console.print(f"… and {hidden} more teams\n" if hidden > 0 else "")
    _show_top(found, console)
    for line in (found.sentence(), *found.cautions()):
        console.print(line, soft_wrap=True, markup=False)


def _table(board: ReplayedBoard, changes: dict[str, int], *, top: int) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("rank", "change", "team", "public", "private", "private rank", "submissions", "accepted"):
        table.add_column(column, justify="left" if column == "team" else "right", no_wrap=True)
    names = shorten_names([row.team for row in board.teams[:top]], NAME_WIDTH)
    for row, name in zip(board.teams[:top], names, strict=True):
        table.add_row(
            str(row.public_rank),
            _change(changes.get(row.team)),
            Text(name),
            f"{row.public_value:.4f}",
            "–" if math.isnan(row.private_value) else f"{row.private_value:.4f}",
            str(row.private_rank),
            str(row.submissions),
            str(row.accepted),
        )
    return table


def _show_top(found: Replay, console: Console) -> None:
    if not found.top:
        return
    console.print(f"[bold]compared with the private leader, {Text(found.leader).markup}[/]")
    table = Table("private rank", "team", "p", "p (Holm)", box=None, pad_edge=False)
    names = shorten_names([one.team for one in found.top], NAME_WIDTH)
    for one, name in zip(found.top, names, strict=True):
        table.add_row(str(one.private_rank), Text(name), f"{one.p_value:.2g}", f"{one.adjusted_p_value:.2g}")
    console.print(table)


def _change(places: int | None) -> str:
    """Format the change of rank against full disclosure."""
    return "–" if places is None else "=" if places == 0 else f"{'▼' if places > 0 else '▲'}{abs(places)}"


def _to_json(found: Replay) -> dict[str, Any]:
    boards = {
        name: {
            "rank_correlation": _number(board.rank_correlation),
            "teams": _rows(board, found.rank_changes(name)),
        }
        for name, board in found.boards.items()
    }
    return {
        "metric": found.metric,
        "public_items": found.public_items,
        "private_items": found.private_items,
        "boards": boards,
        "leader": found.leader,
        "top": [asdict(one) for one in found.top],
        "probing": [asdict(run) for run in found.probing],
        "sentence": found.sentence(),
        "cautions": found.cautions(),
    }


def _rows(board: ReplayedBoard, changes: dict[str, int]) -> Sequence[dict[str, Any]]:
    return [
        {**asdict(row), "private_value": _number(row.private_value), "rank_change": changes.get(row.team)}
        for row in board.teams
    ]


def _number(value: float) -> float | None:
    """Replace NaN, which JSON lacks, by None."""
    return None if math.isnan(value) else value
