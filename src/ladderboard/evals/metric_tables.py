"""Tables of models by metrics, such as a leaderboard: their columns are numbers about each row, and no systems."""

import re
from collections.abc import Sequence

from ladderboard.core.errors import InputError
from ladderboard.evals.column_names import SUMMARY_NAMES, SYSTEM_NAMES
from ladderboard.evals.direction import HIGHER, LOWER
from ladderboard.evals.left_out import list_names
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.table_columns import is_unnamed
from ladderboard.tabular import Table
from ladderboard.tabular.columns import is_no_number

_METRIC = re.compile(
    r"(?:n|num|nr|number_of|total|avg|average|mean|median|std|lc|discrete)[_ .-].+"
    r"|(?:.+[_ .-])?(?:win_?rate|pass_?rate|standard_error|std_err(?:or)?|stderr)"
    r"|(?:error|success|hit|answer|refusal|hallucination|tie)[_ .-]?rate"
    r"|score|points|elo(?:[_ .-].+)?|rating|rank|votes|wins|losses|ties|precision|recall|auc|auroc|ndcg|map|mrr"
    r"|agreement|human agreement|bias|variance|(?:pearson|spearman|kendall)(?:[_ .-].*)?|.+ corr\.?|.+ ?\[.+\]"
    r"|params|parameters|#? ?params.*|licen[cs]e|organi[sz]ation|price|cost|speed|latency",
    re.IGNORECASE,
)
_WORDS = HIGHER | LOWER | SUMMARY_NAMES


def refuse_models_by_metrics(table: Table, options: ReadOptions) -> None:
    """Refuse a table most of whose columns are named like metrics; what is dropped from it makes no systems of them."""
    if options.kind == "predictions":
        return
    rows = _find_row_names(table)
    asked = table.columns if options.systems is None else options.systems
    names = [name for name in asked if name in table.columns and not is_no_number(table.column(name)).all()]
    found = [name for name in names if is_metric_name(name)]
    # Rows that are named like models need no majority: a wide table's rows are items.
    if len(found) < 2 or (2 * len(found) <= len(names) and not _names_models(rows)):
        return
    shown = "" if rows is None else f" ({list_names(table.names(rows)[:3], 2)})"
    raise InputError(
        f"{table.name} is a table of models by metrics: its columns ({list_names(found, 3)}) are numbers about each row"
        f"{shown}, and no systems. Rankings need a score for each item: give a row for each item and a column for each "
        "system. Accuracies of whole systems on N items are read by ladderboard sota --accuracies "
        f"{table.name} --column {_choose_example(found)!r} --test-size N (and --percent where they are percentages)"
    )


def is_metric_name(name: str) -> bool:
    """Whether a column is called like a score, a count or a spread, and not like a system."""
    word = name.strip().lower()
    return word in _WORDS or bool(_METRIC.fullmatch(word))


def _find_row_names(table: Table) -> str | None:
    """The first column in which every row has a text of its own."""
    for name in table.columns:
        cells = table.column(name)
        if len(cells) and not cells.null_count() and is_no_number(cells).all() and cells.n_unique() == len(cells):
            return name
    return None


def _names_models(column: str | None) -> bool:
    """Whether a column of texts has no name, as a data frame's index, or one that a column of models has."""
    return column is not None and (is_unnamed(column) or column.strip().lower() in ("name", *SYSTEM_NAMES))


def _choose_example(found: Sequence[str]) -> str:
    return next((name for name in found if "acc" in name.lower()), found[0])
