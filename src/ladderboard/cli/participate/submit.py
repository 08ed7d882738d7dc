"""`ladderboard submit`: send predictions to a competition and say what came of it."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ladderboard.cli.participate.connection import (
    choose_competition,
    competition_option,
    connect,
    json_option,
    retry_with_notice,
    server_option,
)
from ladderboard.core.errors import ClientError, HostingError

if TYPE_CHECKING:
    from ladderboard.client import Client
    from ladderboard.wire.competitions import CompetitionBody
    from ladderboard.wire.submissions import ScoredBody

NOT_IMPROVED = 3


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@competition_option("--to")
@server_option
@click.option("--note", default="", help="A line for you and your team, kept with the submission.")
@click.option("--training-score", type=float, help="For mechanisms that compare with it.")
@click.option(
    "--wait/--no-wait",
    default=True,
    show_default=True,
    help="Whether to be patient with a server that is busy or restarts. Sending again never costs a second attempt.",
)
@click.option("--dry-run", is_flag=True, help="Only check the file, here, as the server would.")
@click.option("--require-improvement", is_flag=True, help=f"Exit with {NOT_IMPROVED} where the board was not improved.")
@json_option
@click.pass_context
def submit(
    ctx: click.Context,
    file: Path,
    *,
    slug: str | None,
    server: str | None,
    note: str,
    training_score: float | None,
    wait: bool,
    dry_run: bool,
    require_improvement: bool,
    as_json: bool,
) -> None:
    r"""Send FILE (.csv, .csv.gz, .zip with one file, .parquet), one prediction for each id of the competition.

    A file with problems is refused with all of them and costs nothing; every scored file is an attempt. The same
    predictions again cost nothing.

    Exit code: 0 scored; 2 bad file or option; 3 not improved, with --require-improvement; 4 the competition is closed
    or spent; 5 sign in, or not allowed; 6 no attempt left for now; 7 no answer from the server. Nothing is charged
    with 2, 4, 5 and 6.

    \b
    Example:
      ladderboard submit predictions.csv --dry-run
      ladderboard submit predictions.csv --to whales --note "larger network"
    """
    with connect(server, as_anybody=dry_run, retries=retry_with_notice() if wait and not dry_run else None) as client:
        slug = choose_competition(client, slug)
        if dry_run:
            _check(client, slug, file, as_json=as_json)
            return
        # Asked for before: what was scored is told, also by a server that goes away afterwards.
        competition = None if as_json else client.competition(slug)
        answer = _send(client, slug, file, note=note, training_score=training_score, wait=wait)
        if competition is None:
            click.echo(json.dumps(asdict(answer)))
        else:
            _tell(client, competition, answer)
    if require_improvement and not answer.release.improved:
        ctx.exit(NOT_IMPROVED)


def _check(client: "Client", slug: str, file: Path, *, as_json: bool) -> None:
    predictions = client.validate(slug, file)
    if as_json:
        click.echo(json.dumps({"competition": slug, "valid": True, "rows": len(predictions)}))
    else:
        click.echo(f"{file.name} is a valid submission to {slug}: {len(predictions):,} rows. Nothing was sent.")


def _send(
    client: "Client", slug: str, file: Path, *, note: str, training_score: float | None, wait: bool
) -> "ScoredBody":
    from ladderboard.cli._shared.console import show_upload_progress

    with show_upload_progress(file.name) as progress:
        return client.submit(slug, file, note=note, training_score=training_score, wait=wait, progress=progress)


def _tell(client: "Client", competition: "CompetitionBody", answer: "ScoredBody") -> None:
    from ladderboard.cli.participate.submission_report import describe_answer, describe_budget

    metric = competition.metric
    for line in describe_answer(answer, metric=metric.name, lower_is_better=metric.lower_is_better):
        click.echo(line)
    if competition.budget is not None:
        with suppress(ClientError, HostingError):  # the answer was told; this is beside it
            left = client.competition(competition.slug).budget
            click.echo("" if left is None else describe_budget(left))
