"""The roles of a wide table's columns: systems, items and groups, and which are left out."""

import re
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.words import pluralise
from ladderboard.evals.left_out import LeftOut, collect_left_out, list_names
from ladderboard.evals.options import ReadOptions
from ladderboard.tabular import Table
from ladderboard.tabular.columns import is_no_number, whole_numbers

ITEM_NAMES = ("item", "item_id", "id", "query_id")
_ID = re.compile(
    r"(?:^|[_ .-])(?:ids?|idx|index|uid|uuid|guid|hash|key|qid|rownames?)$"
    r"|^(?:item|items|example|sample|doc|document|question|query|prompt|instance|passage|case|patient|subject|row|site|image)s?$",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID)$")


@dataclass(frozen=True)
class Columns:
    """The part that each column of a table plays."""

    systems: tuple[str, ...]
    items: str | None
    groups: str | None
    tasks: str | None
    labels: str | None
    left_out: tuple[tuple[str, str], ...]
    """Name and reason."""

    def describe(self, file: str, items: str) -> str:
        """What was taken for what, in one sentence; ``items``: those that count, in words."""
        named = "numbered from 1" if self.items is None else f"named by column {_quote(self.items)}"
        systems = pluralise("{n} system", "{n} systems", len(self.systems))
        parts = [f"{items} {named}", f"{systems}: {list_names(self.systems)}"]
        parts += [f"{word} from {_quote(name)}" for word, name in self._others() if name is not None]
        return f"{file}: {'; '.join(parts)}"

    def describe_left_out(self) -> list[LeftOut]:
        """The columns that were left out, by the reason."""
        return collect_left_out("column", [(_quote(name), reason) for name, reason in self.left_out])

    def _others(self) -> tuple[tuple[str, str | None], ...]:
        return ("groups", self.groups), ("tasks", self.tasks), ("labels", self.labels)


def assign_columns(table: Table, options: ReadOptions) -> Columns:
    """The part of each column: what the user said, then ids and row numbers; the others are systems."""
    declared = {
        name
        for name in (options.items_column, options.groups_column, options.tasks_column, options.labels_column)
        if name is not None
    }
    for name in (*declared, *(options.systems or ()), *options.drop):
        table.column(name)  # raises where there is none
    items = options.items_column
    left: list[tuple[str, str]] = [(name, "as you said (--drop)") for name in options.drop]
    systems = []
    for name in table.columns:
        if name in declared or name in options.drop:
            continue
        if options.systems is not None:
            if name not in options.systems:
                left.append((name, "not among --systems"))
            continue
        if not is_row_index(table, name) and not is_id_name(name) and not is_unnamed(name):
            systems.append(name)
        elif items is None and _names_items(table, name):
            items = name
        else:
            left.append((name, _give_reason(table, name)))
    chosen = (
        tuple(systems) if options.systems is None else tuple(name for name in options.systems if name not in declared)
    )
    return Columns(chosen, items, options.groups_column, options.tasks_column, options.labels_column, tuple(left))


def is_id_name(name: str) -> bool:
    """Whether a column is named like an id, a document or an index."""
    return bool(_ID.search(name.strip()) or _CAMEL_ID.search(name.strip()))


def is_row_index(table: Table, name: str) -> bool:
    """Whether a column without a name counts the rows, as pandas writes its index."""
    return is_unnamed(name) and counts_rows(table, name)


def counts_rows(table: Table, name: str) -> bool:
    """Whether a column counts the rows, from 0 or 1."""
    cells = table.column(name)
    numbers = None if cells.null_count() or not len(cells) else whole_numbers(cells)
    if numbers is None or numbers[0] not in (0, 1):
        return False
    return bool((np.diff(numbers) == 1).all())


def _give_reason(table: Table, name: str) -> str:
    if is_row_index(table, name):
        return "it counts the rows"
    if is_unnamed(name):
        raise InputError(
            f"{table.name}: a column without a name does not count the rows; name it, or leave it out (--drop '{name}')"
        )
    return f"it is named like an id (--systems takes it as a system, --groups-column {name} as groups)"


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, or the one that pandas gives to such."""
    return not name or name.startswith("Unnamed:") or name == "__index_level_0__"


def _names_items(table: Table, name: str) -> bool:
    """Whether the column says that it names the items, or every row has its own name here."""
    if name.lower() in ITEM_NAMES:
        return True
    cells = table.column(name)
    if is_unnamed(name) and not is_no_number(cells).any() and whole_numbers(cells) is None:
        return False  # 0.91, 0.4: scores without a name
    return not cells.null_count() and cells.n_unique() == len(cells) and not is_row_index(table, name)


def _quote(name: str) -> str:
    return repr(name) if name else "without a name"
