"""A proposal: what the referee says of a candidate, and the rules by which the open tasks decide."""

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.answer_key import AnswerKey

CONVINCED = 2.0
"""Standard errors above the last certified proposal on the open tasks, from which on the guard is asked."""


@dataclass(frozen=True)
class Proposal:
    """What the referee says of a candidate.

    ``decision``: kept (higher on the open tasks than what was kept before: go on from it), discarded, or undecided
    (less than one standard error behind; more runs could tell). ``certified``: proven better than the last certified
    one on the guarded tasks. ``board_value`` is the last certified number. ``needs_guarded``: the open tasks are
    convinced, but outputs of the guarded tasks are missing; propose again with them. ``open_scores``: each open task's
    mean over runs. ``gain``: on the open tasks, over what was kept before; ``lead``: over the last certified one; each
    with its standard error, None for the reference.
    """

    number: int
    name: str
    proposed_at: datetime
    decision: str
    certified: bool
    open_score: float
    board_value: float | None
    open_scores: dict[str, float]
    gain: float | None
    gain_error: float | None
    lead: float | None
    lead_error: float | None
    asked: bool
    needs_guarded: bool
    is_repeat: bool = False

    @property
    def kept(self) -> bool:
        return self.decision == "kept"

    def describe(self) -> str:
        """The answer in one line."""
        board = "" if self.board_value is None else f"; certified so far: {self.board_value:.4g}"
        return f"Proposal {self.number}: {self.decision}, open score {self.open_score:.4g}, {self.verdict}{board}"

    @property
    def verdict(self) -> str:
        """What the guarded tasks say, in words."""
        if self.needs_guarded:
            return "outputs of the guarded tasks are needed"
        if self.number == 1:
            return "the reference"
        return "certified" if self.certified else "not certified" if self.asked else "the guard was not asked"

    def explain(self) -> list[str]:
        """Why it was decided so, in sentences; of the guarded tasks no more than the answer."""
        if self.gain is None or self.gain_error is None or self.lead is None or self.lead_error is None:
            return ["It is the reference: the first proposal, which others are compared with."]
        said = [
            f"On the open tasks it is {_describe_gain(self.gain, self.gain_error)} what was kept before it: "
            f"{_DECISIONS[self.decision]}."
        ]
        if not self.kept:
            return said
        said.append(
            f"It is {_describe_gain(self.lead, self.lead_error)} the last certified candidate; the guard is asked "
            f"from {CONVINCED:g} standard errors on."
        )
        if self.needs_guarded:
            said.append("It waits for outputs of the guarded tasks.")
        elif self.asked:
            said.append(_ANSWERS[self.certified])
        return said


_DECISIONS = {
    "kept": "kept",
    "undecided": "undecided, since that is less than one standard error; more runs could tell",
    "discarded": "discarded",
}
_ANSWERS = {
    True: "The guarded tasks prove it better: certified.",
    False: (
        "The guarded tasks do not prove it better. That says neither that it is worse nor by how much it missed; the "
        "next question is a little harder."
    ),
}


def compare(key: AnswerKey, old: FloatArray, new: FloatArray) -> tuple[float, float]:
    """The gain of new scores over old ones, and its standard error, by group where the key has groups."""
    gains = key.evaluate(old).losses - key.evaluate(new).losses
    return float(gains.mean()), float(np.std(gains, ddof=1)) / math.sqrt(len(gains))


def decide(gain: float, error: float) -> str:
    """Decide by the open tasks alone.

    >>> decide(0.01, 0.02), decide(-0.01, 0.02), decide(-0.05, 0.02)
    ('kept', 'undecided', 'discarded')
    """
    if gain > 0:
        return "kept"
    return "undecided" if gain > -error or gain == 0 else "discarded"


def is_convinced(gain: float, error: float) -> bool:
    """Whether the guard is asked: asking costs level, and the open tasks are free.

    >>> is_convinced(0.05, 0.02), is_convinced(0.03, 0.02)
    (True, False)
    """
    return gain > 0 and gain >= CONVINCED * error


def _describe_gain(gain: float, error: float) -> str:
    if gain == 0:
        return f"level (standard error {error:.2g}) with"
    return f"{abs(gain):.2g} (standard error {error:.2g}) {'ahead of' if gain > 0 else 'behind'}"
