"""`ladderboard submit`: send predictions to a competition and report the result."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.console import show_upload_progress
from ladderboard.cli.participate.connection import (
    competition_options,
    connect,
    echo_json,
    json_option,
    retry_with_notice,
)
from ladderboard.cli.participate.submission_report import describe_answer, describe_budget, describe_turn
from ladderboard.core.errors import ClientError, HostingError, NotScoredError
from ladderboard.core.gains import Gains
from ladderboard.mechanisms.outcomes import describe_gains
from ladderboard.mechanisms.participant_words import describe_silence

if TYPE_CHECKING:
    from ladderboard.client import Client
    from ladderboard.server.competitions.records import CompetitionBody
    from ladderboard.server.jobs.records import JobBody
    from ladderboard.server.submissions.records import ScoredBody

NOT_IMPROVED = 3


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@competition_options("--to")
@click.option("--note", default="", help="A note for you and your team, saved with the submission.")
@click.option("--training-score", type=float, help="The score on your training data, for mechanisms that compare it.")
@click.option(
    "--wait/--no-wait",
    default=True,
    show_default=True,
    help="Wait for a server that is busy or restarting, and for the submission's turn where submissions are queued.",
)
@click.option("--dry-run", is_flag=True, help="Check the file here, as the server would; send nothing.")
@click.option("--require-improvement", is_flag=True, help=f"Exit with {NOT_IMPROVED} unless the submission improved.")
@json_option
@click.pass_context
def submit(
    ctx: click.Context,
    /,
    file: Path,
    *,
    slug: str | None,
    server: str | None,
    dry_run: bool,
    require_improvement: bool,
    as_json: bool,
    **sent_with: Any,
) -> None:
    r"""Submit FILE: predictions (.csv, .csv.gz, .zip with one file, .parquet), or what the competition asks for.

    A file with problems is refused with a list of all of them and costs nothing. Every scored file is an attempt;
    submitting the same predictions again costs nothing.

    Exit code: 0 scored; 2 bad file or option; 3 not improved, with --require-improvement; 4 the competition is closed
    or spent; 5 not signed in or not allowed; 6 no attempt left for now; 7 no answer from the server; 8 queued, and it
    could not be scored. Exit codes 2, 4, 5 and 6 cost no attempt. The same predictions again count as improved only
    while they are your proven entry.

    \b
    Example:
      ladderboard submit predictions.csv --dry-run
      ladderboard submit predictions.csv --competition whales --note "larger network"
    """
    retries = retry_with_notice() if sent_with["wait"] and not dry_run else None
    with connect(server, slug, as_anybody=dry_run, retries=retries) as (client, competition):
        if dry_run:
            _check(client, competition, file, as_json=as_json)
            return
        answer = _submit(client, competition, file, as_json=as_json, **sent_with)
    if require_improvement and not (answer.status == "scored" and answer.release.improved):
        ctx.exit(NOT_IMPROVED)


def _submit(client: "Client", slug: str, file: Path, *, as_json: bool, **sent_with: Any) -> "ScoredBody | JobBody":
    # Asked for first: the result is then shown even if the server goes away after scoring.
    competition = None if as_json else client.competition(slug)
    with show_upload_progress(file.name) as (progress, note):
        try:
            answer: ScoredBody | JobBody = client.submit(
                slug, file, progress=progress, told=lambda job: note(describe_turn(job)), **sent_with
            )
        except NotScoredError as problem:
            if problem.details.get("has_log"):
                click.echo(client.program_log(slug, str(problem.details["id"])), err=True, nl=False)
            raise
    if competition is None:
        echo_json(answer)
    elif answer.status != "scored":
        click.echo(f"{describe_turn(answer)} Look with `ladderboard my-submissions --to {slug}`.")
    else:
        _show(client, competition, answer)
    return answer


def _check(client: "Client", slug: str, file: Path, *, as_json: bool) -> None:
    predictions = client.validate(slug, file)
    if as_json:
        echo_json({"competition": slug, "valid": True, "rows": len(predictions)})
    else:
        click.echo(f"{file.name} is a valid submission to {slug}: {len(predictions):,} rows. Nothing was sent.")
        told = client.competition(slug)
        usual = describe_gains(Gains(told.shown_gain, told.proven_gain, told.gain_reason), is_first=told.team is None)
        if usual is not None:
            click.echo(usual)


def _show(client: "Client", competition: "CompetitionBody", answer: "ScoredBody") -> None:
    metric, silence = competition.metric, _describe_silence(competition)
    lines = describe_answer(
        answer, competition.score_format, metric=metric.name, lower_is_better=metric.lower_is_better, silence=silence
    )
    for line in lines:
        click.echo(line)
    if competition.budget is not None:
        with suppress(ClientError, HostingError):  # the answer has been shown; this is extra
            left = client.competition(competition.slug).budget
            click.echo("" if left is None else describe_budget(left))


def _describe_silence(competition: "CompetitionBody") -> str:
    return "" if competition.mechanism.shows_scores else describe_silence(competition.reveal)
