"""Holm's correction of several p-values."""

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjusted p-values, in the order given: those ≤ α may be called significant, and with 1 − α none of them falsely.

    The i-th smallest of k is multiplied by k − i + 1; an adjusted p-value is never below that of a smaller one. Holds
    under any dependence (Holm 1979, A simple sequentially rejective multiple test procedure).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.atleast_1d(np.asarray(p_values, dtype=np.float64))
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ParameterError("p-values must be a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted
