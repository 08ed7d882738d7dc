"""The sizes of a claim: small in `make test`, full in `make slow`, with limits that chance passes once in 1,000."""

import pytest
from scipy.stats import binom

ONCE_IN = 0.001


def sized(small: int, full: int) -> pytest.MarkDecorator:
    """Run the test with ``runs=small``, and with ``runs=full`` among the slow ones."""
    return pytest.mark.parametrize("runs", [small, pytest.param(full, marks=pytest.mark.slow)])


def most(share: float, runs: int) -> float:
    """The share of the runs that is passed once in 1,000 times where the true one is ``share``."""
    return float(binom.isf(ONCE_IN, runs, share)) / runs


def least(share: float, runs: int) -> float:
    """The share of the runs that is missed once in 1,000 times where the true one is ``share``."""
    return float(binom.ppf(ONCE_IN, runs, share)) / runs
