"""Graded items on the command line: `holdout init --items`, and `holdout score` of a guard that was made so."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard.core.errors import ParameterError
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.item_scores import TABLES, ItemList, find_id_column, read_scores_file
from ladderboard.tabular import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladderboard.cli._shared.files import ItemColumns
    from ladderboard.mechanisms.base import Mechanism


@dataclass(frozen=True)
class GradedOptions:
    """What `init` is told of graded items."""

    items: Path | None
    bounds: tuple[float, float] | None
    baseline: float | None
    lower_is_better: bool | None
    metric: str | None
    """Of samples with several scores for each item, the one to take; None: not said."""
    grader: Path | None = None
    """What grades outputs here; None: they are graded outside."""

    def check(self, labels: Path | None) -> None:
        """Refuse options of both kinds of guards at once."""
        if (labels is None) == (self.items is None):
            raise ParameterError("give the file LABELS, or --items for items that are graded outside, not both")
        if self.items is None and self.grader is not None:
            raise ParameterError("--grader grades the outputs of --items; give both")
        if self.items is None and (self.bounds is not None or self.baseline is not None):
            raise ParameterError("--bounds and --baseline are for --items; labels have a metric, which knows its own")
        if self.items is not None and self.metric is not None and is_table(self.items):
            raise ParameterError("graded items have no other metric than their mean score; leave --metric out")


def create_graded_guard(
    path: Path, options: GradedOptions, columns: "ItemColumns", mechanism: "Mechanism", seed: int | None
) -> Holdout:
    """Create the guard of the items in a table or in samples of a harness."""
    if columns.weight is not None:
        raise ParameterError("graded items all count alike; leave --weight out")
    if options.grader is not None:
        return Holdout.from_grader(
            options.items,
            options.grader,
            bounds=options.bounds,
            baseline=options.baseline,
            lower_is_better=options.lower_is_better,
            path=path,
            mechanism=mechanism,
            seed=seed,
        )
    found = _read_items(options, columns)
    return Holdout.from_item_scores(
        found.ids,
        groups=found.groups,
        bounds=options.bounds,
        baseline=options.baseline,
        lower_is_better=options.lower_is_better,
        path=path,
        mechanism=mechanism,
        seed=seed,
    )


def read_given_scores(guard: Holdout, file: Path, named: "Sequence[str]", id_column: str | None) -> Any:
    """Read the scores to give to such a guard; ``named``: what was said of the score to take."""
    if len(named) > 1:
        raise ParameterError(f"an item has one score; --column and --metric name {len(named)}: {', '.join(named)}")
    column = named[0] if named else None
    return read_scores_file(file, lower_is_better=guard.metric.lower_is_better, column=column, id_column=id_column)


def is_table(file: Path) -> bool:
    """Whether a file is a table, and not a harness's samples."""
    return file.suffix.lower() in TABLES


def _read_items(options: GradedOptions, columns: "ItemColumns") -> ItemList:
    file = options.items
    assert file is not None
    if not is_table(file):
        found = read_scores_file(file, lower_is_better=bool(options.lower_is_better), column=options.metric)
        return ItemList.read(found)

    table = read_table(file)
    only = table.columns[0] if len(table.columns) == 1 else None
    named = find_id_column(table.columns, columns.id or only, file.name)
    groups = None if columns.group is None else table.names(columns.group)
    return ItemList.read(table.names(named), groups)
