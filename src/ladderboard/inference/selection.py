"""The selection of the winner: how far its score could move without another system winning."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.covariance import SystemMeans


@dataclass(frozen=True, eq=False)
class Selection:
    """The winner's place on a scale where it is about normal with a known standard error.

    Notation: Y → ``observed``; σ → ``error``; L − Y and U − Y → ``low`` and ``high``, in standard errors.
    """

    observed: float
    error: float
    low: float
    high: float
    loss_at: Callable[[float], float] = field(repr=False)
    """From the scale back to a mean loss."""


def find_selection(paired: SystemMeans, winner: int) -> Selection:
    """On the scale of the losses; for shares of failures on the angular scale, where σ does not depend on luck.

    A lucky winner has few failures, and so a standard error that is too small as well: the angle
    asin √((k + 3/8)/(n + 3/4)) of k failures has the variance 1/(4n + 2) whatever their probability is (Anscombe 1948).
    Of items in groups it has that times the design effect, taken from all systems together for the same reason. Means
    of several runs are worth so many independent trials as all systems' variances together say.
    """
    return _select_by_failures(paired, winner) if paired.is_share else _select_by_losses(paired, winner)


def _select_by_losses(paired: SystemMeans, winner: int) -> Selection:
    rivals = paired.means + _half_steps(paired, winner) * paired.spacing
    spread = few_groups_factor(paired) * np.sqrt(paired.variances)
    return _selection(paired, winner, float(paired.means[winner]), rivals, spread, loss_at=float)


def few_groups_factor(paired: SystemMeans) -> float:
    """By how much a standard error from few groups must grow: Student's 97.5 % quantile in units of the normal one.

    1 for independent items; 1.15 for ten groups of equal size, 1.01 for a hundred. Of seeds and prompts it is that of
    the system whose error is known worst.
    """
    from scipy.special import ndtri, stdtrit

    own = getattr(paired, "own_units", None)
    if paired.shares is None and own is None:
        return 1.0
    freedom = paired.degrees_of_freedom if own is None else float(own.min()) - 1
    return float(stdtrit(freedom, 0.975) / ndtri(0.975))


def _select_by_failures(paired: SystemMeans, winner: int) -> Selection:
    trials = _count_trials(paired)
    failures = paired.means * trials
    rivals = _angle(failures + _half_steps(paired, winner) * paired.spacing * trials, trials)
    error = few_groups_factor(paired) * math.sqrt(_design_effect(paired) / (4 * trials + 2))
    spread = np.full(len(failures), error)

    def loss_at(angle: float) -> float:
        share = math.sin(min(max(angle, 0.0), math.pi / 2)) ** 2
        return min(max(((trials + 0.75) * share - 0.375) / trials, 0.0), 1.0)

    observed = float(_angle(failures[winner], trials))
    return _selection(paired, winner, observed, rivals, spread, loss_at=loss_at)


def _count_trials(paired: SystemMeans) -> float:
    """How many independent failures or successes a mean loss is worth: n of 0/1 losses, n to kn of the means of k runs.

    Σp(1 − p)/ΣVar over the systems. The winner's own variance is as lucky as its mean.
    """
    if paired.is_binary:
        return round(1 / paired.spacing)
    return float((paired.means * (1 - paired.means)).sum() / paired.variances.sum())


def _design_effect(paired: SystemMeans) -> float:
    """How many times larger than for independent items the variances are, on average over the systems; at least 1."""
    binomial = paired.means * (1 - paired.means) * paired.spacing
    varies = binomial > 0
    if not paired.is_binary or paired.shares is None or not varies.any():
        return 1.0
    return max(1.0, float(np.mean(paired.variances[varies] / binomial[varies])))


def _angle(failures: FloatArray, trials: float) -> FloatArray:
    share = np.clip((failures + 0.375) / (trials + 0.75), 0.0, 1.0)  # half a failure beyond all trials is all of them
    return np.asarray(np.arcsin(np.sqrt(share)))


def _half_steps(paired: SystemMeans, winner: int) -> FloatArray:
    """Ties go to the first column: those before the winner are a step behind, those after it at least level.

    Where means lie on a lattice the limit is half-way between what is possible and what is not.
    """
    return np.where(np.arange(len(paired.means)) > winner, 0.5, -0.5)


def _selection(
    paired: SystemMeans,
    winner: int,
    observed: float,
    rivals: FloatArray,
    spread: FloatArray,
    *,
    loss_at: Callable[[float], float],
) -> Selection:
    """As Y rises by one, system j rises by its slope Cov(j, w)/Var(w), and overtakes where that is below one."""
    slopes = _correlate(paired, winner) * spread / spread[winner]
    margins = (rivals - observed) / spread[winner]
    # A system that is identical to the winner never overtakes it (and neither does the winner itself).
    differs = paired.difference_variances_with(winner) > 0
    rising, falling = differs & (slopes < 1), differs & (slopes > 1)
    return Selection(
        observed=observed,
        error=float(spread[winner]),
        low=float(np.max(margins[falling] / (1 - slopes[falling]), initial=-np.inf)),
        high=float(np.min(margins[rising] / (1 - slopes[rising]), initial=np.inf)),
        loss_at=loss_at,
    )


def _correlate(paired: SystemMeans, winner: int) -> FloatArray:
    """The correlation of every mean loss with the winner's; 0 where a system does not vary."""
    scale = np.zeros_like(paired.variances)
    np.divide(1.0, np.sqrt(paired.variances), out=scale, where=paired.variances > 0)
    return np.asarray(paired.covariance_with(winner) * scale * scale[winner])
