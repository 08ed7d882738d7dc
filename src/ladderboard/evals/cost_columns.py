"""Columns of a long table that say what each run cost, with their units."""

import re

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.number_cells import read_numbers
from ladderboard.evals.options import ReadOptions
from ladderboard.tabular import Table

_COST = re.compile(r"(?:total_|agent_)?(?:cost|price)(?:[ _(\[]+(?P<unit>[a-z$€£]+)[)\]]?)?", re.IGNORECASE)
UNIT_NAMES = ("cost_unit", "currency", "cost_currency")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP"}


def list_cost_columns(table: Table) -> list[str]:
    """The columns that are named like costs."""
    return [name for name in table.columns if name.lower() not in UNIT_NAMES and _COST.fullmatch(name.strip())]


def find_unit_column(table: Table) -> str | None:
    """The column that gives the unit of the costs of each row."""
    return next((name for name in table.columns if name.lower() in UNIT_NAMES), None)


def read_costs(table: Table, options: ReadOptions) -> dict[str, FloatArray]:
    """Unit → the cost of each row, NaN where it is not given in this unit."""
    columns, units = list_cost_columns(table), find_unit_column(table)
    found: dict[str, FloatArray] = {}
    for column in columns:
        costs = read_numbers(table, column, options.missing_value)
        if (costs < 0).any():
            row = int(np.argmax(costs < 0))
            raise InputError(
                f"{table.name}, {table.place(row)}, column {column!r}: {costs[row]:g} is no cost; leave the cell empty "
                "where it is not known, or take no costs (--cost none)"
            )
        if units is None:
            found[_name_unit(column)] = costs
            continue
        named = np.array([_SIGNS.get(name, name.upper()) for name in table.names(units)])
        for unit in dict.fromkeys(named.tolist()):
            found[unit] = np.where(named == unit, costs, np.nan)
    return found


def _name_unit(column: str) -> str:
    matched = _COST.fullmatch(column.strip())
    unit = matched["unit"] if matched else None
    return f"the unit of {column!r}" if unit is None else _SIGNS.get(unit, unit.upper())
