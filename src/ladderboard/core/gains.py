"""The two gains: what the next attempt usually shows, and what it usually proves."""

import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class Gains:
    """The true gains over the score shown that are shown (accepted) and proven ("improved") with 80 % power.

    ``reason`` says why one cannot be said. A gain is None without a reason where there is nothing to say: every score
    is shown or none is, or the mechanism proves nothing.
    """

    shown: float | None = None
    proven: float | None = None
    reason: str | None = None


def warn_of_detectable_gain() -> None:
    """Warn whoever reads ``detectable_gain``: it never said what is proven."""
    words = "detectable_gain is deprecated; use shown_gain, which it was, or proven_gain for the word 'improved'"
    warnings.warn(words, DeprecationWarning, stacklevel=3)
