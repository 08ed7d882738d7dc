"""Descriptions of mechanisms for participants, and the sentences that several of them share."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ParticipantWords:
    """A mechanism in words for participants."""

    title: str
    lead: str
    """What it does, in one or two sentences."""
    steps: tuple[str, ...]
    """What happens to a submission."""
    guarantee: tuple[str, ...]
    """What is guaranteed."""
    limits: tuple[str, ...]
    """What is not."""
    reading: tuple[str, ...]
    """How to read the score shown; it also stands beside the result of a submission."""
    source: str
    """Who proposed it, and where."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """What each of its parameters is."""


def describe_silence(reveal: str) -> str:
    """Say until when a board shows no scores; ``reveal`` is "deadline", "by hand", or a time in words.

    >>> str(describe_silence("2026-05-01 12:00"))
    'This board shows no scores until 2026-05-01 12:00.'
    """
    if reveal == "deadline":
        return "This board shows no scores until the results are revealed after the deadline."
    if reveal == "by hand":
        return "This board shows no scores until the organisers reveal the results."
    return f"This board shows no scores until {reveal}."


NEW_NOISE = "whether fresh noise is drawn each time, also where the score stays"
LOSS_WIDTH = "how far the losses of two rows can be apart; needed where the metric has no bounds"
FEWER_RESAMPLES = {
    "gamma": "how fast the number of resamples falls with the attempts; 0: it stays",
    "least_replicates": "the fewest resamples behind a score shown",
    "redraw": NEW_NOISE,
}
KEEPS_SCORE = (
    "Otherwise the score shown stays the same. You learn no more, and neither does anyone who tries to learn the "
    "labels from the answers."
)
ONE_PER_TEAM = (
    "The guarantees are for one team. Someone with several accounts collects several answers: that is against the "
    "rules, and organisers see which submissions are nearly alike."
)
UNPROVEN = (
    "Nothing is proven about this mechanism. It is offered because it was published and studied, and so that it can "
    "be compared with others."
)
BLUM_HARDT = "Blum and Hardt 2015, The Ladder: A Reliable Leaderboard for Machine Learning Competitions"
NETO = "Chaibub Neto and others 2016, Reducing overfitting in challenge-based competitions"
