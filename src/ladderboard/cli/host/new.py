"""`ladderboard new`: a new competition folder."""

import shlex
import shutil
from datetime import UTC, datetime
from pathlib import Path

import click

from ladderboard.competition import Competition
from ladderboard.competition.code_scaffold import CodeRequest, add_programs
from ladderboard.competition.file_scaffold import FileRequest, fill_folder
from ladderboard.competition.importers.importing import Imported, ImportRequest, fill_from_bundle
from ladderboard.competition.scaffold import Request, make_folder, make_whole
from ladderboard.core.errors import ParameterError
from ladderboard.planning.ordering import describe_fair_size


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--solution",
    type=click.Path(path_type=Path),
    help="The file of ids and labels: .csv, .csv.gz, .parquet; with --scorer any file or folder.",
)
@click.option(
    "--scorer",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Your Python file with score_items(submission, solution), for submissions that are files.",
)
@click.option(
    "--sample", type=click.Path(dir_okay=False, path_type=Path), help="With --scorer or --from: a valid submission."
)
@click.option(
    "--items", type=click.Path(dir_okay=False, path_type=Path), help="With --scorer: a table with the column id."
)
@click.option(
    "--inputs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Let teams submit programs: the folder of hidden inputs that these answer.",
)
@click.option(
    "--sample-inputs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --inputs: a folder of inputs like them that everybody may see.",
)
@click.option(
    "--environment",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --inputs: the virtual environment of programs.  [default: the server's own Python]",
)
@click.option("--lower-is-better", is_flag=True, help="With --scorer or --from: lower values are better.")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, path_type=Path),
    help="A bundle of Codabench, CodaLab, EvalAI, Kaggle or Hugging Face: a folder or an archive.",
)
@click.option("--phase", help="With --from: the phase to take.  [default: the last one]")
@click.option("--trust", is_flag=True, help="With --from: its program may run without a sandbox, where there is none.")
@click.option("--metric", help="A metric's name from docs/reference/metrics.md.  [default: what suits the labels]")
@click.option("--positive", metavar="CLASS", help="Of two classes the one that scores, probabilities or F1 are about.")
@click.option("--title", help="The competition's title.  [default: the folder's name]")
@click.option(
    "--id", "id_column", metavar="COLUMN", help="The column that names the rows.  [default: found by its name]"
)
@click.option(
    "--label", "labels", multiple=True, metavar="COLUMN", help="The label column; give it twice for time and event."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the example's data.")
def new(
    folder: Path,
    *,
    solution: Path | None,
    scorer: Path | None,
    sample: Path | None,
    items: Path | None,
    lower_is_better: bool,
    source: Path | None,
    phase: str | None,
    trust: bool,
    metric: str | None,
    positive: str | None,
    title: str | None,
    id_column: str | None,
    labels: tuple[str, ...],
    seed: int,
    **programs: Path | None,
) -> None:
    r"""Create the competition folder DIR from a solution file; without one, a small example that is ready to serve.

    Columns are found by their names (id, label, Usage, group, weight, time and event), and a metric is proposed. Both
    are written to competition.toml with explanations; change them there. Nothing is overwritten.

    \b
    Example:
      ladderboard new whales --solution solution.csv --title "Whales by their song"
      ladderboard new masks --scorer score.py --solution solution/ --sample sample.zip
      ladderboard new course --solution labels.csv --inputs hidden/ --sample-inputs public/
      ladderboard new lifeboat --from bundle.zip
      ladderboard new try-it && ladderboard check try-it && ladderboard serve try-it
    """
    if source is not None:
        wanted = ImportRequest(source, title, phase, sample, lower_is_better, trust)
        with make_whole(folder) as temporary:
            imported = fill_from_bundle(temporary, folder, wanted, now=datetime.now(UTC))
        _tell_of_files(folder, imported.competition, imported)
        return
    code = _read_code_request(programs)
    if scorer is not None:
        if solution is None or sample is None:
            raise ParameterError("--scorer needs --solution and --sample: what to compare with, and a valid submission")
        request = FileRequest(scorer, solution, sample, items, title, lower_is_better)
        with make_whole(folder) as temporary:
            competition = fill_folder(temporary, folder, request)
        _tell_of_files(folder, _add_programs(folder, code) or competition)
        return
    made = make_folder(folder, Request(solution, metric, title, id_column, labels, positive, seed))
    columns, proposal, name = made.draft.columns, made.draft.proposal, shlex.quote(str(folder))
    click.echo(f"Created {folder}, a competition with {len(made.competition.solution.ids):,} rows.")
    roles = {"id": columns.id, "label": ", ".join(columns.labels), "usage": columns.usage}
    roles |= {"group": columns.group, "weight": columns.weight}
    click.echo("  columns  " + "; ".join(f"{role}: {found}" for role, found in roles.items() if found is not None))
    click.echo(f"  metric   {proposal.metric}: {proposal.because}")
    if made.draft.public_share is not None:
        click.echo(f"  split    {made.draft.public_share:.0%} public, drawn with a secret seed in competition.toml")
    words = describe_fair_size(made.competition.mechanism, made.competition.public.yardstick)
    if words is not None:
        click.echo(f"  board    {made.competition.mechanism.name}: {words}")
    with_programs = _add_programs(folder, code)
    if with_programs is not None:
        click.echo(f"  programs {with_programs.rehearsal}")
    click.echo("\nNext: edit competition.toml and description.md, put downloads into data/, then run")
    click.echo(f"  ladderboard check {name}\n  ladderboard serve {name}")


def _read_code_request(given: dict[str, Path | None]) -> CodeRequest | None:
    inputs, sample_inputs = given["inputs"], given["sample_inputs"]
    if inputs is None and sample_inputs is None and given["environment"] is None:
        return None
    if inputs is None or sample_inputs is None:
        raise ParameterError("programs need --inputs, which stay hidden, and --sample-inputs, which everybody may see")
    return CodeRequest(inputs, sample_inputs, given["environment"])


def _add_programs(folder: Path, request: CodeRequest | None) -> Competition | None:
    """Let the new competition take programs; where that fails, nothing remains of it."""
    if request is None:
        return None
    try:
        return add_programs(folder, request)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _tell_of_files(folder: Path, competition: Competition, imported: Imported | None = None) -> None:
    name = shlex.quote(str(folder))
    click.echo(f"Created {folder}, a competition with {len(competition.solution.ids):,} items.")
    click.echo(f"  scorer   {competition.rehearsal}")
    if imported is not None:
        click.echo(f"  from     {imported.platform}")
        for one in imported.left:
            click.echo(f"  left     {one}")
    click.echo("\nNext: edit competition.toml and description.md, put downloads into data/, then run")
    click.echo(f"  ladderboard check {name}\n  ladderboard serve {name}")
