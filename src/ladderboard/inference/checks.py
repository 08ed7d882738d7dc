"""Checks of shares, counts and confidences, shared by several analyses."""

import math

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray


def check_count(value: float, name: str, *, smallest: int = 1) -> int:
    """Check that ``value`` is a whole number of at least ``smallest``."""
    if not math.isfinite(value) or value != int(value) or value < smallest:
        raise ParameterError(f"{name} is {value}; it must be a whole number of at least {smallest}")
    return int(value)


def check_confidence(value: float) -> float:
    """Check that ``value`` is strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ParameterError(f"confidence is {value}; it must lie between 0 and 1, such as 0.95")
    return value


def check_shares(values: npt.ArrayLike, name: str) -> FloatArray:
    """Check one or several shares and return them as a vector of numbers in [0, 1]."""
    try:
        shares = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers between 0 and 1") from None
    if shares.ndim != 1 or not len(shares):
        raise ParameterError(f"{name} has shape {shares.shape}; one number, or a list of at least one, is needed")
    outside = ~((shares >= 0) & (shares <= 1))  # so that NaN is outside, too
    if outside.any():
        raise ParameterError(
            f"{name} is {shares[outside][0]:g}; it must be a share between 0 and 1 (divide percentages by 100)"
        )
    return shares
