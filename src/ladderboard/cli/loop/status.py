"""`ladderboard loop status` and `report`: the state of a loop as lines, a page, a picture or a comment."""

import json
from datetime import datetime
from pathlib import Path

import click

from ladderboard.cli.loop.opening import FILE, open_loop, to_json


@click.command()
@click.argument("path", metavar="LOOP", type=FILE)
@click.option("--faults", is_flag=True, help="Show how the grader failed on guarded tasks: for its owner alone.")
@click.option("--tasks", is_flag=True, help="Print the open tasks as candidates read them, as JSON lines.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def status(path: Path, *, faults: bool, tasks: bool, as_json: bool) -> None:
    r"""Show all proposals of LOOP and what is certified.

    \b
    Example:
      ladderboard loop status loop.db
      ladderboard loop status loop.db --tasks > open.jsonl
    """
    from ladderboard.loop.report import describe_changes

    with open_loop(path) as (judge, _):
        told, best, failed, opened = judge.report(), judge.best, judge.faults(), judge.open.show()
    if tasks:
        for task in opened:
            click.echo(json.dumps(task))
        return
    if faults:
        for number, report in failed:
            click.echo(f"Proposal {number}: {report}")
        click.echo(f"{len(failed)} faults of the grader on guarded tasks")
        return
    if as_json:
        counts = {"open": told.open_tasks, "guarded": told.guarded_tasks, "board_value": best}
        state = {**counts, "interval": told.interval, "grader_changes": told.grader_changes}
        click.echo(json.dumps({**state, "proposals": [to_json(one) for one in told.proposals]}))
        return
    for one in told.proposals:
        click.echo(one.describe())
    click.echo(told.sentence())
    if len(told.proposals) > 1:
        click.echo(told.summarise())
    if told.grader_changes:
        click.echo(f"The grader: {describe_changes(told.grader_changes)}")


@click.command()
@click.argument("path", metavar="LOOP", type=FILE)
@click.option("--to", "target", type=FILE, help="A page (.html, .md) or the picture alone (.svg).")
@click.option("--comment", is_flag=True, help="Print Markdown for a comment at a pull request.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Count promotions from this day on (UTC).")
@click.option("--truth", type=FILE, help="A JSON object from numbers of proposals to true scores, to draw them too.")
def report(path: Path, *, target: Path | None, comment: bool, since: datetime | None, truth: Path | None) -> None:
    r"""Write the state of LOOP: open, certified and, where it is known, true score over the proposals.

    \b
    Example:
      ladderboard loop report loop.db --to loop.html
      ladderboard loop report loop.db --comment --since 2026-05-01
    """
    if comment == (target is not None):
        raise click.UsageError("give --to FILE for a page or a picture, or --comment, not both")
    with open_loop(path) as (judge, _):
        told = judge.report(None if truth is None else _read_truth(truth))
    if target is None:
        click.echo(told.comment(None if since is None else since.date()))
    else:
        told.write(target)
        click.echo(f"{target}: {told.sentence()}")


def _read_truth(path: Path) -> dict[int, float]:
    from ladderboard.core.errors import InputError

    try:
        return {int(number): float(score) for number, score in json.loads(path.read_text(encoding="utf-8")).items()}
    except (ValueError, TypeError, AttributeError, OSError):
        raise InputError(f'{path} has no true scores; write an object such as {{"1": 0.52, "4": 0.61}}') from None
