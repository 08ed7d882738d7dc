"""`ladderboard check`: every problem of a competition folder, or a summary of the competition."""

import json
import shlex
from pathlib import Path

import click

from ladderboard.cli._shared.console import count_noun
from ladderboard.competition import Inspection, inspect_folder
from ladderboard.competition.checks import sample_check
from ladderboard.competition.checks.leaks import SAMPLE
from ladderboard.competition.checks.summary import CompetitionSummary, summarise


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--write-sample", is_flag=True, help="Write sample_submission.csv anew; it shows all classes.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def check(context: click.Context, folder: Path, *, write_sample: bool, as_json: bool) -> None:
    r"""Check the competition folder DIR and list every problem with its file and line.

    If there is none, summarise the competition: rows, metric, mechanism, the gains that the board can recognise,
    limits. The output quotes labels: keep it to yourself. Exit code: 0 ready to serve, 1 not.

    \b
    Example:
      ladderboard check whales
      ladderboard check whales --json
      ladderboard check whales --write-sample
    """
    found = inspect_folder(folder)
    if write_sample:
        found = _write_sample(found)
    summary = None if found.competition is None else summarise(found.competition)
    if as_json:
        click.echo(json.dumps(_to_json(found, summary), allow_nan=False))
    else:
        _show(found, summary)
    context.exit(0 if summary is not None else 1)


def _write_sample(found: Inspection) -> Inspection:
    """Write the sample and look again, unless it is not known yet what a submission looks like."""
    if found.loaded is None or any(one.is_question and one.file != SAMPLE for one in found.findings):
        return found
    sample_check.write_sample(found.folder, found.loaded.format)
    return inspect_folder(found.folder)


def _to_json(found: Inspection, summary: CompetitionSummary | None) -> dict[str, object]:
    return {
        "ok": summary is not None,
        "problems": [finding.to_dict() for finding in found.findings],
        "summary": None if summary is None else summary.to_dict(),
    }


def _show(found: Inspection, summary: CompetitionSummary | None) -> None:
    for finding in found.findings:
        click.echo(str(finding))
    errors = sum(not finding.is_warning for finding in found.findings)
    warnings = len(found.findings) - errors
    if found.findings:
        click.echo()
    if summary is None:
        found_in_all = f"{count_noun(errors, 'problem')}, {count_noun(warnings, 'warning')}"
        click.echo(f"{found_in_all}: not ready to serve. Fix the problems and check again.")
        return
    click.echo(f"{summary.title} ({summary.slug})")
    for word, sentence in summary.lines():
        click.echo(f"  {word:<11}{sentence}")
    noted = f" ({count_noun(warnings, 'warning')})" if warnings else ""
    click.echo(f"\nReady to serve{noted}. Next:\n  ladderboard serve {shlex.quote(str(found.folder))}")
