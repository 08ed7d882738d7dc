"""Retry policy: bounded, exponential pauses with jitter."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True)
class Retries:
    """A retry policy.

    ``tries`` counts all of them, 1: send once. Pauses double from a quarter of a second, each shortened by chance, so
    that the clients of a server that restarts do not come back all at once. What the server asks for (``Retry-After``)
    is waited for in full where it is at most ``longest_wait`` seconds; where it is more, the refusal is the answer.
    """

    tries: int = 5
    longest_wait: float = 15.0
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = field(default_factory=lambda: random.SystemRandom().random)

    def allows(self, tries_made: int, asked: float | None) -> bool:
        """Whether one more try may follow; ``asked`` is the server's Retry-After."""
        return tries_made < self.tries and (asked is None or asked <= self.longest_wait)

    def pause(self, tries_made: int, asked: float | None) -> None:
        """Wait before the next try."""
        usual = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (tries_made - 1))
        self.sleep((asked or 0.0) + usual * (0.5 + self.draw() / 2))


PATIENT = Retries(tries=12)
"""For uploads, which nobody likes to repeat by hand: about three quarters of a minute, as long as a server restarts."""
ONCE = Retries(tries=1)
"""No patience: every fault is the answer."""
