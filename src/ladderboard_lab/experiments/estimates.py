"""Numbers with their errors: means and medians over repetitions, each with its standard error."""

import numpy as np

from ladderboard_lab.participant import FloatArray


class Estimate(float):
    """A number with a standard ``error``, written as "-0.116 ± 0.0041"; else a number like others."""

    __slots__ = ("error",)
    error: float

    def __new__(cls, value: float, error: float) -> "Estimate":
        made = super().__new__(cls, value)
        made.error = float(error)
        return made


def mean_of(values: FloatArray) -> Estimate:
    """The mean over repetitions; its standard error is the standard deviation through √N.

    >>> found = mean_of(np.array([1.0, 2.0, 3.0]))
    >>> found, round(found.error, 4)
    (2.0, 0.5774)
    """
    return Estimate(values.mean(), values.std(ddof=1) / np.sqrt(len(values)))


def median_of(values: FloatArray) -> Estimate:
    """The median over repetitions; its standard error needs no distribution.

    How many of N values lie below the median has a standard deviation of √N/2, so the values at the places (N ± √N)/2
    are two standard errors apart.

    >>> found = median_of(np.arange(101.0))
    >>> found, round(found.error, 1)
    (50.0, 5.0)
    """
    count = len(values)
    low, high = np.quantile(values, [max(0.0, 0.5 - 0.5 / np.sqrt(count)), min(1.0, 0.5 + 0.5 / np.sqrt(count))])
    return Estimate(np.median(values), (high - low) / 2)
