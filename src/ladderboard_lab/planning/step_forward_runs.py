"""Measured runs of the step-forward attack: how much better the public part looks than the private one."""

from dataclasses import dataclass

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.participant import Array
from ladderboard_lab.problems.base import Problem


def count_submissions(*, iterations: int, features: int) -> int:
    """How many submissions the attack makes: p + (p − 1) + … for each iteration one feature less.

    >>> [count_submissions(iterations=i, features=50 * i) for i in range(1, 7)]
    [50, 199, 447, 794, 1240, 1785]
    >>> [count_submissions(iterations=i, features=p) for i, p in ((3, 41), (5, 26), (15, 15))]
    [120, 120, 120]
    """
    return iterations * features - iterations * (iterations - 1) // 2


@dataclass(frozen=True)
class Reading:
    """The attacker's regression after an iteration, in losses (lower is better).

    ``luck`` is what the split alone gives: the public minus the private loss of the constant prediction, zero where the
    metric has no value for it.
    """

    submissions: int
    public: float
    private: float
    luck: float

    @property
    def delta(self) -> float:
        """Public minus private loss, the paper's ΔMSE: negative where the public number flatters."""
        return self.public - self.private

    @property
    def net(self) -> float:
        """`delta` without the luck of the split: the same mean on permuted responses, a fraction of the noise."""
        return self.delta - self.luck


def step_forward_run(
    problem: Problem, mechanism: "str | lb.Mechanism", *, iterations: int, seed: int, attack: StepForward | None = None
) -> list[Reading]:
    """One attack; a reading after each iteration. One that ended early keeps its last regression."""
    assert problem.briefing.features is not None
    participant = problem.open_board(mechanism, seed=seed, repeats_are_free=False)
    features = problem.briefing.features.shape[1]
    counts = [count_submissions(iterations=done, features=features) for done in range(1, iterations + 1)]
    constant, *stages = (attack or StepForward(iterations)).stages(participant, budget=counts[-1])
    losses = [_losses(problem, stage) for stage in stages]
    luck = float(np.nan_to_num(np.subtract(*_losses(problem, constant))))
    # Without a single jump the attacker is left with the constant.
    losses = losses or [_losses(problem, constant)]
    losses += [losses[-1]] * (iterations - len(losses))
    return [Reading(count, public, private, luck) for count, (public, private) in zip(counts, losses, strict=True)]


def _losses(problem: Problem, predictions: Array) -> tuple[float, float]:
    """Public and private loss; NaN where the metric has no value, as a correlation with a constant."""
    try:
        scores = problem.public_score(predictions), problem.true_score(predictions)
    except (lb.UndefinedMetricError, lb.PredictionsError):
        return np.nan, np.nan
    return problem.briefing.loss(scores[0]), problem.briefing.loss(scores[1])
