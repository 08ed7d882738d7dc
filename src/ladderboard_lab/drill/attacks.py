"""Attacks on a live board, measured against the bound stated by the leakage meter."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.drill.http_participants import HttpParticipant
from ladderboard_lab.drill.targets import DrillTarget
from ladderboard_lab.participant import Array

CLIMBED = 3.0
"""Standard errors of a score without skill: a board that flatters by more was climbed, whatever bound is stated."""
LEARNT = 4.0
"""Standard deviations of what guessing brings: who knows more of labels or split has learnt it."""

Verdict = Literal["holds", "not climbed", "climbed", "BROKEN"]


@dataclass(frozen=True)
class AttackResult:
    """The result of one attack. ``overfit`` is the true loss minus the loss on the board.

    ``bound`` is what the leakage meter states for what was told (None: nothing stated, for unbounded losses or noisy
    releases). A bound that is wider than ``room``, all there is to gain, says nothing. ``standard_error`` is that of
    one score without skill.
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
    chance: float = 0.0
    """The standard deviation of ``revealed`` for whoever guesses."""
    ended: str = ""
    """Why the attack stopped before its budget was used, in the server's words."""
    room: float | None = None
    standard_error: float | None = None
    flags: tuple[str, ...] | None = None
    """What the organiser was shown about the attacker's teams; None where nobody could look."""
    teams: tuple[str, ...] = ()

    @property
    def breaks_bound(self) -> bool:
        return self.overfit is not None and self.bound is not None and self.overfit > self.bound

    @property
    def bound_says_something(self) -> bool:
        return self.bound is not None and (self.room is None or self.bound < self.room)

    @property
    def climbs(self) -> bool:
        """Whether the overfit exceeds chance, or the attack learnt labels or the split."""
        return self.errors > CLIMBED or self.knows_something

    @property
    def errors(self) -> float:
        """The overfit in standard errors of a score without skill."""
        return (self.overfit or 0.0) / self.standard_error if self.standard_error else 0.0

    @property
    def knows_something(self) -> bool:
        """Whether the attack knows more of labels or split than guessing would."""
        return self.revealed is not None and self.revealed > LEARNT * self.chance

    @property
    def verdict(self) -> Verdict:
        if self.breaks_bound:
            return "BROKEN"
        if self.climbs:
            return "climbed"
        return "holds" if self.bound_says_something else "not climbed"

    def to_dict(self) -> dict[str, Any]:
        own = {name: value for name, value in asdict(self).items() if name != "teams"}
        return {**own, "breaks_bound": self.breaks_bound, "verdict": self.verdict}


def run_attack(
    name: str,
    attack: Attack,
    participant: HttpParticipant,
    target: DrillTarget,
    *,
    budget: int,
    rng: np.random.Generator,
) -> AttackResult:
    """Run the attack, submit its result as the last attempt, and measure."""
    result, ended = _attack(attack, participant, budget=budget, rng=rng)
    everyone = [participant, *participant.list_accounts()]
    bits, bound = target.measure_leakage(everyone)
    share, chance = (None, 0.0) if result is None else target.measure_revealed(attack, result)
    return AttackResult(
        attack=name,
        submissions=sum(one.submissions for one in everyone),
        accepts=sum(one.accepts for one in everyone),
        accounts=len(everyone),
        overfit=_worst(everyone, target),
        bits=bits,
        bound=bound,
        revealed=share,
        chance=chance,
        ended=ended,
        room=target.measure_room(),
        standard_error=target.estimate_standard_error(participant),
        teams=tuple(one.team for one in everyone),
    )


def _attack(
    attack: Attack, participant: HttpParticipant, *, budget: int, rng: np.random.Generator
) -> tuple[Array | None, str]:
    has_final = attack.yields in ("predictions", "labels") and budget > 1
    try:
        result = attack.run(participant, budget=budget - has_final, rng=rng)
        if has_final:
            participant.submit(result)
    except (lb.ConflictError, lb.WaitError) as refusal:  # spent, closed, or over the limit: an answer like another
        return None, str(refusal)
    return result, ""


def _worst(everyone: Sequence[HttpParticipant], target: DrillTarget) -> float | None:
    """Find the largest overfit on the board among one attacker's accounts."""
    found = [overfit for one in everyone if (overfit := target.measure_overfit(one)) is not None]
    return max(found, default=None)
