"""How large the body of a right ``POST /score`` can be, from the items of a holdout and what is predicted for each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladderboard.core.errors import ParameterError
from ladderboard.guard.graded import GradingHoldout
from ladderboard.guard.service.request_body import KNOWN
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.metrics.text_inputs import LONGEST_TEXT

if TYPE_CHECKING:
    from ladderboard.guard.holdout import Holdout

ENVELOPE_BYTES = 1 << 12
"""What a request has beside the items."""
NUMBER_BYTES = 40
"""A number with 17 digits, sign and exponent (24), alone on a line that is indented by three times four blanks."""
ITEM_BYTES = 48
"""What stands around an item's id and values on lines of their own: quotation marks, brackets, blanks, commas."""
RUNS = 32
"""Runs of a graded item, of which clients may send all instead of their mean."""
OUTPUT_BYTES = 1 << 18
"""All runs of a task that is graded here; whoever runs the service can allow more."""
MOST_BYTES = 1 << 30
TEXT_BYTES = 2 * LONGEST_TEXT
"""A prediction that is a text: twice its most characters, as letters of other alphabets have two bytes."""
SLACK = 2
"""So many times the values of a right body are still parsed: whoever sends some too many is told how many."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9 _.:-]+")


@dataclass(frozen=True)
class BodyLimit:
    """The most bytes that are read, ``size``, and the most ``values`` that are parsed.

    Values are what parsing costs: it unpacks empty lists to twenty times their size, and nobody else is answered
    meanwhile. None where whoever runs the service chose the size.
    """

    size: int
    values: int | None = None
    has_texts: bool = False
    """Whether predictions are texts: what stands in quotation marks is then no value of its own."""

    def refuse_crowded(self, body: bytes) -> None:
        """Refuse a body of too many values before it is parsed; raises `ParameterError`.

        Each value but the first follows a comma or opens a list or an object.

        >>> BodyLimit(100, values=3).refuse_crowded(b"[[],[],[]]")
        Traceback (most recent call last):
        ladderboard.core.errors.ParameterError: the body has too many values (6); give one prediction for each item
        """
        found = _count_marks(_STRING.sub(b"", body) if self.has_texts else body)
        if self.values is not None and found > self.values:
            raise ParameterError(f"the body has too many values ({found:,}); give one prediction for each item")


def find_body_limit(holdout: "Holdout") -> BodyLimit:
    """Find what a right body may have, in the widest common layout; at most `MOST_BYTES`."""
    if isinstance(holdout, GradingHoldout):  # outputs are texts, in which marks say nothing
        return BodyLimit(min(ENVELOPE_BYTES + len(holdout) * OUTPUT_BYTES, MOST_BYTES))
    ids, classes = holdout._order.ids, [str(one) for one in holdout.classes]
    names = [] if ids is None else [str(one) for one in ids]
    numbers = RUNS if isinstance(holdout.metric, MeanScore) else holdout._key.width
    item_bytes = ITEM_BYTES + max(map(_measure_text, classes), default=0) + numbers * NUMBER_BYTES
    # An item has its id, a list and the numbers in it; names may have commas and brackets of their own.
    item_values = 2 + numbers + max((_count_marks(one.encode("utf-8", "surrogatepass")) for one in classes), default=0)
    if holdout.metric.kind.has_texts:
        size = ENVELOPE_BYTES + measure_texts(names) + len(holdout) * (ITEM_BYTES + TEXT_BYTES)
        return BodyLimit(min(size, MOST_BYTES), SLACK * (2 * len(KNOWN) + 3 * len(holdout)), has_texts=True)
    beside = len(KNOWN) + _count_marks("".join(names).encode("utf-8", "surrogatepass"))
    return BodyLimit(
        min(ENVELOPE_BYTES + measure_texts(names) + len(holdout) * item_bytes, MOST_BYTES),
        SLACK * (beside + len(KNOWN) + len(holdout) * item_values),
    )


def _count_marks(content: bytes) -> int:
    return sum(map(content.count, (b",", b"[", b"{")))


def _measure_text(text: str) -> int:
    return measure_texts([text])


def measure_texts(texts: Iterable[str]) -> int:
    r"""Count the bytes of texts in JSON: letters as they are, and ``\u1234`` for whatever some program escapes.

    >>> measure_texts(["row-1", "é"]), measure_texts(["😀"])
    (11, 12)
    """
    joined = "".join(texts)
    escaped = _PLAIN.sub("", joined)
    return len(joined) - len(escaped) + 6 * (len(escaped.encode("utf-16-le", "surrogatepass")) // 2)
