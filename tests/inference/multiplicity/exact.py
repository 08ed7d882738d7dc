"""Binomial probabilities with fifty digits, by the plainest recurrence: what fast formulas are checked against."""

from collections.abc import Sequence
from decimal import Decimal, getcontext

getcontext().prec = 50


def exact_pmf_and_cdf(failures: Sequence[int], n: int, accuracy: float) -> dict[int, tuple[Decimal, Decimal]]:
    """z → (P(X = z), P(X ≤ z)) for X ~ B(n, 1 − accuracy), with the accuracy taken as the exact binary number it is."""
    p = Decimal(accuracy)
    ratio = (1 - p) / p
    term = total = p**n
    found = {0: (term, total)}
    for z in range(1, max(failures) + 1):
        term = term * (n - z + 1) * ratio / z
        total += term
        if z in failures:
            found[z] = (term, total)
    return {z: found[z] for z in failures}


def relative_error(value: float, truth: Decimal) -> float:
    return abs(float((Decimal(value) - truth) / truth))
