"""Graded items: the items of a holdout without labels, and the scores that a grader outside gave them."""

import json
import os
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from ladderboard.core.errors import GuardFileError, InputError, LabelsError, ParameterError, PredictionsError
from ladderboard.guard.alignment import Alignment, as_texts, read_ids, refuse_named
from ladderboard.guard.file import GuardFile
from ladderboard.guard.file_schema import GuardSettings
from ladderboard.guard.frames import ID_COLUMNS
from ladderboard.metrics.mean_score import MeanScore

if TYPE_CHECKING:
    from ladderboard.evals import LossMatrix

TABLES = (".csv", ".tsv", ".txt", ".parquet")
"""Other files are results of a harness."""
DECIMALS = 12
"""Scores of a harness come as losses; turned back they are rounded, so that 0.1 is 0.1 again."""


@dataclass(frozen=True, eq=False)
class ItemList:
    """The items of a holdout in their order, with a group for each where they have one."""

    ids: list[str]
    groups: list[str] | None = None

    @classmethod
    def read(cls, items: Any, groups: Any = None) -> "ItemList":
        """Items as a user names them: a collection of ids, or results, whose items and groups they are."""
        if _is_matrix(items):
            found = items.groups if groups is None else groups
            return cls.read(list(items.items), found)
        if isinstance(items, str | os.PathLike):
            raise ParameterError(f"items is the path {str(items)!r}; read it first, such as by read_results(path)")
        ids = as_texts(read_ids(items, "item", LabelsError))
        if groups is None:
            return cls(ids)
        given = Alignment(ids).arrange(groups, word="group", error=LabelsError).values
        names = [str(name) for name in np.asarray(given).tolist()]
        if len(names) != len(ids):
            raise LabelsError(f"{len(names)} groups for {len(ids)} items; give one for each item")
        return cls(ids, names)

    def pack(self) -> bytes:
        """Encode the list for a guard's file."""
        return zlib.compress(json.dumps([self.ids, self.groups]).encode(), level=1)

    @classmethod
    def unpack(cls, content: bytes) -> "ItemList":
        """The inverse of `pack`."""
        return cls(*json.loads(zlib.decompress(content)))

    def check_same(self, given: "ItemList", path: Path) -> None:
        """Refuse items or groups that are not those of the guard's file; their order may differ."""
        now, then = set(given.ids), set(self.ids)
        advice = "; give the same items, or choose another path for a new holdout"
        refuse_named([one for one in self.ids if one not in now], f"{path} was made with the", GuardFileError, advice)
        refuse_named(
            [one for one in given.ids if one not in then], f"{path} was made without the", GuardFileError, advice
        )
        groups = dict(zip(given.ids, given.groups or (), strict=False))
        if groups and (self.groups is None or [groups[one] for one in self.ids] != self.groups):
            raise GuardFileError(f"{path} was made with other groups; leave groups out, or choose another path")


def make_graded(
    items: Any,
    path: Path | None,
    *,
    bounds: tuple[float, float] | None,
    lower_is_better: bool | None,
    baseline: float | None,
    groups: Any,
) -> dict[str, Any]:
    """Make the arguments of a `Holdout` of graded items; what is not said is as in the guard's file, if there is one.

    The order of the items is that of the file.
    """
    made = None if path is None or not path.exists() else _read_settings(path)
    if made is None and items is None:
        raise ParameterError("items are missing; give their ids, or the path of a guard that was made with them")
    given = None if items is None else ItemList.read(items, groups)
    stored = None if made is None or made.item_list is None else ItemList.unpack(made.item_list)
    if made is not None and stored is None:
        raise GuardFileError(f"{path} guards labels, not graded items; open it by Holdout(labels, path=…)")
    if stored is not None and given is not None and path is not None:
        stored.check_same(given, path)
    used = stored or given
    assert used is not None
    metric = _make_metric(made, bounds, lower_is_better=lower_is_better, baseline=baseline)
    return {"labels": [0] * len(used.ids), "metric": metric, "group": used.groups, "ids": used.ids}


def read_item_scores(given: Any, metric: MeanScore) -> Any:
    """Scores of items as something with ids; a file or results of a harness become a dict, repeats their mean.

    A bare list or array is refused: nothing in it says which item a score belongs to.
    """
    if isinstance(given, str | os.PathLike):
        given = read_scores_file(Path(given), lower_is_better=metric.lower_is_better)
    if _is_matrix(given):
        return _take_scores(given, metric)
    if isinstance(given, Mapping) and given and isinstance(next(iter(given.values())), list | tuple | np.ndarray):
        return {item: _average(item, runs) for item, runs in given.items()}
    return given


def _is_matrix(given: object) -> "TypeGuard[LossMatrix]":
    # By its attributes: importing the class would import all readers of results for every guard.
    return hasattr(given, "losses") and hasattr(given, "measure")


def _read_settings(path: Path) -> GuardSettings:
    guard = GuardFile.open(path)
    guard.close()
    return guard.settings


def _make_metric(
    made: GuardSettings | None, bounds: Any, *, lower_is_better: bool | None, baseline: float | None
) -> MeanScore:
    known = {} if made is None else json.loads(made.metric_parameters)
    is_lower = known.get("lower_is_better", False) if lower_is_better is None else lower_is_better
    if bounds is None:
        bounds = (known.get("low", 0.0), known.get("high", 1.0))
    if baseline is None and is_lower == known.get("lower_is_better"):
        baseline = known["without_skill"]
    return MeanScore(bounds, lower_is_better=is_lower, baseline=baseline)


def read_scores_file(
    path: Path, *, lower_is_better: bool, column: str | None = None, id_column: str | None = None
) -> "dict[str, Any] | LossMatrix":
    """Read the scores in a table (an id and a score for each item) or in samples of a harness.

    ``column`` names the score, ``id_column`` a table's ids, where the file does not say it.
    """
    if path.suffix.lower() in TABLES:
        return _read_scores_table(path, column, id_column)
    from ladderboard.evals.results import read_matrix_results

    named = () if column is None else (column,)
    try:
        # As the file itself says which way its scores point, so that a contradiction shows.
        return read_matrix_results(path, constant=True, metric=named)
    except InputError:
        return read_matrix_results(path, constant=True, metric=named, higher_is_better=not lower_is_better)


def find_id_column(columns: Collection[str], given: str | None, file: str) -> str:
    """Find the column that names the items: the one that is said, or one called id, item or item_id."""
    if given is not None:
        return given
    named = [name for name in columns if name.lower() in ID_COLUMNS]
    if len(named) != 1:
        raise InputError(f"{file}: which column names the items? Call it id or item; there are: {', '.join(columns)}")
    return named[0]


def _read_scores_table(path: Path, column: str | None, id_column: str | None) -> dict[str, Any]:
    from ladderboard.tabular import read_table

    table = read_table(path)
    named = find_id_column(table.columns, id_column, path.name)
    scores = [name for name in table.columns if name != named] if column is None else [column]
    if len(scores) != 1:
        raise InputError(f"{path.name}: which column has the scores? There are: {', '.join(scores) or 'none'}")
    ids = read_ids(table.names(named), "score", PredictionsError)
    return dict(zip(as_texts(ids), table.numbers(scores[0]).tolist(), strict=True))


def _take_scores(results: "LossMatrix", metric: MeanScore) -> dict[str, float]:
    if len(results.systems) != 1:
        names = ", ".join(results.systems[:5])
        raise PredictionsError(f"the results are of {len(results.systems)} systems ({names}); select one of them")
    if results.measure.lower_is_better != metric.lower_is_better:
        said, wanted = ("lower", "higher") if results.measure.lower_is_better else ("higher", "lower")
        raise PredictionsError(
            f"{results.measure.name} is better where it is {said}, the holdout's scores where they are {wanted}; "
            "give scores of the same direction, or make the holdout with the other lower_is_better"
        )
    losses = results.losses[:, 0]
    zero = results.measure.zero_loss_score
    scores = np.round(losses if zero is None else zero - losses, DECIMALS)
    return dict(zip(results.items, scores.tolist(), strict=True))


def _average(item: object, runs: Collection[Any]) -> float:
    try:
        return float(np.mean(np.asarray(runs, dtype=np.float64)))
    except (TypeError, ValueError):
        raise PredictionsError(f"item {str(item)!r}: its runs are not numbers") from None
