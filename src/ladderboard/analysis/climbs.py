"""A mechanism's answers to a sequence of submissions by one analyst."""

from collections.abc import Iterable
from dataclasses import dataclass

from ladderboard.core.randomness import derive_generator
from ladderboard.core.records import Evaluation
from ladderboard.mechanisms.base import Mechanism


@dataclass(frozen=True)
class Climb:
    """The positions that were accepted, and the number on the board after each submission."""

    accepted: frozenset[int]
    board: tuple[float | None, ...]


def climb(
    mechanism: Mechanism,
    baseline: Evaluation,
    submissions: Iterable[Evaluation],
    *,
    secret: bytes,
    skip_first: bool = False,
) -> Climb:
    """Submit one after the other. ``skip_first``: the first is the baseline itself and not an attempt."""
    state = mechanism.start(baseline, derive_generator(secret, "split"))
    incumbent = proven = baseline
    accepted, board = set(), []
    for position, candidate in enumerate(submissions):
        if position > 0 or not skip_first:
            rng = derive_generator(secret, "noise", position)
            state, release = mechanism.step(state, candidate, incumbent, rng, proven=proven)
            if release.accepted:
                accepted.add(position)
                incumbent = candidate
            if release.improved:
                proven = candidate
        board.append(state.released)
    return Climb(frozenset(accepted), tuple(board))
