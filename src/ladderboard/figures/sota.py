"""Figures of the luck in a best score: known accuracies, a bootstrapped board, or ROC shapes."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.figures.canvas import ACCENT, MUTED, SECOND, new_axes, save
from ladderboard.inference.multiplicity.best_score import BestScore
from ladderboard.inference.multiplicity.binomial import failures_pmf
from ladderboard.inference.multiplicity.multiplier import SotaFromLosses
from ladderboard.inference.multiplicity.roc_shapes import AucReading

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_MASS = 1e-4
"""Scores rarer than this are outside the picture."""


def save_best_score(best: BestScore, path: Path, *, confidence: float) -> None:
    """Draw the distribution of the best score beside that of the best classifier alone, and write the figure."""
    n, true_best = best.test_size, best.true_best
    figure, axes = new_axes(7.0, 3.6)
    failures = _choose_failures(best)
    scores = 1 - failures / n
    axes.fill_between(scores, best.pmf(failures), step="mid", color=ACCENT, alpha=0.6, label="best score")
    alone = failures_pmf(failures, n, true_best)
    axes.plot(scores, alone, drawstyle="steps-mid", color=MUTED, label="one classifier's score")
    axes.set_xlabel("accuracy")
    axes.set_ylabel("probability")
    _mark(axes, true_best, MUTED, "true")
    _mark(axes, best.mean, ACCENT, "expected best")
    _mark(axes, best.upper_limit(confidence), SECOND, f"{100 * confidence:g} % limit")
    title = f"The best of {best.classifiers} on {n} items: {100 * best.luck:.2f} percentage points of luck"
    _finish(axes, title)
    save(figure, path, title=title)


def save_board_luck(best: SotaFromLosses, path: Path) -> None:
    """Draw the best score over bootstrap replicates of the board, with the observed and the true best."""
    figure, axes = new_axes(7.0, 3.6)
    scores = [best.measure.score(float(loss)) for loss in best.best_losses]
    axes.hist(scores, bins=60, density=True, color=ACCENT, alpha=0.6, label="best score on other test sets")
    axes.set_xlabel(best.measure.name)
    axes.set_yticks([])
    _mark(axes, best.true_best, MUTED, "true best, estimated")
    _mark(axes, best.observed, SECOND, f"observed ({best.best_system})")
    title = f"Luck in the best {best.measure.name}: {best.measure.format_amount(best.luck)}"
    _finish(axes, title)
    save(figure, path, title=title)


def save_roc_shapes(reading: AucReading, path: Path, *, confidence: float) -> None:
    """Draw the ROC curves that share the AUC, with the interval of each."""
    figure, axes = new_axes(5.2, 4.6)
    rates = np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 400)])
    for place, roc in enumerate(reading.shapes):
        low, high = roc.interval(confidence)
        shade = 0.25 + 0.75 * place / max(1, len(reading.shapes) - 1)
        label = f"shape {roc.shape:.2g}: {low:.3f} to {high:.3f}"
        axes.plot(rates, roc.curve(rates), color=ACCENT, alpha=shade, label=label)
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8)
    axes.set_xlabel("false positive rate")
    axes.set_ylabel("true positive rate")
    title = f"ROC curves of AUC {reading.auc:.4f} and their {100 * confidence:g} % intervals"
    _finish(axes, title)
    save(figure, path, title=title)


def _choose_failures(best: BestScore) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Choose the failures that matter for the best score or the best classifier alone."""
    n, spread = best.test_size, (best.true_best * (1 - best.true_best) * best.test_size) ** 0.5
    middle = n * (1 - best.true_best)
    low = min(best.quantile(SHOWN_MASS), max(0, int(middle - 4 * spread)))
    high = max(best.quantile(1 - SHOWN_MASS), min(n, int(middle + 4 * spread) + 1))
    # More points than pixels only make the file large.
    return np.unique(np.linspace(low, high, min(high - low + 1, 1500)).astype(np.int64)).astype(np.float64)


def _mark(axes: "Axes", score: float, colour: str, words: str) -> None:
    axes.axvline(score, color=colour, linestyle="--", linewidth=1.2, label=f"{words}: {score:.4f}")


def _finish(axes: "Axes", title: str) -> None:
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)
    axes.legend(frameon=False, fontsize=8)
