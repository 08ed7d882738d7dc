"""The output of `ladderboard sota`: rows, a sentence, JSON and a figure."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladderboard.figures.sota import save_best_score, save_board_luck, save_roc_shapes
from ladderboard.inference.multiplicity.best_auc import BestAuc
from ladderboard.inference.multiplicity.best_score import BestScore
from ladderboard.inference.multiplicity.independent_classifiers import adjusted_interval
from ladderboard.inference.multiplicity.multiplier import SotaFromLosses
from ladderboard.inference.multiplicity.roc_shapes import AucReading, RocShape
from ladderboard.inference.multiplicity.sober_auc import SoberAuc
from ladderboard.inference.shrinkage import ShrunkBoard

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SotaReport:
    """One interpretation of a best score."""

    rows: tuple[tuple[str, str], ...]
    sentence: str
    record: dict[str, Any]
    """The same, for JSON."""
    draw: Callable[[Path], None]
    say_first: Callable[[], None] = lambda: None
    """Prints what was read from which file."""


@dataclass(frozen=True)
class SotaOptions:
    """What to report beside the distribution itself."""

    confidence: float = 0.95
    better_by: float = 0.01
    observed: float | None = None


def report_best_score(best: BestScore, options: SotaOptions) -> SotaReport:
    """Report the best score of classifiers of known accuracy."""
    rows = [*_distribution_rows(best, options), *_newcomer_rows(best, options)]
    sentence, record = best.sentence(confidence=options.confidence, better_by=options.better_by), _record(best, options)
    if options.observed is not None:
        extra, words, found = _interpret_observed(best, options.observed, options.confidence)
        rows, sentence, record = [*rows, *extra], f"{sentence} {words}", {**record, **found}
    return SotaReport(
        tuple(rows),
        sentence,
        {**record, "sentence": sentence},
        lambda path: save_best_score(best, path, confidence=options.confidence),
    )


def report_board(board: ShrunkBoard, as_if_true: BestScore, options: SotaOptions) -> SotaReport:
    """Report the best score of a board, taken as the truth and corrected for luck."""
    rows = (
        ("best score on the board", _percent(board.observed)),
        ("true best, estimated", _percent(board.true_best)),
        (f"true best, {_share(options.confidence)}", _span(board.interval(options.confidence))),
        ("luck in the best score", _points(board.luck)),
        ("expected best, if the scores were true", _percent(as_if_true.mean)),
    )
    sentence = board.sentence(confidence=options.confidence)
    record = {
        "classifiers": len(board.scores),
        "test_size": board.test_size,
        "observed": board.observed,
        "true_best": board.true_best,
        "true_best_interval": board.interval(options.confidence),
        "luck": board.luck,
        "confidence": options.confidence,
        "as_if_true": _record(as_if_true, options),
        "sentence": sentence,
    }
    shrunk = board.best_score()
    return SotaReport(rows, sentence, record, lambda path: save_best_score(shrunk, path, confidence=options.confidence))


def report_losses(best: SotaFromLosses, options: SotaOptions) -> SotaReport:
    """Report the best score of a board with the losses of all systems."""
    low, high = best.adjusted_interval(options.confidence)
    shown, sentence = best.measure.format_score, best.sentence(confidence=options.confidence)
    rows = (
        (f"best {best.measure.name} on the board", f"{shown(best.observed)}  ({best.best_system})"),
        (f"its true {best.measure.name}, {_share(options.confidence)}", f"{shown(low)} to {shown(high)}"),
        ("best guess", shown(best.true_best)),
        ("luck in the best score", best.measure.format_amount(best.luck)),
        ("standard error of the best system", f"{best.standard_error:.5f}"),
    )
    record = {
        "measure": best.measure.name,
        "best_system": best.best_system,
        "observed": best.observed,
        "true_best": best.true_best,
        "true_best_interval": (low, high),
        "luck": best.luck,
        "standard_error": best.standard_error,
        "mean": best.mean,
        "sd": best.sd,
        "interval": best.interval(options.confidence),
        "replicates": best.replicates,
        "confidence": options.confidence,
        "sentence": sentence,
    }
    return SotaReport(rows, sentence, record, lambda path: save_board_luck(best, path))


def report_auc(reading: AucReading, classifiers: int | None, options: SotaOptions) -> SotaReport:
    """Report an AUC without its curve, and the best AUC of several classifiers."""
    rows = [(f"shape {roc.shape:.2g}", _auc_row(roc, options.confidence)) for roc in reading.shapes]
    rows.append(("any shape", _span_of_auc(reading.interval(options.confidence))))
    sentence = reading.sentence(options.confidence)
    record: dict[str, Any] = {
        "auc": reading.auc,
        "interval": reading.interval(options.confidence),
        "standard_errors": reading.standard_errors,
        "shapes": [
            {"shape": roc.shape, "standard_error": roc.standard_error, "interval": roc.interval(options.confidence)}
            for roc in reading.shapes
        ],
        "confidence": options.confidence,
    }
    if classifiers is not None:
        best = [BestAuc(roc, classifiers) for roc in reading.shapes]
        low, high = min(one.mean for one in best), max(one.mean for one in best)
        rows.append((f"best of {classifiers}, expected", f"{low:.4f} to {high:.4f}, depending on the shape"))
        sentence += (
            f" If {classifiers} classifiers all had this true AUC, the best of them would be expected to reach "
            f"{low:.4f} to {high:.4f}."
        )
        record |= {
            "classifiers": classifiers,
            "best": [{"shape": b.roc.shape, "mean": b.mean, "sd": b.sd} for b in best],
        }
    if classifiers is not None and options.observed is not None:
        extra, words, found = _interpret_observed_auc(reading, classifiers, options)
        rows, sentence, record = [*rows, *extra], f"{sentence} {words}", {**record, **found}
    record["sentence"] = sentence
    return SotaReport(
        tuple(rows), sentence, record, lambda path: save_roc_shapes(reading, path, confidence=options.confidence)
    )


def _distribution_rows(best: BestScore, options: SotaOptions) -> list[tuple[str, str]]:
    return [
        ("true accuracy of the best", _percent(best.true_best)),
        ("expected best score", _percent(best.mean)),
        ("standard deviation", _points(best.sd)),
        (f"best score, {_share(options.confidence)}", _span(best.interval(options.confidence))),
        ("luck in the best score", _points(best.luck)),
    ]


def _newcomer_rows(best: BestScore, options: SotaOptions) -> list[tuple[str, str]]:
    if best.true_best + options.better_by > 1:
        return []
    limit = best.upper_limit(options.confidence)
    chance = best.beats(limit, better_by=options.better_by)
    lead = f"{100 * options.better_by:g} point{'' if options.better_by == 0.01 else 's'}"
    return [(f"chance that a lead of {lead} beats {_percent(limit)}", f"{chance:.4f}")]


def _record(best: BestScore, options: SotaOptions) -> dict[str, Any]:
    low, high = best.interval(options.confidence)
    possible = best.true_best + options.better_by <= 1
    return {
        "classifiers": best.classifiers,
        "test_size": best.test_size,
        "true_best": best.true_best,
        "mean": best.mean,
        "sd": best.sd,
        "interval": (low, high),
        "luck": best.luck,
        "confidence": options.confidence,
        "better_by": options.better_by,
        "beats_upper_limit": best.beats(high, better_by=options.better_by) if possible else None,
    }


def _interpret_observed(
    best: BestScore, observed: float, confidence: float
) -> tuple[list[tuple[str, str]], str, dict[str, Any]]:
    """Interpret an observed best score: how often luck reaches it, and which accuracies are compatible with it."""
    failures = round(best.test_size * (1 - observed))
    by_luck = best.cdf(failures)
    interval = adjusted_interval(
        observed, classifiers=best.classifiers, test_size=best.test_size, confidence=confidence
    )
    rows = [
        (f"chance of {_percent(observed)} by luck", f"{by_luck:.4g}"),
        ("true accuracy, if all are equal", _span(interval)),
    ]
    words = (
        f"Luck alone gives a best score of {_percent(observed)} or more with probability {by_luck:.3g}. If all "
        f"classifiers are equal and independent, it means a true accuracy of {_span(interval)}."
    )
    return rows, words, {"observed": observed, "reached_by_luck": by_luck, "adjusted_interval": interval}


def _interpret_observed_auc(
    reading: AucReading, classifiers: int, options: SotaOptions
) -> tuple[list[tuple[str, str]], str, dict[str, Any]]:
    """Interpret an observed best AUC: how often luck reaches it, and which true AUCs are compatible with it."""
    first, shapes = reading.shapes[0], tuple(roc.shape for roc in reading.shapes)
    observed = options.observed or 0.0
    sober = SoberAuc(observed, classifiers, first.positives, first.negatives, shapes)
    by_luck, interval = sober.reached_by_luck(reading.auc), sober.interval(options.confidence)
    chance = f"{by_luck[0]:.3g} to {by_luck[1]:.3g}"
    rows = [
        (f"chance of {observed:.4f} by luck", f"{chance}, depending on the shape"),
        ("true AUC, if all are equal", _span_of_auc(interval)),
    ]
    words = (
        f"Luck alone gives a best AUC of {observed:.4f} or more with probability {chance}. If all classifiers are "
        f"equal and independent, it means a true AUC of {_span_of_auc(interval)}, best guess "
        f"{_span_of_auc(sober.estimates)}."
    )
    found = {"observed": observed, "reached_by_luck": by_luck, "adjusted_interval": interval}
    return rows, words, {**found, "sober_estimates": sober.estimates}


def _auc_row(roc: RocShape, confidence: float) -> str:
    return f"{_span_of_auc(roc.interval(confidence))}  (± {roc.standard_error:.4f})"


def _span_of_auc(interval: Interval) -> str:
    return f"{interval[0]:.4f} to {interval[1]:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _share(confidence: float) -> str:
    return f"{100 * confidence:g} %"


def _span(interval: Interval) -> str:
    return f"{_percent(interval[0])} to {_percent(interval[1])}"


def _points(share: float) -> str:
    return f"{100 * share:.2f} points"
