"""The reader of tables: delimiter, quoting, encoding, archives, Parquet, ids and missing cells, for every file we read.

`read_table` reads a table of any columns, `read_predictions` a submission, whose columns and ids are known. All that a
submission is told depends on no label, so it may be shown to a participant in full.
"""

from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.ids import make_ids
from ladderboard.tabular.samples import format_with_ids, sample_submission
from ladderboard.tabular.submissions import read_predictions
from ladderboard.tabular.table import Table, UnreadableTableError, read_table

__all__ = [
    "Predictions",
    "SubmissionFormat",
    "Table",
    "UnreadableTableError",
    "format_with_ids",
    "make_ids",
    "read_predictions",
    "read_table",
    "sample_submission",
]
