"""Least squares with one feature more: the fits and predictions of all candidates in one pass of linear algebra."""

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import FloatArray

COLLINEAR = 1e-10
"""A candidate of which a smaller share than this is left outside the chosen features adds nothing to them."""


class StepForwardFits:
    """Regressions of a response on an intercept, the chosen features and any one more of the others.

    With D = QR the chosen design and E = X − D·R⁻¹QᵀX what is left of every feature, the coefficient of candidate j
    beside the chosen ones is ⟨e_j, y⟩/⟨e_j, e_j⟩ (Frisch, Waugh, Lovell), and its predictions are those of the chosen
    ones plus that multiple of e_j: one decomposition and a few matrix products serve all candidates together.

    Parameters
    ----------
    training_features, training_labels
        What the regressions are fitted on: n × p and n numbers.
    features
        What they predict for: m × p.

    >>> fits = StepForwardFits([[0, 1], [1, 0], [2, 1], [3, 0]], [1, 3, 5, 7], features=[[4, 1]])
    >>> fits.predictions.round(6).tolist(), fits.predictions_with_each().round(6).tolist()
    ([4.0], [[9.0], [3.0]])
    >>> fits.choose(0)
    >>> fits.candidates.tolist(), fits.predictions.round(6).tolist()
    ([1], [9.0])
    """

    def __init__(self, training_features: FloatArray, training_labels: FloatArray, *, features: FloatArray) -> None:
        self._train = np.asarray(training_features, dtype=float)
        self._response = np.asarray(training_labels, dtype=float)
        self._items = np.asarray(features, dtype=float)
        self._sizes = np.square(self._train - self._train.mean(axis=0)).sum(axis=0)
        self.chosen: list[int] = []
        self.candidates = np.arange(self._train.shape[1])
        self._project()

    def predictions_with_each(self) -> FloatArray:
        """The predictions of the chosen features plus each candidate: candidates × items, in the candidates' order."""
        columns = self._left_items[:, self.candidates] * self._coefficients[self.candidates]
        return np.ascontiguousarray((self.predictions[:, None] + columns).T)

    def choose(self, *features: int) -> None:
        """Add candidates to the chosen features."""
        for feature in features:
            if feature not in self.candidates:
                raise lb.ParameterError(f"feature {feature} is no candidate")
            self.chosen.append(int(feature))
            self.candidates = self.candidates[self.candidates != feature]
        self._project()

    @property
    def room(self) -> int:
        """How many features more leave the regression a degree of freedom."""
        return max(len(self._response) - len(self.chosen) - 2, 0)

    def _project(self) -> None:
        """Split everything into its part along the chosen features and what is left of it."""
        design, items = _with_intercept(self._train[:, self.chosen]), _with_intercept(self._items[:, self.chosen])
        q, r = np.linalg.qr(design)
        # Chosen features that depend on each other have no unique coefficients; the smallest ones serve.
        inverse = np.linalg.pinv(r)
        left = self._train - q @ (q.T @ self._train)
        self._left_items = self._items - items @ (inverse @ (q.T @ self._train))
        fitted = q.T @ self._response
        self.predictions: FloatArray = items @ (inverse @ fitted)
        self._coefficients = self._slopes(left, self._response - q @ fitted)

    def _slopes(self, left: FloatArray, residual: FloatArray) -> FloatArray:
        squares = np.einsum("ij,ij->j", left, left)
        adds = squares > COLLINEAR * self._sizes
        return np.where(adds, (residual @ left) / np.where(adds, squares, 1.0), 0.0)


def _with_intercept(columns: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(columns)), columns])
