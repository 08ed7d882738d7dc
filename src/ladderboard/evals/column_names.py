"""Names of columns that hold no system's scores: labels, properties of the items, spreads, means, a second score."""

import re
from collections.abc import Sequence

from ladderboard.core.errors import InputError
from ladderboard.evals.direction import HIGHER, LOWER
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.table_columns import Columns
from ladderboard.tabular import Table

SYSTEM_NAMES = (
    *("system", "model", "system_name", "model_name", "system_id", "model_id", "method"),
    *("llm", "agent", "algorithm", "submission", "team"),
)
"""A column that names a system in each row: a long table."""
SUMMARY_NAMES = frozenset(("mean", "average", "avg", "avg.", "total", "sum", "overall", "all", "median", "std"))
_LABELS = re.compile(
    r"(?:.+[_ .-])?(?:labels?|gold|truth|y_true)"
    r"|(?:(?:gold|true|correct|reference|expected)[_ .-])?(?:target|answer|reference|class|output)",
    re.IGNORECASE,
)
_PROPERTIES = re.compile(
    r"(?:is|has|num)[_ ].+"
    r"|(?:.+[_ ])?(?:year|category|topic|difficulty|level|length|tokens|timestamp|count|votes|latency|duration|price)"
    r"|task|group|fold|split|seed|epoch|repeat|run|weights?|date|language|n|rank|time|cost|diff|difference|p_?value",
    re.IGNORECASE,
)
_SPREADS = re.compile(r"(?:.*[_ .-])?(?:stderr|std|sd|se|ci|var|variance|std_err|std_error)", re.IGNORECASE)
_METRIC = re.compile(r"(?P<system>.+)[_ /:-](?P<metric>[a-z0-9_]+|pass@\d+)", re.IGNORECASE)


def refuse_other_things(table: Table, columns: Columns, options: ReadOptions) -> None:
    """Refuse a column whose name says that it holds no system's scores."""
    if options.systems is not None:
        return
    _refuse_several_metrics(table, columns.systems)
    for name in columns.systems:
        found = _describe(name.strip(), name)
        if found is not None:
            what, instead = found
            raise InputError(
                f"{table.name}, column {name!r} is named like {what}; {instead}, or say which columns are systems "
                "(--systems)"
            )


def _describe(word: str, name: str) -> tuple[str, str] | None:
    """What a column is called like, and what to do with it."""
    drop = f"leave it out (--drop {name})"
    if _LABELS.fullmatch(word):
        score = f"score predictions with it (--kind predictions --labels-column {name})"
        return "the true labels", f"{score}, {drop}"
    if word.lower() in SUMMARY_NAMES:
        return "a summary of the other columns", drop
    if _SPREADS.fullmatch(word):
        return "the spread of another column", drop
    if _PROPERTIES.fullmatch(word):
        return "a property of the items", f"{drop}, use it (--groups-column, --tasks-column)"
    return None


def _refuse_several_metrics(table: Table, names: Sequence[str]) -> None:
    """Refuse columns such as gpt_acc and gpt_f1: two scores of one system are not two systems."""
    first: dict[str, tuple[str, str]] = {}
    for name in names:
        parts = _METRIC.fullmatch(name.strip())
        if parts is None or not (parts["metric"].lower() in HIGHER | LOWER or "@" in parts["metric"]):
            continue
        system, metric = parts["system"], parts["metric"]
        known, column = first.setdefault(system, (metric, name))
        if known != metric:
            raise InputError(
                f"{table.name}, columns {column!r} and {name!r} are named like two scores of one system ({known}, "
                f"{metric}); keep those of one score (--systems, or --drop the others)"
            )
