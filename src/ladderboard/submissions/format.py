"""What a submission to a competition looks like, and what becomes of one that does.

Nothing here depends on a label's value or on which rows are public: the class names and the ids are known to all.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Takes = Literal["classes", "two_classes", "scores", "probabilities", "numbers", "survival"]
"""What a prediction is; the words of `ladderboard.metrics` kinds."""

MEBIBYTE = 1 << 20


@dataclass(frozen=True, eq=False)
class SubmissionFormat:
    """The columns, ids and values that a submission must have."""

    id_column: str
    ids: npt.NDArray[np.str_] | npt.NDArray[np.int64]
    """Every id of the solution in its order: integers where all are written as such (``7``, not ``007``), else text."""
    prediction_columns: tuple[str, ...]
    """One column; or one for each class, in the order of ``classes``, where ``takes`` is probabilities of several."""
    takes: Takes
    classes: tuple[Any, ...] = ()
    smallest: float = -np.inf
    """The least that a number may be (0 for a log error); probabilities lie in [0, 1] whatever this is."""
    largest_magnitude: float = 1e15
    """No |prediction| is larger: a huge one in a row that does not count would show that it does not."""
    max_bytes: int = 100 * MEBIBYTE
    """Of the file as it arrives."""
    max_unpacked_bytes: int = 500 * MEBIBYTE
    """Of what an archive holds."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """A valid submission: its values in the order of ``SubmissionFormat.ids``."""

    values: npt.NDArray[Any]
    """Numbers (n), classes of the labels' own type (n), or probabilities (n × m, columns in the order of classes)."""

    def __len__(self) -> int:
        return len(self.values)
