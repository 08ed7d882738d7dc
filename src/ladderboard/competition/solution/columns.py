"""The roles of a solution's columns: stated in competition.toml, or known from their names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from ladderboard.competition.checks.findings import Findings, join_names
from ladderboard.competition.model import SolutionSettings
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.tabular import Table
from ladderboard.tabular.class_columns import is_one_hot

ID_NAMES = ("id", "item_id", "item", "row_id", "index", "query_id", "uuid", "key", "name", "filename", "image")
LABEL_NAMES = ("label", "target", "y", "y_true", "class", "truth", "outcome", "value", "answer")
USAGE_NAMES = ("usage",)
LabelsAre = Literal["read", "elsewhere", "the scorer's"]
GROUP_NAMES = ("group", "group_id", "patient", "patient_id", "subject", "subject_id", "cluster", "site", "user_id")
WEIGHT_NAMES = ("weight", "weights", "sample_weight", "item_weight")
TIME_NAMES = ("time", "duration", "survival_time", "days", "time_to_event", "futime")
EVENT_NAMES = ("event", "status", "observed", "event_observed", "fustat", "death")


@dataclass(frozen=True)
class SolutionColumns:
    """The columns of a solution by what they are for."""

    id: str
    labels: tuple[str, ...]
    usage: str | None = None
    group: str | None = None
    weight: str | None = None

    @property
    def used(self) -> set[str]:
        return {name for name in (self.id, *self.labels, self.usage, self.group, self.weight) if name is not None}


def find_columns(
    table: Table,
    settings: SolutionSettings,
    toml: TomlText,
    file: str,
    findings: Findings,
    *,
    labels_are: LabelsAre = "read",
) -> SolutionColumns | None:
    """Find the columns of a solution; None, with a finding, if the id or the label is unclear.

    ``labels_are``: "elsewhere" where it only lists the items that a scorer of files gives a value, "the scorer's" where
    a function gets the whole table.
    """
    has_labels = labels_are == "read"
    present: Sequence[str] = table.columns
    before = len(findings.errors)
    named = {"id": settings.id, "usage": settings.usage, "group": settings.group, "weight": settings.weight}
    wanted = [(key, name) for key, name in named.items() if name is not None]
    for key, name in [*wanted, *(("label", name) for name in settings.labels)]:
        if name not in present:
            findings.error(
                FILE, toml.line("solution", key), f"{key} = {name!r}: {_describe_missing_column(name, present, file)}"
            )
    usage = settings.usage or find_named_column(USAGE_NAMES, present)
    others = {usage, settings.group, settings.weight, *settings.labels}
    identity = settings.id or likely_id([name for name in present if name not in others])
    left = [name for name in present if name not in others and name != identity]
    labels = settings.labels or _label(left) or find_one_hot(table, left) if has_labels else ()
    if identity is None:
        findings.error(file, 1, _ask_for_column("names the rows", "id", present))
    if not labels and has_labels:
        findings.error(file, 1, _ask_for_column("has the labels", "label", left))
    if identity is None or (has_labels and not labels) or len(findings.errors) > before:
        return None
    columns = SolutionColumns(identity, labels, usage, settings.group, settings.weight)
    if labels_are == "elsewhere":
        columns = _find_others(columns, left)
    _warn_of_unused(columns, present if has_labels else [*columns.used], file, findings)
    return columns


def _find_others(columns: SolutionColumns, left: Sequence[str]) -> SolutionColumns:
    """In a list of items, columns called group and weight are what they are called; all others are the scorer's."""
    group = columns.group or find_named_column(("group",), left)
    weight = columns.weight or find_named_column(("weight",), left)
    return replace(columns, group=group, weight=weight)


def find_named_column(names: Iterable[str], present: Iterable[str]) -> str | None:
    """Find the first column that has one of these names, in upper or lower case.

    >>> find_named_column(("usage",), ["id", "Usage"])
    'Usage'
    """
    by_name = {name.lower(): name for name in reversed(list(present))}
    return next((by_name[name] for name in names if name in by_name), None)


def likely_id(present: Sequence[str]) -> str | None:
    """Guess the id column by its name: id and the like, or the first one that ends so (PassengerId)."""
    exact = find_named_column(("id",), present)
    if exact or not present:
        return exact
    first = present[0].lower()
    return present[0] if first.endswith("id") or first in ID_NAMES else find_named_column(ID_NAMES, present)


def _label(left: Sequence[str]) -> tuple[str, ...]:
    found = find_named_column(LABEL_NAMES, left)
    if found is not None:
        return (found,)
    return tuple(left) if len(left) == 1 else ()


def find_one_hot(table: Table, left: Sequence[str]) -> tuple[str, ...]:
    """Find the labels of a solution with a column of 0 and 1 for each class; empty where it is none."""
    unlike = {find_named_column(names, left) for names in (GROUP_NAMES, WEIGHT_NAMES)}
    classes = tuple(name for name in left if name not in unlike)
    return classes if is_one_hot([table.column(name) for name in classes]) else ()


def _ask_for_column(meaning: str, key: str, present: Sequence[str]) -> str:
    return f'which column {meaning}? Say it in [solution]: {key} = "…"; there are: {join_names(present) or "none left"}'


def _describe_missing_column(name: str, present: Sequence[str], file: str) -> str:
    near = get_close_matches(name, present, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {join_names(present)}"
    return f"{file} has no such column; {hint}"


def _warn_of_unused(columns: SolutionColumns, present: Sequence[str], file: str, findings: Findings) -> None:
    left = [name for name in present if name not in columns.used]
    for role, names in (("group", GROUP_NAMES), ("weight", WEIGHT_NAMES)):
        found = find_named_column(names, left)
        if found is not None and getattr(columns, role) is None:
            hint = f'if it is meant, say it in [solution]: {role} = "{found}"'
            findings.warn(file, 1, f"column {found!r} is not used; {hint}")
            left.remove(found)
    if left:
        findings.warn(file, 1, f"not used: {'column' if len(left) == 1 else 'columns'} {join_names(left)}")
