"""Scorers: what reads a submission, and what makes one value per item of it.

Every kind passes one contract suite (`tests/contracts/test_scorers.py`): `Scorer.read` depends on no label and says all
that is wrong with a file; `Scorer.score` says nothing to a participant but through a mechanism.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Protocol

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array
from ladderboard.tabular import SubmissionFormat, read_predictions


@dataclass(frozen=True, eq=False)
class Answers:
    """What was submitted, read and found valid. It depends on no label.

    ``values`` are the canonical predictions of all rows; None where only the scorer understands the file.
    """

    content: bytes = field(repr=False)
    name: str = ""
    values: Array | None = field(repr=False, default=None)


@dataclass(frozen=True, eq=False)
class ItemScores:
    """What a scorer made of answers, for all items in the order of the solution.

    ``values`` are what `AnswerKey.evaluate` takes: predictions, or a score for each item (NaN: it has none). ``named``:
    further values of each item. ``report``: what the scorer printed and how it failed, for the organiser alone.
    """

    values: Array = field(repr=False)
    named: Mapping[str, FloatArray] = field(repr=False, default_factory=dict)
    report: str = field(repr=False, default="")
    seconds: float = 0.0
    memory_mb: float = 0.0

    def pack(self, scorer: str) -> bytes:
        """The scores as bytes that a server keeps; equal scores are equal bytes, whatever their run took.

        ``scorer``: the digest of the scorer that they are by.
        """
        content = BytesIO()
        facts = {"scorer": scorer, "names": list(self.named), "report": self.report}
        tables: dict[str, Any] = {f"named_{n}": values for n, values in enumerate(self.named.values())}
        np.savez_compressed(content, facts=np.array(json.dumps(facts)), values=self.values, **tables)
        return content.getvalue()

    @classmethod
    def unpack(cls, content: bytes, scorer: str) -> "ItemScores | None":
        """The scores that were packed; None where they are by another scorer, or from before a correction.

        >>> packed = ItemScores(np.array([1.0, 0.5]), report="fine").pack("f00d")
        >>> ItemScores.unpack(packed, "f00d").report, ItemScores.unpack(packed, "beef")
        ('fine', None)
        """
        with np.load(BytesIO(content), allow_pickle=False) as packed:
            facts = json.loads(str(packed["facts"]))
            if facts.get("scorer") != scorer:
                return None
            named = {name: packed[f"named_{n}"] for n, name in enumerate(facts["names"])}
            return cls(packed["values"], named, facts["report"])


class Scorer(Protocol):
    """What reads submissions and scores their items.

    ``queued``: scoring may take longer than a request should. ``digest`` changes with everything that item scores
    depend on beside the file; empty: they are not kept, since they are the predictions themselves.
    """

    @property
    def queued(self) -> bool: ...
    @property
    def digest(self) -> str: ...
    def read(self, content: bytes, name: str = "") -> Answers:
        """The answers in a file; raises `SubmissionError` with all problems, which depend on no label."""
        ...

    def score(self, answers: Answers) -> ItemScores:
        """The scores. What a submission did to its scorer is no error: its values are NaN, and the report says why.

        Raises `MetricUnavailableError` where the fault is the platform's: nothing may be charged.
        """
        ...

    def close(self) -> None:
        """End what was started; the next submission starts it again."""
        ...


@dataclass(frozen=True, eq=False)
class TableScorer:
    """The scorer of tables: their predictions are scored by the metric of the answer key, on any subset of the rows."""

    format: SubmissionFormat
    key: AnswerKey
    """Of all rows, the ignored ones too: checking predictions against it reveals no split."""
    queued = False
    digest = ""

    def read(self, content: bytes, name: str = "") -> Answers:
        values = self.key.read(read_predictions(content, self.format, name=name).values)
        return Answers(content, name, values)

    def score(self, answers: Answers) -> ItemScores:
        assert answers.values is not None, "it was read here"
        return ItemScores(answers.values)

    def close(self) -> None:
        return
