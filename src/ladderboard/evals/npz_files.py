"""Items × systems in an ``.npz`` file: one two-dimensional array, and names beside it."""

from pathlib import Path

from ladderboard.core.errors import InputError
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.arrays import read_arrays


def read_npz(path: Path, table: str | None) -> tuple[str, Array, list[str], dict[str, Array]]:
    """The name of the items × systems array, the array, the names of the systems, and all arrays."""
    arrays = read_arrays(path)
    name = _find_table_name(path, arrays, table)
    cells = arrays[name]
    systems = _find_system_names(arrays, cells.shape[1])
    if len(set(systems)) < len(systems):
        raise InputError(f"{path.name}: two systems have the same name; give each its own")
    return name, cells, systems, arrays


def take_array(file: Path, arrays: dict[str, Array], name: str, items: int) -> Array:
    """An array with one entry for each item."""
    if name not in arrays:
        raise InputError(f"{file.name} has no array {name!r}; it has {', '.join(arrays)}")
    if arrays[name].shape != (items,):
        raise InputError(f"{file.name}: {name!r} has shape {arrays[name].shape} for {items} items")
    return arrays[name]


def _find_table_name(file: Path, arrays: dict[str, Array], table: str | None) -> str:
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if table is None and len(tables) == 1:
        return tables[0]
    if table in tables:
        assert table is not None
        return table
    raise InputError(
        f"{file.name}: say which array is items × systems (table=, --table); it has {', '.join(tables) or '-'}"
    )


def _find_system_names(arrays: dict[str, Array], systems: int) -> list[str]:
    for name in sorted(arrays, key=lambda name: name != "systems"):  # an array called so goes first
        if arrays[name].dtype.kind == "U" and arrays[name].shape == (systems,):
            return [str(system) for system in arrays[name]]
    return [f"system {j + 1}" for j in range(systems)]
