"""The direction of a score: stated by the user or the file, known from the score's name, or else refused."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.options import ReadOptions
from ladderboard.inference.measure import ACCURACY, LOSS, Measure

HIGHER = frozenset(
    (
        *("acc", "acc_norm", "acc_mutual_info", "accuracy", "correct", "is_correct", "resolved", "passed", "success"),
        *("exact_match", "em", "match", "f1", "f1_score", "mcc", "mc1", "mc2", "bleu", "bleu_4", "chrf"),
        *("rouge1", "rouge2", "rougel", "rouge_l", "pass@1", "pass_at_1", "log_likelihood"),
        *("prompt_level_strict_acc", "prompt_level_loose_acc"),
        *("quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
    )
)
LOWER = frozenset(
    (
        *("loss", "losses", "error", "wrong", "failed", "log_loss", "brier", "brier_score", "mse", "rmse", "mae"),
        *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ter", "wer", "cer"),
    )
)
RIGHT_OR_WRONG = frozenset(("acc", "accuracy", "correct", "is_correct", "resolved", "passed", "exact_match"))


@dataclass(frozen=True)
class Direction:
    """Which way a score points, and what it is called."""

    higher_is_better: bool
    name: str

    @property
    def word(self) -> str:
        """Which scores are better, in a word."""
        return "higher" if self.higher_is_better else "lower"

    def losses(self, scores: FloatArray) -> tuple[FloatArray, Measure]:
        """The scores as losses, and the measure that shows them as the scores they were."""
        if not self.higher_is_better:
            return scores, LOSS if self.name in ("loss", "losses", "") else Measure(self.name)
        if not _is_within_one(scores):
            return -scores, Measure(self.name or "score", 0.0)
        is_accuracy = bool(np.isin(scores[np.isfinite(scores)], (0, 1)).all()) or self.name in RIGHT_OR_WRONG
        return 1 - scores, ACCURACY if is_accuracy else Measure(self.name or "score", 1.0)


def find_direction(
    file: str, names: Sequence[str], scores: FloatArray, options: ReadOptions, known: bool | None
) -> Direction:
    """The direction of scores of these names; ``known``: what the file itself says of "higher is better"."""
    plains = {part.split(",")[0].split("/")[-1].lower() for name in names for part in name.split("|")}
    plain = next(iter(plains)) if len(plains) == 1 else "score"
    if options.kind == "losses":
        return Direction(higher_is_better=False, name="loss")
    if options.kind == "correct":
        _refuse_uncorrect(file, scores)
        return Direction(higher_is_better=True, name="correct")
    if options.higher_is_better is not None:
        return Direction(higher_is_better=options.higher_is_better, name=plain)
    if known is not None:
        return Direction(higher_is_better=known, name=plain)
    if plains <= HIGHER or plains <= LOWER:
        return Direction(higher_is_better=plains <= HIGHER, name=plain)
    raise describe_unknown_direction(file, scores, f" ({', '.join(names)})")


def describe_unknown_direction(file: str, scores: FloatArray, what: str = "") -> InputError:
    """The refusal of a table whose direction cannot be known, with the two options that say it."""
    given = scores[np.isfinite(scores)]
    if len(given) and np.isin(given, (0, 1)).all():
        return InputError(
            f"{file} holds only 0 and 1{what}, and it cannot be told whether 1 is right or wrong: say --kind correct "
            "if 1 is right, or --kind losses if 1 is an error (in Python: kind=)"
        )
    return InputError(
        f"{file} does not say whether high numbers are good{what}: say --higher-is-better or --lower-is-better "
        "(in Python: higher_is_better=)"
    )


def _refuse_uncorrect(file: str, scores: FloatArray) -> None:
    outside = scores[np.isfinite(scores) & ((scores < 0) | (scores > 1))]
    if len(outside):
        raise InputError(
            f"{file}: {outside[0]:g} is outside [0, 1]; --kind correct takes 1 for right, 0 for wrong, or a share; a "
            f"missing answer that is written as a number is declared by --missing-value {outside[0]:g}"
        )


def _is_within_one(scores: FloatArray) -> bool:
    given = scores[np.isfinite(scores)]
    return bool(len(given)) and bool(given.min() >= 0) and bool(given.max() <= 1)
