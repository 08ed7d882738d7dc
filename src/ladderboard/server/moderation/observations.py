"""Observations about an attempt, besides its score: for the organiser, never for participants."""

from dataclasses import dataclass

from ladderboard.server.moderation.records import Flag


@dataclass(frozen=True, eq=False)
class Observation:
    """The sketch, bands and flags of an attempt, before it is recorded."""

    sketch: bytes
    bands: tuple[int, ...]
    flags: tuple[Flag, ...]
