"""The format of submissions to a competition, and the predictions read from one.

Nothing here depends on which label a row has or on which rows are public. The ids are known to all; the names of the
classes are said only where ``shows_classes``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.core.sizes import MEBIBYTE
from ladderboard.tabular.ids import IdArray, IdIndex, id_index

Takes = Literal[
    "classes",
    "two_classes",
    "scores",
    "probabilities",
    "numbers",
    "labels",
    "survival",
    "ranking",
    "mask",
    "text",
    "file",
]
"""What a prediction is; the words of `ladderboard.metrics` kinds."""

SUM_TOLERANCE = 1e-3
"""How far from one the probabilities of a row may sum; the metrics allow the same."""


@dataclass(frozen=True, eq=False)
class SubmissionFormat:
    """The columns, ids and values that a submission must have."""

    id_column: str
    ids: IdArray
    """Every id of the solution in its order: integers where all are written as such (``7``, not ``007``), else text."""
    prediction_columns: tuple[str, ...]
    """One column; or one for each target or label; or, where ``takes`` is probabilities of several classes, one for
    each of ``classes`` in their order."""
    takes: Takes
    classes: tuple[Any, ...] = ()
    """Empty too where a server does not tell them; any text is then a class."""
    positive: Any = None
    """The class of two that scores, one column of probabilities and F1 are about."""
    shows_classes: bool = True
    """Whether participants may be told the names of the classes."""
    is_table: bool = False
    """Whether there is a column for each target or label, of which predictions are a table even where it is one."""
    most_entries: int = 0
    """How many ids a list may have, where predictions are lists."""
    pixels: IntArray | None = None
    """Of the picture of each id, where predictions are masks; None where they are not known here."""
    smallest: float = -np.inf
    """The least that a number may be (0 for a log error); probabilities lie in [0, 1] whatever this is."""
    largest_magnitude: float = 1e15
    """No |prediction| is larger: a huge one in a row that does not count would show that it does not."""
    max_bytes: int = 100 * MEBIBYTE
    """Of the file as it arrives."""
    max_unpacked_bytes: int = 500 * MEBIBYTE
    """Of what an archive holds."""

    @property
    def takes_classes(self) -> bool:
        return self.takes in ("classes", "two_classes", "labels")

    @property
    def takes_texts(self) -> bool:
        """Whether a cell is a text: a list of ids, the runs of a mask, or words."""
        return self.takes in ("ranking", "mask", "text")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest number that a cell may hold."""
        if self.takes == "probabilities":
            return 0.0, 1.0
        return max(self.smallest, -self.largest_magnitude), self.largest_magnitude

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The columns of class probabilities; empty where there can be only one column.

        Two classes may have one column, the probability of the positive class, or both.
        """
        if self.takes != "probabilities":
            return ()
        if len(self.prediction_columns) > 1:
            return self.prediction_columns
        return tuple(str(one) for one in self.classes) if len(self.classes) == 2 else ()

    @cached_property
    def index(self) -> IdIndex:
        """Finds the rows of the ids; made once for all submissions."""
        return id_index(self.ids)

    def to_wire(self) -> dict[str, Any]:
        """What all may know as JSON, but for the ids; those are in the sample submission (see `format_with_ids`)."""
        return {
            "id_column": self.id_column,
            "id_type": "integer" if self.ids.dtype.kind == "i" else "text",
            "rows": len(self.ids),
            "prediction_columns": list(self.prediction_columns),
            "takes": self.takes,
            "classes": list(self.classes) if self.shows_classes else [],
            "positive": self.positive,
            "is_table": self.is_table,
            "most_entries": self.most_entries,
            "smallest": None if np.isneginf(self.smallest) else self.smallest,
            "largest_magnitude": self.largest_magnitude,
            "max_bytes": self.max_bytes,
            "max_unpacked_bytes": self.max_unpacked_bytes,
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], ids: IdArray) -> "SubmissionFormat":
        """The format that `to_wire` described, with its ids."""
        return cls(
            id_column=wire["id_column"],
            ids=ids,
            prediction_columns=tuple(wire["prediction_columns"]),
            takes=wire["takes"],
            classes=tuple(wire["classes"]),
            positive=wire.get("positive"),
            is_table=wire.get("is_table", False),
            most_entries=int(wire.get("most_entries", 0)),
            smallest=-np.inf if wire["smallest"] is None else float(wire["smallest"]),
            largest_magnitude=float(wire["largest_magnitude"]),
            max_bytes=int(wire["max_bytes"]),
            max_unpacked_bytes=int(wire["max_unpacked_bytes"]),
        )


@dataclass(frozen=True, eq=False)
class Predictions:
    """A valid submission: its values in the order of ``SubmissionFormat.ids``."""

    values: npt.NDArray[Any]
    """Texts, numbers or classes of the labels' own type (n, or n × m where there are m columns), or probabilities
    (n × m, columns in the order of classes)."""

    def __len__(self) -> int:
        return len(self.values)
