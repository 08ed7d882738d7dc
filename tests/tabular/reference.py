"""A plain reader of submissions, row by row and cell by cell: the judge of the fast one."""

import csv
import io
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

import numpy as np

from ladderboard.tabular import SubmissionFormat
from ladderboard.tabular.cells import BadCellError, cell_reader, class_values
from ladderboard.tabular.delimiters import has_decimal_commas
from ladderboard.tabular.format import SUM_TOLERANCE
from ladderboard.tabular.header import find_delimiter_in, find_layout
from ladderboard.tabular.lines import LONGEST_LINE
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.text_cells import plain, whole_number


@dataclass(frozen=True)
class Judgement:
    """The values where the file is right, else how often each kind of problem occurs."""

    values: Any = None
    counts: Counter[str] | None = None


def judge(data: bytes, format: SubmissionFormat) -> Judgement | None:  # noqa: A002, PLR0912 (one walk, to be read at once)
    """What is in a text, or wrong with its rows; None where its first line or its end cannot be read at all."""
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    try:
        lines = list(dropwhile(lambda line: not line.strip(), text))
    except UnicodeDecodeError:
        return None
    if not lines or "\0" in data.decode(errors="ignore"):
        return None
    delimiter = find_delimiter_in(lines[0], format)
    rows = _rows(lines, delimiter)
    if rows is None or rows[0] is None:
        return None
    problems = Problems()
    try:
        layout = find_layout(rows[0], format, problems)
    except Exception:  # it is refused at once
        return None
    if layout is None or problems:
        return None
    read_cell = cell_reader(format, decimal_comma=has_decimal_commas([data], delimiter))
    places = _Places(format)
    counts: Counter[str] = Counter()
    rows_found = 0
    values, seen = np.zeros((len(format.ids), len(layout.values))), set()
    for cells in rows[1:]:
        if cells is None:
            counts["bad_quote"] += 1
            rows_found += 1
            continue
        if len(cells) < 2 and not "".join(cells).strip():
            continue
        is_whole = len(cells) == len(layout.names)
        counts["ragged_row"] += not is_whole
        name = cells[layout.id] if layout.id < len(cells) else ""
        place = places.find(name)
        if is_whole or name:
            if place is None:
                counts["unknown_id" if name.strip() else "blank_cell"] += 1
            counts["duplicate_id"] += place in seen
            seen.add(place)
            seen.discard(None)
        if is_whole:
            found = []
            for at in layout.values:
                try:
                    found.append(read_cell(cells[at]))
                except BadCellError as bad:
                    counts[bad.kind] += 1
            if len(found) == len(layout.values):
                is_off = len(found) > 1 and len(found) == len(format.classes) and abs(sum(found) - 1) > SUM_TOLERANCE
                counts["bad_sum"] += is_off
                if place is not None:
                    values[place] = found
        rows_found += 1
    counts["missing_id"] = len(format.ids) - len(seen)
    if not rows_found:
        counts = Counter(no_rows=1)
    if counts.total():
        return Judgement(counts=+counts)
    if format.takes_classes:
        return Judgement(class_values(format)[values[:, 0].astype(int)])
    return Judgement(values[:, 0] if values.shape[1] == 1 else values)


def _rows(lines: list[str], delimiter: str) -> list[list[str] | None] | None:
    """Each row's cells, None for a misquoted row; None altogether where a cell has no end."""
    usual = csv.field_size_limit(LONGEST_LINE)
    try:
        return _read_rows(lines, delimiter)
    finally:
        csv.field_size_limit(usual)


def _read_rows(lines: list[str], delimiter: str) -> list[list[str] | None] | None:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    rows: list[list[str] | None] = []
    while True:
        try:
            rows.append(next(reader))
        except StopIteration:
            return rows
        except csv.Error as problem:
            if "unexpected end" in str(problem) or "field larger" in str(problem):
                return None
            rows.append(None)


class _Places:
    """Ids by their text, else as the only id that is the same number, else with letters composed otherwise."""

    def __init__(self, format: SubmissionFormat) -> None:  # noqa: A002
        self._is_whole = format.ids.dtype.kind == "i"
        self._texts = {str(one): place for place, one in enumerate(format.ids.tolist())}
        numbers = [whole_number(text) for text in self._texts]
        times = Counter(numbers)
        self._numbers = {one: place for place, one in enumerate(numbers) if one is not None and times[one] == 1}

    def find(self, name: str) -> int | None:
        if not self._is_whole:
            for spelled in (name, plain(name)):
                if spelled in self._texts:
                    return self._texts[spelled]
        number = whole_number(plain(name))
        if number is not None and number in self._numbers:
            return self._numbers[number]
        for form in ("NFC", "NFD"):
            found = self._texts.get(unicodedata.normalize(form, plain(name)))
            if found is not None and not self._is_whole:
                return found
        return None
