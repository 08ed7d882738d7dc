"""Least squares with one feature more: the fits and predictions of all candidates in one pass of linear algebra."""

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import FloatArray

COLLINEAR = 1e-10
"""A candidate of which a smaller share than this is left outside the chosen features adds nothing to them."""


class StepForwardFits:
    """Regressions of a response on an intercept, the chosen features and any one more of the others.

    Every feature is kept as what the chosen ones leave of it: E, whose rows are orthogonal to them on the training set.
    The coefficient of candidate j beside the chosen ones is then ⟨e_j, y⟩/⟨e_j, e_j⟩ (Frisch, Waugh, Lovell), and its
    predictions are those of the chosen ones plus that multiple of e_j: one pass over E serves all candidates. A chosen
    feature is taken out of all others, a step of the modified Gram–Schmidt process.

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
        train, items = (np.asarray(given, dtype=float).T for given in (training_features, features))
        response = np.asarray(training_labels, dtype=float)
        centres = train.mean(axis=1, keepdims=True)
        # What is left after the intercept: features × training items, features × items.
        self._train = np.ascontiguousarray(train - centres)
        self._items = np.ascontiguousarray(items - centres)
        self._residual: FloatArray = response - response.mean()
        self._squares = _squares(self._train)
        self._smallest = COLLINEAR * self._squares
        self.predictions: FloatArray = np.full(items.shape[1], response.mean())
        self.chosen: list[int] = []
        self.candidates = np.arange(len(train))

    def predictions_with_each(self) -> FloatArray:
        """The predictions of the chosen features plus each candidate: candidates × items, in the candidates' order."""
        found = self._items[self.candidates]
        found *= self._slopes()[self.candidates, None]
        found += self.predictions
        return found

    def choose(self, *features: int) -> None:
        """Add candidates to the chosen features."""
        for feature in features:
            if feature not in self.candidates:
                raise lb.ParameterError(f"feature {feature} is no candidate")
            self.chosen.append(int(feature))
            self.candidates = self.candidates[self.candidates != feature]
            if self._squares[feature] > self._smallest[feature]:
                self._take_out(feature)

    @property
    def room(self) -> int:
        """How many features more leave the regression a degree of freedom."""
        return max(len(self._residual) - len(self.chosen) - 2, 0)

    def _slopes(self) -> FloatArray:
        adds = self._squares > self._smallest
        return np.where(adds, (self._train @ self._residual) / np.where(adds, self._squares, 1.0), 0.0)

    def _take_out(self, feature: int) -> None:
        """Move the feature's part of the response to the predictions, and take it out of all features."""
        direction, along_items = self._train[feature].copy(), self._items[feature].copy()
        slope = float(direction @ self._residual) / self._squares[feature]
        self.predictions = self.predictions + slope * along_items
        self._residual -= slope * direction
        shares = (self._train @ direction) / self._squares[feature]
        self._train -= shares[:, None] * direction
        self._items -= shares[:, None] * along_items
        self._squares = _squares(self._train)


def _squares(rows: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
