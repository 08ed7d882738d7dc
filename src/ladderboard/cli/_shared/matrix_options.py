"""Options for commands that read a loss matrix."""

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
        help="What the cells hold: losses (lower is better), 1 for right and 0 for wrong, or predictions.",
    ),
    click.option("--labels-column", metavar="NAME", help="With predictions: the column of true labels."),
    click.option(
        "--metric", metavar="NAME", help="With predictions: the metric, such as auc.  [default: right or wrong]"
    ),
    click.option("--items-column", metavar="NAME", help="The column that names the items."),
    click.option("--table", metavar="NAME", help="Which array of an .npz file to read, if it has several."),
    click.option(
        "--missing",
        default="error",
        show_default=True,
        type=click.Choice(["error", "drop-items", "worst"]),
        help="Empty cells: refuse the file, drop their items, or count them as the worst loss.",
    ),
    click.option("--constant", is_flag=True, help="Accept systems with the same loss on every item."),
)


def add_matrix_argument(command: Command) -> Command:
    """Add the argument MATRIX and its options to a command, which passes them on to `read_matrix`."""
    return _decorate(command, required=True)


def add_optional_matrix_argument(command: Command) -> Command:
    """Add an optional argument MATRIX and its options to a command."""
    return _decorate(command, required=False)


def _decorate(command: Command, *, required: bool) -> Command:
    matrix = click.argument("matrix", required=required, type=click.Path(dir_okay=False, path_type=Path))
    for decorator in reversed((matrix, *_OPTIONS)):
        command = decorator(command)
    return command


def add_matrix_options(command: Command) -> Command:
    """Add the options alone, for a command with its own option for the file."""
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def read_matrix(matrix: Path, *, missing: str, metric: str | None, **options: Any) -> "LossMatrix":
    """Read the loss matrix described by the options of `add_matrix_argument`."""
    from ladderboard.evals import read_loss_matrix
    from ladderboard.metrics import find_metric

    options["missing"] = missing.replace("-", "_")
    return read_loss_matrix(matrix, metric=None if metric is None else find_metric(metric), **options)
