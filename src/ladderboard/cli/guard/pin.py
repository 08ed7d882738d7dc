"""`ladderboard holdout pin`: the model in use becomes the reference of `score --not-worse`."""

from pathlib import Path

import click

from ladderboard.cli.guard.opening import FILE, ItemFile, open_with_predictions
from ladderboard.guard.file import GuardFile
from ladderboard.guard.reference import pin_attempt


@click.command(short_help="Pin the model in use as the reference of `score --not-worse`.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("reference", required=False)
@click.option("--labels", type=FILE, help="The labels, as given to `init`, to pin a file; graded items have none.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The prediction column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items, in both files.")
@click.option("--metric", help="Your metric's new path, if you moved it: path/to/file.py:function.")
def pin(
    path: Path,
    reference: str | None,
    *,
    labels: Path | None,
    columns: tuple[str, ...],
    id_column: str | None,
    metric: str | None,
) -> None:
    r"""Pin the reference of `score --not-worse` in GUARD: an attempt's number, or a file of predictions.

    Without REFERENCE the entry on the board is pinned. The guard keeps the predictions of that entry and of the last
    improved one; for any other give the file. Pinning releases nothing and uses no attempt, except in a gate:
    what is pinned there first is attempt 1, which `score` compares with until something is certified.

    \b
    Example:
      ladderboard holdout pin holdout.db
      ladderboard holdout pin holdout.db 3
      ladderboard holdout pin holdout.db deployed.csv --labels labels.csv
    """
    if reference is None or reference.isdecimal():
        pinned = f"attempt {_pin_attempt(path, None if reference is None else int(reference))}"
    else:
        file = ItemFile(Path(reference), columns, id_column)
        with open_with_predictions(path, labels, file, metric) as (guard, given):
            is_gates_first = guard.mechanism.certifies and guard.attempts == 0
            guard.pin(given)
        pinned = reference
        if is_gates_first:
            click.echo(f"{path} now compares with {pinned}; ask with: ladderboard holdout score {path} …")
            return
    click.echo(f"{path} now compares with {pinned}; ask with: ladderboard holdout score {path} … --not-worse")


def _pin_attempt(path: Path, attempt: int | None) -> int:
    guard = GuardFile.open(path)
    try:
        return pin_attempt(guard, attempt)
    finally:
        guard.close()
