"""What other tools' hooks need of a holdout: a guard in this process, or a client of a service."""

from typing import Any, Protocol

from ladderboard.core.records import Release


class ScoringHoldout(Protocol):
    """The part of a holdout that a hook needs."""

    def score(self, predictions: Any) -> Release: ...
