"""`ladderboard holdout ask`: predictions sent to a holdout service, for shells and continuous integration."""

import json
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.files import ItemColumns, read_rows
from ladderboard.cli.guard.holdout import NOT_IMPROVED
from ladderboard.cli.guard.opening import FILE
from ladderboard.client.remote_holdout import RemoteHoldout


@click.command()
@click.argument("predictions", type=FILE, required=False)
@click.option("--url", required=True, envvar="LADDERBOARD_HOLDOUT_URL", help="http://127.0.0.1:8765 or unix:/PATH.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The prediction column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items.")
@click.option("--training-score", type=float, help="The score on your training data, for mechanisms that compare it.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@click.pass_context
def ask(
    ctx: click.Context,
    predictions: Path | None,
    *,
    url: str,
    columns: tuple[str, ...],
    id_column: str | None,
    training_score: float | None,
    as_json: bool,
) -> None:
    r"""Ask a holdout service to score PREDICTIONS; without a file, show where it stands.

    The token is read from LADDERBOARD_HOLDOUT_TOKEN. Exit code: 0 improved (proven); 3 not proven, whether shown or
    not; 2 bad input, no attempt used; 4 the holdout is spent; 5 the token is refused; 7 no answer.

    \b
    Example:
      ladderboard holdout ask predictions.csv --url http://127.0.0.1:8765
      ladderboard holdout ask --url unix:/run/holdout.sock
    """
    with RemoteHoldout(url) as holdout:
        if predictions is None:
            status = holdout.status()
            click.echo(json.dumps(status) if as_json else _describe_status(status))
            return
        classes = [*map(str, holdout.status()["class_columns"])]
        given = read_rows(predictions, ItemColumns(columns, id_column), word="prediction", classes=classes)
        told = holdout.ask_score(given.values, ids=given.ids, training_score=training_score)
    click.echo(json.dumps(told) if as_json else "\n".join(told["outcome"]))
    ctx.exit(0 if told["improved"] else NOT_IMPROVED)


def _describe_status(status: dict[str, Any]) -> str:
    better, client = "lower" if status["lower_is_better"] else "higher", status["client"]
    classes = f" ({', '.join(map(str, status['classes']))})" if status["classes"] else ""
    positive = "" if status.get("positive") is None else f"; the positive class is {status['positive']}"
    items = f"{status['items']} items{' with ids' if status.get('has_ids') else ''}"
    return "\n".join(
        [
            f"{status['metric']} ({better} is better) on {items}, guarded by {status['mechanism']}",
            f"Attempts: {status['attempts']} of all clients, {client['attempts']} of {client['name']}; "
            f"score shown {status['board_value']}",
            f"It takes {status['takes'].replace('_', ' ')}: {status['expects']}{classes}{positive}",
        ]
    )
