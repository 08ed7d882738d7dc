"""The output of `ladderboard holdout`: a result as a sentence, a guard's state as lines and a chart."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ladderboard.cli._shared.chart import ChartFrame, ChartLine, draw_chart
from ladderboard.core.gains import Gains
from ladderboard.core.precision import NO_INTERVAL
from ladderboard.core.records import Leakage, Release, State
from ladderboard.core.score_format import ScoreFormat
from ladderboard.guard.file import GuardFile
from ladderboard.guard.file_schema import GuardSettings
from ladderboard.guard.gains import find_gains
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.reference import ReferenceStatus, read_reference_status
from ladderboard.guard.settings import read_mechanism
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.outcomes import Footing, Outcome, describe_gains, describe_outcome, describe_repeat
from ladderboard.metrics import METRICS
from ladderboard.metrics.positive import describe_positive

CHART_HEIGHT = 10
SCORES = ScoreFormat()
"""As JSON and Python show them: the state of a guard is told without its labels, which fix the decimals."""


def describe_release(guard: Holdout, release: Release) -> Iterator[str]:
    """Describe one attempt: its outcome, and the score on the board."""
    outcome = _describe_repeat(guard, release) if release.is_repeat else _describe_outcome(guard, release)
    yield f"{outcome.title}: {outcome.sentence}"
    if release.board_value is not None:
        better = "lower" if guard.metric.lower_is_better else "higher"
        interval = _describe_interval(guard, release)
        shown = SCORES.write(release.board_value)
        yield f"On the board: {guard.metric.name} {shown} ({better} is better{interval})."
    yield from _describe_gains(guard.gains)


def _describe_interval(guard: Holdout, release: Release) -> str:
    if release.interval is not None:
        return f"; 95 % interval {SCORES.write_interval(*release.interval)}"
    return f"; {NO_INTERVAL}" if release.accepted and guard.mechanism.has_intervals else ""


def _describe_outcome(guard: Holdout, release: Release) -> Outcome:
    return describe_outcome(
        release,
        guard.find_footing(release.attempt),
        mechanism=guard.mechanism,
        lower_is_better=guard.metric.lower_is_better,
        scores=SCORES,
        hint=_describe_hint(guard),
    )


def _describe_repeat(guard: Holdout, release: Release) -> Outcome:
    return describe_repeat(
        release,
        guard.find_footing(guard.attempts + 1),
        attempt=release.attempt,
        mechanism=guard.mechanism,
        scores=SCORES,
        hint=_describe_hint(guard),
    )


def _describe_hint(guard: Holdout) -> str | None:
    """Say which class is positive, where one is: predictions of the other one are never recognised."""
    return None if guard.positive is None else describe_positive(guard.metric.kind.takes, guard.positive)


def _describe_gains(gains: Gains) -> Iterator[str]:
    """Say what the next attempt can show and prove; nothing where there is nothing to say."""
    told = describe_gains(gains)
    if told is not None:
        yield told


def release_as_json(guard: Holdout, release: Release) -> dict[str, Any]:
    """Convert one attempt to JSON."""
    return {**release.to_answer(), "leakage": asdict(guard.leakage)}


def status_as_json(guard: GuardFile) -> dict[str, Any]:
    """Convert the state of a guard to JSON; needs no labels."""
    state, leakage = guard.progress()
    settings, pinned, gains = guard.settings, read_reference_status(guard), _find_gains(guard)
    return {
        "metric": settings.metric,
        "lower_is_better": bool(settings.lower_is_better),
        "positive": None if settings.positive is None else json.loads(settings.positive),
        "mechanism": settings.mechanism,
        "items": settings.items,
        "has_ids": settings.ids_hash is not None,
        "attempts": state.attempts,
        "accepts": state.accepts,
        "board_value": state.released,
        "shown_gain": gains.shown,
        "proven_gain": gains.proven,
        "is_pinned": pinned.is_pinned,
        "reference": pinned.reference,
        "questions": pinned.questions,
        "leakage": asdict(leakage),
        "history": [release.to_dict() for release in guard.releases()],
    }


def describe_status(guard: GuardFile, *, width: int) -> list[Any]:
    """Describe the state of a guard, with a chart of its history, as lines for a rich console."""
    state, leakage = guard.progress()
    footing = guard.read_footing(state.attempts + 1)
    lines: list[Any] = [
        *_summarise(guard.settings, state, footing),
        *_describe_gains(_find_gains(guard)),
        *_describe_reference(read_reference_status(guard)),
        _describe_leakage(leakage),
    ]
    shown = [release.board_value for release in guard.releases() if release.board_value is not None]
    if len(shown) < 2 or min(shown) == max(shown):
        return lines

    frame = ChartFrame(width, CHART_HEIGHT, low=min(shown), high=max(shown), length=len(shown))
    chart = draw_chart([ChartLine("board", shown, "cyan")], frame)
    return [*lines, "", *chart, f"{'':7}score on the board over {len(shown)} attempts"]


def _find_gains(guard: GuardFile) -> Gains:
    """Find what the next attempt can show; none where the mechanism is a user's own, which the file does not hold."""
    known = guard.settings.mechanism in MECHANISMS
    return find_gains(guard, read_mechanism(guard.settings, None), guard.progress()[0]) if known else Gains()


def _summarise(settings: GuardSettings, state: State, footing: Footing) -> list[str]:
    better = "lower" if settings.lower_is_better else "higher"
    whose = "the baseline" if footing.incumbent is None else f"attempt {footing.incumbent}"
    shown = "no score yet" if state.released is None else f"score shown {SCORES.write(state.released)} ({whose})"
    proven = "" if footing.proven is None else f"; last improved: attempt {footing.proven}"
    known = f"{better} is better{_describe_positive(settings)}"
    items = f"{settings.items} items{'' if settings.ids_hash is None else ' with ids'}"
    return [
        f"{settings.metric} ({known}) on {items}, guarded by {settings.mechanism}",
        f"{state.attempts} attempt{'' if state.attempts == 1 else 's'}, {state.accepts} accepted; {shown}{proven}",
    ]


def _describe_positive(settings: GuardSettings) -> str:
    """Say which class is positive; an earlier version's file says it once it was opened with its labels."""
    if settings.positive is not None:
        return f", positive class: {json.loads(settings.positive)}"
    has_one = settings.metric in METRICS and METRICS[settings.metric].kind.has_positive
    is_old = has_one and METRICS[settings.metric].kind.takes != "probabilities"
    return ", positive class: the greater of the two labels" if is_old else ""


def _describe_reference(status: ReferenceStatus) -> Iterator[str]:
    """Say what "not worse" compares with and how often it was asked; nothing where nothing was ever pinned."""
    if status.is_pinned:
        whose = "predictions that had not been scored" if status.reference is None else f"attempt {status.reference}"
        plural = "" if status.questions == 1 else "s"
        shown = f'"not worse" shown in {status.yes} of {status.questions} question{plural}'
        yield f"Pinned: {whose}; {shown if status.questions else 'no question asked yet'}"


def _describe_leakage(leakage: Leakage) -> str:
    if leakage.bits is None:
        return "Information released: counted from the next score on"
    released = f"Information released: at most {leakage.bits:.1f} bits"
    if leakage.overfit_bound is None:
        return released
    confidence = f"{1 - leakage.delta:.0%}"
    return f"{released}; with {confidence} confidence, no score is off by more than {leakage.overfit_bound:.3f}"
