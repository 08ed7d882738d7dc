"""A Gaussian posterior over labels of which released numbers are linear readings."""

import numpy as np

from ladderboard_lab.participant import FloatArray


class Posterior:
    """What the numbers of accepted submissions say about the labels that they rest on.

    A number is taken for a linear reading z·u, u a sign for each item times its weight in the score. On a hidden half
    that weight is 2 or 0: before any reading an unknown label is 0 ± √2 and a known one its own sign ± 1. Several
    accounts may add to one posterior: they read the same half. ``scale`` turns steps of the numbers into steps of the
    readings.
    """

    def __init__(self, mean: FloatArray, variance: FloatArray, *, scale: float) -> None:
        self._mean, self._variance, self._scale = mean, variance, scale
        self._directions = np.empty((0, len(mean)))
        self._covariance = np.empty((0, 0))
        self._readings: list[float] = []
        self._values: set[float] = set()

    def __len__(self) -> int:
        return len(self._readings)

    def add(self, direction: FloatArray, reading: float, *, value: float) -> None:
        """Add a reading along this direction; ``value`` is the number that was told, as it was rounded."""
        weighted = self._variance * direction
        row, corner = self._directions @ weighted, np.array([[direction @ weighted]])
        self._covariance = np.block([[self._covariance, row[:, None]], [row[None, :], corner]])
        self._directions = np.vstack([self._directions, direction])
        self._readings.append(reading)
        self._values.add(value)

    def compute_mean(self) -> FloatArray:
        """Compute the posterior mean of u, with a free constant: a number may flatter everybody alike."""
        surprises = np.array(self._readings) - self._directions @ self._mean
        covariance = self._covariance + self._noise() * np.eye(len(surprises))
        weights = np.linalg.solve(covariance, np.stack([np.ones(len(surprises)), surprises], axis=1))
        constant = weights[:, 1].sum() / weights[:, 0].sum()
        gain = weights[:, 1] - constant * weights[:, 0]
        return np.asarray(self._mean + self._variance * (gain @ self._directions))

    def _noise(self) -> float:
        """The variance of rounding, a twelfth of a squared step, from the smallest step between numbers so far."""
        steps = np.diff(sorted(self._values))
        step = self._scale * float(steps.min()) if len(steps) else 0.0
        return max(step**2 / 12, 1e-6 * float(self._covariance.diagonal().mean()))
