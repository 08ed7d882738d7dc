"""One attack on a live board, and what it gained against the bound that the leakage meter states."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.drill.grounds import Ground
from ladderboard_lab.drill.strangers import Stranger
from ladderboard_lab.participant import Array

INSIDERS = ("padding", "look", "combo")
"""Attacks of somebody who holds half of all labels from elsewhere."""


@dataclass(frozen=True)
class Fought:
    """What one attack gained. ``overfit`` is the true loss minus the one on the board.

    ``bound`` is what the leakage meter states for what was told (None: nothing stated, for unbounded losses or noisy
    releases).
    """

    attack: str
    submissions: int
    accepts: int
    accounts: int
    overfit: float | None
    bits: float | None
    bound: float | None
    revealed: float | None = None
    """Of labels or of the split, where the attack was after them: 1 is all, 0 is guessing."""
    ended: str = ""
    """Why the attack stopped before its budget was used, in the server's words."""

    @property
    def breaks_bound(self) -> bool:
        return self.overfit is not None and self.bound is not None and self.overfit > self.bound

    @property
    def verdict(self) -> str:
        if self.breaks_bound:
            return "BROKEN"
        return "no bound stated" if self.bound is None else "holds"

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "breaks_bound": self.breaks_bound, "verdict": self.verdict}


def fight(
    name: str, attack: Attack, stranger: Stranger, ground: Ground, *, budget: int, rng: np.random.Generator
) -> Fought:
    """Let the attack use its budget, with what it brought home as the last attempt, and measure."""
    result, ended = _attack(attack, stranger, budget=budget, rng=rng)
    everyone = [stranger, *stranger.others()]
    bits, bound = ground.told(everyone)
    return Fought(
        attack=name,
        submissions=sum(one.submissions for one in everyone),
        accepts=sum(one.accepts for one in everyone),
        accounts=len(everyone),
        overfit=_worst(everyone, ground),
        bits=bits,
        bound=bound,
        revealed=None if result is None else ground.revealed(attack, result),
        ended=ended,
    )


def _attack(attack: Attack, stranger: Stranger, *, budget: int, rng: np.random.Generator) -> tuple[Array | None, str]:
    has_final = attack.yields in ("predictions", "labels") and budget > 1
    try:
        result = attack.run(stranger, budget=budget - has_final, rng=rng)
        if has_final:
            stranger.submit(result)
    except (lb.ConflictError, lb.WaitError) as refusal:  # spent, closed, or over the limit: an answer like another
        return None, str(refusal)
    return result, ""


def _worst(everyone: Sequence[Stranger], ground: Ground) -> float | None:
    """The largest overfit on the board among the accounts of one attacker."""
    found = [overfit for one in everyone if (overfit := ground.overfit(one)) is not None]
    return max(found, default=None)
