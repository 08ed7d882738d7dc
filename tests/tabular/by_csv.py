"""Every row of a block read by the csv module: the judge of the reader that pairs quotation marks itself."""

from collections.abc import Callable

import numpy as np

from ladderboard.tabular.divided_rows import CsvRow, DividedRows
from ladderboard.tabular.marks import Marks


def divide_by_csv(marks: Marks, read_row: Callable[[int], CsvRow]) -> DividedRows:
    """What `divide_rows` returns, with all rows in ``by_csv``."""
    rows: list[CsvRow] = []
    line = 0
    while line < len(marks.ends):
        rows.append(read_row(line))
        line = len(marks.ends) if rows[-1].end is not None else line + rows[-1].lines
    nothing = np.empty(0, dtype=np.intp)
    return DividedRows(np.array([row.start for row in rows]), nothing, nothing, nothing, rows)
