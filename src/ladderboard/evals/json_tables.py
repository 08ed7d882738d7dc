"""Tables in JSON: an array of records, or one record in each line, as pandas writes them."""

import json
from pathlib import Path
from typing import Any

from ladderboard.core.errors import InputError
from ladderboard.evals.battles import is_battle_table
from ladderboard.evals.readers.json_files import find_suffix, read_document, read_lines, read_opening
from ladderboard.tabular import Table

SUFFIXES = (".json", ".jsonl", ".ndjson")


def is_json_table(path: Path) -> bool:
    """Whether a file holds records of single values."""
    if find_suffix(path) not in SUFFIXES:
        return False
    opening = read_opening(path).lstrip()
    start = opening.removeprefix("[").lstrip() if opening.startswith("[") else opening
    try:
        record, _ = json.JSONDecoder().raw_decode(start)
    except ValueError:
        return False
    is_alone = not opening.startswith("[") and find_suffix(path) == ".json" and "\n{" not in opening
    if not isinstance(record, dict) or not record or is_alone:
        return False
    return is_battle_table(list(record)) or not any(map(_is_nested, record.values()))


def read_json_table(path: Path) -> Table:
    """The records as a table of text, a column for each field."""
    import polars as pl

    is_array = read_opening(path).lstrip().startswith("[")
    records = read_document(path) if is_array else list(read_lines(path))
    if records and isinstance(records[0], dict) and is_battle_table(list(records[0])):
        records = [_drop_nested(record) for record in records]  # arenas write the conversations beside the votes
    names = dict.fromkeys(name for record in records for name in _check_record(path, record))
    columns = {name: [_write_cell(record.get(name)) for record in records] for name in names}
    return Table(path.name, pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)), is_parquet=True)


def _drop_nested(record: Any) -> Any:
    return (
        {key: value for key, value in record.items() if not _is_nested(value)} if isinstance(record, dict) else record
    )


def _check_record(path: Path, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise InputError(f"{path.name}: {str(record)[:30]!r} stands among records; give each row as an object")
    nested = [name for name, value in record.items() if _is_nested(value)]
    if nested:
        raise InputError(
            f"{path.name}: field {nested[0]!r} holds several values; give one number or text in each field"
        )
    return record


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _write_cell(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value.strip() if isinstance(value, str) else json.dumps(value)
