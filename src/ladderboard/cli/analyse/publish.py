"""`ladderboard publish`: results in the formats in which they are shared."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.matrix_options import add_matrix_argument, read_matrix, show_reading
from ladderboard.core.errors import ParameterError
from ladderboard.evals.writers.eval_results import write_eval_results
from ladderboard.evals.writers.every_eval_ever import write_every_eval_ever

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@add_matrix_argument
@click.option("--every-eval-ever", type=FOLDER, metavar="FOLDER", help="Write data/… of Every Eval Ever here.")
@click.option("--benchmark", metavar="NAME", help="With --every-eval-ever: what the results are of.")
@click.option("--organisation", metavar="NAME", help="With --every-eval-ever: who ran the evaluation.")
@click.option(
    "--relationship",
    type=click.Choice(["first_party", "third_party", "collaborative", "other"]),
    default="third_party",
    show_default=True,
    help="With --every-eval-ever: whether they also made the models.",
)
@click.option("--eval-results", type=FOLDER, metavar="FOLDER", help="Write SYSTEM/.eval_results/… of the Hub here.")
@click.option("--dataset", metavar="ORG/NAME", help="With --eval-results: the benchmark's dataset on the Hub.")
@click.option("--task-id", default="default", show_default=True, help="With --eval-results: the dataset's task.")
@click.option("--source-url", metavar="URL", help="With --eval-results: where the results are published.")
def publish(*, matrix: Path, every_eval_ever: Path | None, eval_results: Path | None, **options: Any) -> None:
    r"""Write MATRIX, a table of results or a harness's folder, for Every Eval Ever or the Hugging Face Hub.

    Every score comes with its standard error. Nothing is uploaded.

    \b
    Example:
      ladderboard publish logs/ --every-eval-ever . --benchmark arith --organisation "Our Lab"
      ladderboard publish logs/ --eval-results models/ --dataset openai/gsm8k --task-id gsm8k
    """
    taken = {name: options.pop(name) for name in ("benchmark", "organisation", "relationship")}
    hub = {name: options.pop(name) for name in ("dataset", "task_id", "source_url")}
    if every_eval_ever is None and eval_results is None:
        raise ParameterError("say what to write, and where: --every-eval-ever FOLDER or --eval-results FOLDER")
    if every_eval_ever is not None and None in taken.values():
        raise ParameterError("--every-eval-ever needs --benchmark and --organisation: its format asks for both")
    if eval_results is not None and hub["dataset"] is None:
        raise ParameterError("--eval-results needs --dataset, the benchmark's dataset on the Hub, such as openai/gsm8k")
    results = read_matrix(matrix, **options)
    show_reading(results)
    written: list[Path] = []
    if every_eval_ever is not None:
        written += write_every_eval_ever(results, every_eval_ever, now=datetime.now(UTC), **taken)
    if eval_results is not None:
        written += write_eval_results(results, eval_results, **hub)
    for path in written:
        click.echo(f"Wrote {path}.")
