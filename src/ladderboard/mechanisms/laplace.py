"""Laplace noise: the width that it scales with, the draw, and the rounding of a noisy score."""

import math

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, Yardstick
from ladderboard.mechanisms.base import clip_to_bounds, rounded_values

DIGITS_BELOW_NOISE = 2


def find_loss_width(yardstick: Yardstick, given: float | None) -> float:
    """How far two losses of one item can be apart: the metric's bounds, unless ``loss_width`` was given."""
    low, high = yardstick.bounds
    if given is not None:
        return given
    if not math.isfinite(high - low):
        raise ParameterError(
            f"{yardstick.metric} is not bounded, so its noise has no scale; "
            "give loss_width, how far apart the losses of two items can be"
        )
    return high - low


def laplace(rng: np.random.Generator, scale: float) -> float:
    """A draw from Lap(scale), whose standard deviation is √2·scale."""
    return float(rng.laplace(0.0, scale))


def noisy_score(evaluation: Evaluation, scale: float, rng: np.random.Generator) -> float:
    """The score with Lap(scale) on its loss, cut off at the metric's bounds, without the digits below the noise.

    The lowest digits of a sum of floats tell of its summands (Mironov 2012), so they are not shown.
    """
    yardstick = evaluation.yardstick
    score = yardstick.score(evaluation.loss + laplace(rng, scale))
    return clip_to_bounds(round(score, _decimals(scale)), yardstick)


def noisy_values(yardstick: Yardstick, scale: float) -> float:
    """V: how many numbers a `noisy_score` can be."""
    return rounded_values(yardstick, 10.0 ** -_decimals(scale))


def _decimals(scale: float) -> int:
    return max(0, math.ceil(-math.log10(scale)) + DIGITS_BELOW_NOISE)


def is_repetition(candidate: Evaluation, incumbent: Evaluation) -> bool:
    """Whether the candidate is the incumbent again: the same loss on every item."""
    return bool(np.array_equal(candidate.losses, incumbent.losses))


def check_positive(**given: float | None) -> None:
    """Refuse numbers that are neither positive and finite nor left to their default."""
    for name, value in given.items():
        if value is not None and not 0 < value < math.inf:
            raise ParameterError(f"{name} is {value}; it must be a positive number")
