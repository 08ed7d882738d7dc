"""Tables that stand the other way round, with a row for each system: refused, since their numbers would be misread."""

import re

from ladderboard.core.errors import InputError
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.table_columns import Columns
from ladderboard.tabular import Table
from ladderboard.tabular.columns import is_no_number

ITEM = re.compile(
    r"(?:q|question|item|ex|example|sample|doc|task|case|prompt|instance|problem|img|image|query)[ _.-]?\d+",
    re.IGNORECASE,
)
BENCHMARKS = frozenset(
    (
        *("arc", "arcc", "arce", "arcchallenge", "arceasy", "hellaswag", "mmlu", "mmlupro", "gsm8k", "truthfulqa"),
        *("winogrande", "ifeval", "bbh", "gpqa", "musr", "math", "mathlvl5", "humaneval", "mbpp", "boolq", "piqa"),
        *("squad", "triviaqa", "naturalquestions", "drop", "lambada", "openbookqa", "cola", "sst2", "mrpc", "qqp"),
        *("mnli", "qnli", "rte", "wnli", "stsb", "imagenet", "cifar10", "cifar100", "swebench", "aime", "mtbench"),
    )
)
"""Well-known test sets, without signs and in small letters."""


def refuse_systems_as_rows(table: Table, columns: Columns, options: ReadOptions) -> None:
    """Refuse a table whose columns are named like items or test sets."""
    if options.systems is not None or len(columns.systems) < 2:
        return
    found = _find_items(table, columns) or _find_benchmarks(columns)
    if found is not None:
        word, names = found
        raise InputError(
            f"{table.name}, columns {names[0]!r} and {names[1]!r} are named like {word}, so the rows seem to be "
            "systems; give a row for each item and a column for each system (turn the table round), or say that the "
            "columns are systems (--systems)"
        )


def _find_items(table: Table, columns: Columns) -> tuple[str, tuple[str, ...]] | None:
    """Names such as q1, q2; or numbers, more of them than there are rows, and these have names: a turned DataFrame."""
    names = columns.systems
    if all(ITEM.fullmatch(name) for name in names):
        return "items", names
    if columns.items is None or len(names) <= len(table) or not is_no_number(table.column(columns.items)).all():
        return None
    is_numbered = any(names == tuple(map(str, range(start, start + len(names)))) for start in (0, 1))
    return ("items", names) if is_numbered else None


def _find_benchmarks(columns: Columns) -> tuple[str, tuple[str, ...]] | None:
    """More than half of the names, and at least two, are those of test sets."""
    known = tuple(name for name in columns.systems if re.sub(r"\W|_", "", name.lower()) in BENCHMARKS)
    return ("test sets", known) if len(known) > max(1, len(columns.systems) // 2) else None
