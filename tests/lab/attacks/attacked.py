"""One attack on one board, for tests: what it returned, and how much better than the truth it looks."""

from collections.abc import Callable, Sequence

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.participant import Array, LocalParticipant
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips

Maker = Callable[[np.random.Generator], Problem]
SEEDS = range(5)


def attacked(
    attack: Attack,
    mechanism: lb.Mechanism,
    make: Maker,
    *,
    k: int,
    seed: int,
    repeats_are_free: bool = True,
) -> tuple[Problem, LocalParticipant, Array]:
    """The problem, the attacker's account and what the attack returned."""
    rng = np.random.default_rng((seed, 77))
    problem = make(rng)
    assert attack.misfit(problem.briefing) is None
    participant = problem.open_board(mechanism, seed=seed, repeats_are_free=repeats_are_free)
    return problem, participant, attack.run(participant, budget=k, rng=rng)


def final_overfit(attack: Attack, mechanism: lb.Mechanism, make: Maker, *, k: int, seed: int) -> float:
    """True minus public loss of the attack's final vector."""
    problem, _, final = attacked(attack, mechanism, make, k=k, seed=seed)
    return problem.overfit(final, problem.public_score(final))


def board_overfit(attack: Attack, mechanism: lb.Mechanism, make: Maker, *, k: int, seed: int) -> float:
    """True minus shown loss of what the board is about."""
    problem, participant, _ = attacked(attack, mechanism, make, k=k, seed=seed)
    assert participant.shown is not None
    assert participant.best is not None
    return problem.overfit(participant.best, participant.shown)


def coins(n: int, *, known_share: float = 0.0, classes: int = 2) -> Maker:
    return lambda rng: coin_flips(rng, n=n, known_share=known_share, classes=classes)


def mean_final(attack: Attack, mechanism: lb.Mechanism, make: Maker, *, k: int, seeds: Sequence[int] = SEEDS) -> float:
    return float(np.mean([final_overfit(attack, mechanism, make, k=k, seed=seed) for seed in seeds]))


def mean_board(attack: Attack, mechanism: lb.Mechanism, make: Maker, *, k: int, seeds: Sequence[int] = SEEDS) -> float:
    return float(np.mean([board_overfit(attack, mechanism, make, k=k, seed=seed) for seed in seeds]))
