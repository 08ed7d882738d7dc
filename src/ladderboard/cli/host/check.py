"""`ladderboard check`: everything that is wrong with a competition folder, or what it will be like."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ladderboard.competition import Inspection
    from ladderboard.competition.checks.summary import Summary


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
@click.pass_context
def check(context: click.Context, folder: Path, *, as_json: bool) -> None:
    r"""Read a competition folder DIR and tell all that is wrong with it, each with its file and line.

    Where nothing is, it tells what the competition will be like: rows, metric, mechanism, what the board will be able
    to see, limits. For the organiser's eyes: it quotes labels. Exit code 0 when it can be served, 1 when not.

    \b
    Example:
      ladderboard check whales
      ladderboard check whales --json
    """
    from ladderboard.competition import inspect_folder
    from ladderboard.competition.checks.summary import summarise

    found = inspect_folder(folder)
    summary = None if found.competition is None else summarise(found.competition)
    if as_json:
        click.echo(json.dumps(_as_json(found, summary), allow_nan=False))
    else:
        _show(found, summary)
    context.exit(0 if summary is not None else 1)


def _as_json(found: "Inspection", summary: "Summary | None") -> dict[str, object]:
    return {
        "ok": summary is not None,
        "problems": [finding.to_dict() for finding in found.findings],
        "summary": None if summary is None else summary.to_dict(),
    }


def _show(found: "Inspection", summary: "Summary | None") -> None:
    for finding in found.findings:
        click.echo(str(finding))
    errors = sum(not finding.is_warning for finding in found.findings)
    warnings = len(found.findings) - errors
    if found.findings:
        click.echo()
    if summary is None:
        click.echo(f"{_counted(errors, 'problem')}, {_counted(warnings, 'warning')}: it cannot be served like this.")
        return
    click.echo(f"{summary.title} ({summary.slug})")
    for word, sentence in summary.lines():
        click.echo(f"  {word:<11}{sentence}")
    noted = f" ({_counted(warnings, 'warning')})" if warnings else ""
    click.echo(f"\nIt can be served{noted}. Next:\n  ladderboard serve {shlex.quote(str(found.folder))}")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
