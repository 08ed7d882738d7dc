"""Reader ring: the reader with several accounts of one person."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.insiders.insider import Insider
from ladderboard_lab.attacks.insiders.reader import Reader, make_posterior
from ladderboard_lab.participant import Array, Participant


@dataclass(frozen=True)
class ReaderRing(Reader):
    """The reader with ``accounts`` accounts, which share the posterior; the last of them cashes in.

    Each account pays with the same known labels again, so that readings of the same witnesses multiply.

    Metric: error rate, two classes, and a share ``known`` of the labels. Breaks: every mechanism with an instance per
    team, whatever it does. Expected overfit from M accounts with L readings each: at most .4√(2·M·L·H)/n besides the
    benefit. Accounts that cost something are the remedy, or one instance per rank. Measured figures:
    docs/theory/attacks.md.
    """

    name: ClassVar[str] = "reader_ring"
    has_many_accounts: ClassVar[bool] = True
    known: float = 0.1
    accounts: int = 10

    @classmethod
    def settings(cls) -> tuple["ReaderRing", ...]:
        return (cls(), cls(known=0.3))

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        accounts = min(self.accounts, budget)
        posterior, each = make_posterior(participant.briefing), budget // accounts
        for number in range(1, accounts):
            reader = Insider(participant.account(f"reader-{number}"), each, rng)
            self.climb(reader, posterior, cashes_in=False)
        return self.climb(Insider(participant, budget - each * (accounts - 1), rng), posterior)
