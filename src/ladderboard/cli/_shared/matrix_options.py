"""The argument and options with which several commands take a loss matrix."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ladderboard.evals import LossMatrix

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--kind",
        default="losses",
        show_default=True,
        type=click.Choice(["losses", "correct", "predictions"]),
        help="What the cells are: losses (lower is better), 1 right and 0 wrong, or predictions.",
    ),
    click.option("--labels-column", metavar="NAME", help="For predictions: the column of true labels."),
    click.option(
        "--metric", metavar="NAME", help="For predictions: the metric, such as auc.  [default: equal is right]"
    ),
    click.option("--items-column", metavar="NAME", help="The column that names the items."),
    click.option("--table", metavar="NAME", help="The items × systems array of an .npz file with several."),
    click.option(
        "--missing",
        default="error",
        show_default=True,
        type=click.Choice(["error", "drop-items", "worst"]),
        help="Empty cells: refuse, leave their items out, or count as the worst loss.",
    ),
    click.option("--constant", is_flag=True, help="Admit systems with the same loss on every item."),
)


def takes_loss_matrix(command: Command) -> Command:
    """Give a command the argument MATRIX and its options; the command passes them on to `read_matrix`."""
    return _decorated(command, required=True)


def may_take_loss_matrix(command: Command) -> Command:
    """The same for a command that has other sources as well: MATRIX may be left out, and is then None."""
    return _decorated(command, required=False)


def _decorated(command: Command, *, required: bool) -> Command:
    matrix = click.argument("matrix", required=required, type=click.Path(dir_okay=False, path_type=Path))
    for decorator in reversed((matrix, *_OPTIONS)):
        command = decorator(command)
    return command


def takes_matrix_options(command: Command) -> Command:
    """The options alone, for a command that names the file by an option of its own."""
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def read_matrix(matrix: Path, *, missing: str, metric: str | None, **options: Any) -> "LossMatrix":
    """The loss matrix that the options of `takes_loss_matrix` describe."""
    from ladderboard.evals import read_loss_matrix
    from ladderboard.metrics import find_metric

    options["missing"] = missing.replace("-", "_")
    return read_loss_matrix(matrix, metric=None if metric is None else find_metric(metric), **options)
