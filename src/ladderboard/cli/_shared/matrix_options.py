"""Options for commands that read results of systems on items, and what such a command says of its reading."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ladderboard.analysis.data_check import check_data
from ladderboard.core.errors import ParameterError
from ladderboard.evals import Battles, Board, LossMatrix, read_matrix_results, read_results
from ladderboard.inference.repeats import pass_at_k, pass_hat_k

Command = TypeVar("Command", bound=Callable[..., Any])
RESULTS = click.Path(path_type=Path)

_OPTIONS = (
    click.option(
        "--kind",
        type=click.Choice(["losses", "correct", "scores", "predictions"]),
        help="What a table holds: losses (lower is better), 1 for right and 0 for wrong, scores, or predictions.",
    ),
    click.option("--higher-is-better/--lower-is-better", default=None, help="Which way scores point."),
    click.option("--labels-column", metavar="NAME", help="With predictions: the column of true labels."),
    click.option(
        "--metric",
        metavar="NAME",
        multiple=True,
        help="Which score to take if there are several; repeatable. With predictions: what scores them, such as auc.",
    ),
    click.option("--items-column", metavar="NAME", help="The column that names the items."),
    click.option("--groups-column", metavar="NAME", help="Items with the same value here are not independent."),
    click.option("--tasks-column", metavar="NAME", help="The column that names each item's task."),
    click.option("--systems", metavar="NAMES", help="Take only these systems: a,b,c or a file with one name per line."),
    click.option("--drop", metavar="NAMES", help="Leave out these systems or columns: a,b,c."),
    click.option("--table", metavar="NAME", help="Which array of an .npz file to read, if it has several."),
    click.option(
        "--missing",
        default="error",
        show_default=True,
        type=click.Choice(["error", "drop-items", "worst"]),
        help="Missing cells: refuse the file, drop their items, or count them as the worst loss.",
    ),
    click.option("--missing-value", metavar="VALUE", help="The value that marks a missing cell, such as -1."),
    click.option(
        "--reruns",
        type=click.Choice(["fullest", "latest", "repeats"]),
        default="fullest",
        show_default=True,
        help="Several runs of a system on the same items: take the fullest, then the latest of these; or average them.",
    ),
    click.option("--item-count", type=click.IntRange(min=2), metavar="N", help="SWE-bench: how many instances it has."),
    click.option("--cost", metavar="UNIT", help="The costs to take if there are several units, such as USD; or none."),
    click.option("--judge-column", metavar="NAME", help="In a long table: a model's scores of every item."),
    click.option("--human-column", metavar="NAME", help="With --judge-column: human scores of a random part of them."),
    click.option(
        "--covariate",
        "covariates",
        metavar="NAME",
        multiple=True,
        help="Of battles: control for NAME_a − NAME_b, a column, or position; repeatable.",
    ),
    click.option(
        "--names", metavar="FORM", help="Seeds or prompts in names: '{system}-seed{seed}', '{system} [{prompt}]'."
    ),
    click.option("--seed-column", metavar="NAME", help="In a long table: the seed, which moves all items together."),
    click.option("--prompt-column", metavar="NAME", help="In a long table: the prompt, the same ones for all systems."),
    click.option("--pass-at", type=click.IntRange(min=1), metavar="K", help="Of repeated runs: is one of K right?"),
    click.option("--pass-hat", type=click.IntRange(min=1), metavar="K", help="Of repeated runs: are all of K right?"),
    click.option("--constant", is_flag=True, help="Accept columns with the same number in every row."),
)


def add_matrix_argument(command: Command) -> Command:
    """Add the argument MATRIX and its options to a command, which passes them on to `read_matrix`."""
    return _decorate(command, required=True)


def add_optional_matrix_argument(command: Command) -> Command:
    """Add an optional argument MATRIX and its options to a command."""
    return _decorate(command, required=False)


def _decorate(command: Command, *, required: bool) -> Command:
    matrix = click.argument("matrix", required=required, type=RESULTS)
    for decorator in reversed((matrix, *_OPTIONS)):
        command = decorator(command)
    return command


def add_matrix_options(command: Command) -> Command:
    """Add the options alone, for a command with its own option for the file."""
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


MATRIX_OPTIONS = (
    *(
        "kind",
        "higher_is_better",
        "labels_column",
        "metric",
        "items_column",
        "groups_column",
        "tasks_column",
        "systems",
    ),
    *(
        "drop",
        "table",
        "missing",
        "missing_value",
        "reruns",
        "item_count",
        "constant",
        "cost",
        "judge_column",
        "human_column",
        "names",
        "seed_column",
        "prompt_column",
        "pass_at",
        "pass_hat",
    ),
)
"""The names under which a command is given them."""


def read_matrix(matrix: Path, **options: Any) -> LossMatrix:
    """Read the results described by the options of `add_matrix_argument`."""
    choose_passes, named = _name_options(**options)
    return choose_passes(read_matrix_results(matrix, **named))


def read_matrix_or_battles(matrix: Path, **options: Any) -> LossMatrix | Battles:
    """Read the results described by the options of `add_matrix_argument`, or the battles in a file of battles."""
    choose_passes, named = _name_options(**options)
    found = read_results(matrix, **named)
    if isinstance(found, Battles):
        return found
    return choose_passes(read_matrix_results(matrix, **named) if isinstance(found, Board) else found)


def _name_options(
    *,
    missing: str,
    systems: str | None = None,
    drop: str | None = None,
    pass_at: int | None = None,
    pass_hat: int | None = None,
    **options: Any,
) -> tuple[Callable[[LossMatrix], LossMatrix], dict[str, Any]]:
    """What is done about repeated runs, and the other options as `read_results` takes them."""
    if pass_at is not None and pass_hat is not None:
        raise ParameterError("--pass-at asks for one right run of K, --pass-hat for all K; say one of them")

    def choose_passes(results: LossMatrix) -> LossMatrix:
        if pass_at is not None:
            return pass_at_k(results, pass_at)
        return results if pass_hat is None else pass_hat_k(results, pass_hat)

    return choose_passes, {
        "missing": missing.replace("-", "_"),
        "systems": None if systems is None else read_names(systems),
        "drop": () if drop is None else read_names(drop),
        **options,
    }


def read_names(given: str) -> list[str]:
    """Read names from a file with one per line, or from the option itself, between commas."""
    path = Path(given)
    words = path.read_text(encoding="utf-8").splitlines() if path.is_file() else given.split(",")
    return [word.strip() for word in words if word.strip()]


def show_reading(losses: LossMatrix | Battles) -> None:
    """Print what was taken for what, and what the data check found, before any statistic."""
    for line in (*losses.notes, *_list_findings(losses)):
        click.echo(line)
    click.echo()


def reading_to_json(losses: LossMatrix | Battles | Board) -> dict[str, Any]:
    """The same for JSON, with every name of what was left out."""
    return {
        "notes": list(losses.notes),
        "left_out": [one.to_json() for one in losses.left_out],
        "data_check": _list_findings(losses),
    }


def _list_findings(losses: LossMatrix | Battles | Board) -> list[str]:
    if not isinstance(losses, LossMatrix):
        return []
    return [f"Data check: {finding}" for finding in check_data(losses)]
