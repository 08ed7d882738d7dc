"""One attack on a live board, and what it gained against the bound that the leakage meter states."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.costumes import Disguised, costume_for
from ladderboard_lab.drill.problem import DrillProblem
from ladderboard_lab.drill.strangers import Stranger
from ladderboard_lab.participant import Array

INSIDERS = ("padding", "look", "combo")
"""Attacks of somebody who holds half of all labels from elsewhere."""


@dataclass(frozen=True)
class Fought:
    """What one attack gained. ``overfit`` is the true loss minus the one on the board.

    ``bound`` is what the leakage meter states for what was told (None: nothing stated, for unbounded losses or noisy
    releases). ``margin`` is what of the overfit may be put down to the true score being known only so well.
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

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "breaks_bound": self.breaks_bound}


def fitting_attacks(problem: DrillProblem) -> dict[str, Attack]:
    """Every attack that fits the metric, as it is or in a costume, by name."""
    fitting: dict[str, Attack] = {}
    costume = costume_for(problem)
    for name, kind in ATTACKS.items():
        attack = kind()
        if attack.misfit(problem.briefing) is None:
            fitting[name] = attack
        elif attack.misfit(costume.briefing) is None:
            fitting[name] = Disguised(attack, costume)
    return fitting


def fight(
    name: str,
    attack: Attack,
    stranger: Stranger,
    problem: DrillProblem,
    competition: Competition,
    *,
    budget: int,
    rng: np.random.Generator,
) -> Fought:
    """Let the attack use its budget, with what it brought home as the last attempt, and measure."""
    result, ended = _attack(attack, stranger, budget=budget, rng=rng)
    everyone = [stranger, *stranger.others()]
    bits, bound = _told(everyone, competition)
    return Fought(
        attack=name,
        submissions=sum(one.submissions for one in everyone),
        accepts=sum(one.accepts for one in everyone),
        accounts=len(everyone),
        overfit=_worst(everyone, problem),
        bits=bits,
        bound=bound,
        revealed=None if result is None else _revealed(attack, result, problem),
        ended=ended,
    )


def _attack(attack: Attack, stranger: Stranger, *, budget: int, rng: np.random.Generator) -> tuple[Array | None, str]:
    has_final = attack.yields in ("predictions", "labels") and budget > 1
    try:
        result = attack.run(stranger, budget=budget - has_final, rng=rng)
        if has_final:
            stranger.submit(result)
    except lb.ConflictError as refusal:  # the holdout is spent: an answer like another
        return None, str(refusal)
    return result, ""


def _worst(everyone: Sequence[Stranger], problem: DrillProblem) -> float | None:
    """The largest overfit on the board among the accounts of one attacker."""
    found = [overfit for one in everyone if (overfit := _overfit(one, problem)) is not None]
    return max(found, default=None)


def _overfit(stranger: Stranger, problem: DrillProblem) -> float | None:
    if stranger.shown is None:
        return None
    if stranger.best is None:
        loss = problem.briefing.loss
        return loss(problem.true_baseline_score()) - loss(stranger.shown)
    return problem.overfit(stranger.best, stranger.shown)


def _told(everyone: Sequence[Stranger], competition: Competition) -> tuple[float | None, float | None]:
    """The bits of all that was told to one attacker, and the overfit bound they imply."""
    mechanism, yardstick = competition.mechanism, competition.public.yardstick
    if mechanism.is_noisy:
        return None, None
    ranks = competition.rules.ranks if competition.rules.instances == "rank" else 0
    bits = 0.0
    for one in everyone:
        told = mechanism.leakage(lb.State(attempts=one.attempts, accepts=one.accepts), yardstick)
        bits += (told.bits or 0.0) + one.attempts * math.log2(ranks + 1)
    return bits, lb.bounds.overfit_bound(bits, yardstick.units, yardstick.bounds)


def _revealed(attack: Attack, result: Array, problem: DrillProblem) -> float | None:
    if attack.yields == "membership":
        return _share(result, np.isin(np.arange(len(result)), problem.public))
    if attack.yields == "labels" and problem.briefing.classes == 2:
        return _share(result[problem.public], problem.labels[problem.public])
    return None


def _share(claimed: Array, truth: Array) -> float:
    return float(np.mean(np.sign(2.0 * claimed - 1) * (2.0 * truth - 1)))
