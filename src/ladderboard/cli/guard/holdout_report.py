"""The output of `ladderboard holdout`: a result as a sentence, a guard's state as lines and a chart."""

from dataclasses import asdict
from typing import Any

from ladderboard.core.records import Leakage, Release, State
from ladderboard.guard.file import GuardFile
from ladderboard.guard.file_schema import GuardSettings

CHART_HEIGHT = 10


def describe_release(release: Release, *, metric: str, lower_is_better: bool) -> str:
    """Describe one attempt in a sentence."""
    better = "lower" if lower_is_better else "higher"
    number = "no score yet" if release.board_value is None else f"{metric} {release.board_value} ({better} is better)"
    interval = "" if release.interval is None else f", 95 % interval {release.interval[0]} to {release.interval[1]}"
    verdict = "Improved: the board now shows" if release.improved else "Not improved: the board shows"
    return f"{verdict} {number}{interval}; attempt {release.attempt}."


def release_as_json(release: Release, leakage: Leakage) -> dict[str, Any]:
    """Convert one attempt to JSON."""
    return {**release.to_dict(), "leakage": asdict(leakage)}


def status_as_json(guard: GuardFile) -> dict[str, Any]:
    """Convert the state of a guard to JSON; needs no labels."""
    state, leakage = guard.progress()
    settings = guard.settings
    return {
        "metric": settings.metric,
        "lower_is_better": bool(settings.lower_is_better),
        "mechanism": settings.mechanism,
        "items": settings.items,
        "attempts": state.attempts,
        "accepts": state.accepts,
        "board_value": state.released,
        "leakage": asdict(leakage),
        "history": [release.to_dict() for release in guard.releases()],
    }


def describe_status(guard: GuardFile, *, width: int) -> list[Any]:
    """Describe the state of a guard, with a chart of its history, as lines for a rich console."""
    state, leakage = guard.progress()
    lines: list[Any] = [*_summarise(guard.settings, state), _describe_leakage(leakage)]
    shown = [release.board_value for release in guard.releases() if release.board_value is not None]
    if len(shown) < 2 or min(shown) == max(shown):
        return lines
    from ladderboard.cli._shared.chart import ChartFrame, ChartLine, draw_chart

    frame = ChartFrame(width, CHART_HEIGHT, low=min(shown), high=max(shown), length=len(shown))
    chart = draw_chart([ChartLine("board", shown, "cyan")], frame)
    return [*lines, "", *chart, f"{'':7}score on the board over {len(shown)} attempts"]


def _summarise(settings: GuardSettings, state: State) -> list[str]:
    better = "lower" if settings.lower_is_better else "higher"
    return [
        f"{settings.metric} ({better} is better) on {settings.items} items, guarded by {settings.mechanism}",
        f"{state.attempts} attempts, {state.accepts} accepted; on the board: {state.released}",
    ]


def _describe_leakage(leakage: Leakage) -> str:
    if leakage.bits is None:
        return "Information released: not counted, because this mechanism adds noise"
    released = f"Information released: at most {leakage.bits:.1f} bits"
    if leakage.overfit_bound is None:
        return released
    confidence = f"{1 - leakage.delta:.0%}"
    return f"{released}; with {confidence} confidence, no score is off by more than {leakage.overfit_bound:.3f}"
