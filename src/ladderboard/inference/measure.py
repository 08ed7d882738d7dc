"""The name and display of a mean loss."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """The display of a mean loss: the loss itself, or a score for which higher is better.

    >>> ACCURACY.score(0.25), LOSS.score(0.25)
    (0.75, 0.25)
    >>> ACCURACY.format_score(0.75), LOSS.format_score(0.75)
    ('75.00 %', '0.7500')
    """

    name: str
    zero_loss_score: float | None = None
    """The score of an entry of loss zero: score = zero_loss_score − loss. None: the loss is the score."""

    @property
    def lower_is_better(self) -> bool:
        return self.zero_loss_score is None

    def score(self, loss: float) -> float:
        """The score of a mean loss."""
        return loss if self.zero_loss_score is None else self.zero_loss_score - loss

    def loss(self, score: float) -> float:
        """The inverse of `score`, which is its own."""
        return self.score(score)

    def format_score(self, score: float) -> str:
        """A score in words: accuracies in per cent."""
        return f"{100 * score:.2f} %" if self == ACCURACY else f"{score:.4f}"

    def format_amount(self, amount: float) -> str:
        """A difference of scores in words."""
        shown = round(100 * amount, 2) if self == ACCURACY else round(amount, 4)
        shown += 0.0  # no negative zero
        return f"{shown:.2f} percentage points" if self == ACCURACY else f"{shown:.4f}"


LOSS = Measure("loss")
ACCURACY = Measure("accuracy", 1.0)
