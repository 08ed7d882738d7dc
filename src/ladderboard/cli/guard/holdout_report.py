"""What `ladderboard holdout` prints: a release as a sentence, the state of a guard as lines and a chart."""

from dataclasses import asdict
from typing import Any

from ladderboard.core.records import Leakage, Release, State
from ladderboard.guard.file import GuardFile
from ladderboard.guard.file_schema import GuardSettings

CHART_HEIGHT = 10


def describe_release(release: Release, *, metric: str, lower_is_better: bool) -> str:
    """One attempt in words."""
    better = "lower" if lower_is_better else "higher"
    number = "no number yet" if release.board_value is None else f"{metric} {release.board_value} ({better} is better)"
    interval = "" if release.interval is None else f", 95 % interval {release.interval[0]} to {release.interval[1]}"
    verdict = "improved: the board now shows" if release.improved else "not improved: the board shows"
    return f"{verdict} {number}{interval}; attempt {release.attempt}"


def release_as_json(release: Release, leakage: Leakage) -> dict[str, Any]:
    """One attempt for programs."""
    return {**release.to_dict(), "leakage": asdict(leakage)}


def status_as_json(guard: GuardFile) -> dict[str, Any]:
    """The state of a guard for programs; needs no labels."""
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
    """The state of a guard in words and a chart of its history, as lines for a rich console."""
    state, leakage = guard.progress()
    lines: list[Any] = [*_summary(guard.settings, state), _meter(leakage)]
    shown = [release.board_value for release in guard.releases() if release.board_value is not None]
    if len(shown) < 2 or min(shown) == max(shown):
        return lines
    from ladderboard.cli._shared.chart import ChartFrame, ChartLine, draw_chart

    frame = ChartFrame(width, CHART_HEIGHT, low=min(shown), high=max(shown), length=len(shown))
    chart = draw_chart([ChartLine("board", shown, "cyan")], frame)
    return [*lines, "", *chart, f"{'':7}the board over {len(shown)} attempts"]


def _summary(settings: GuardSettings, state: State) -> list[str]:
    better = "lower" if settings.lower_is_better else "higher"
    return [
        f"{settings.metric} ({better} is better) on {settings.items} items, guarded by {settings.mechanism}",
        f"{state.attempts} attempts, {state.accepts} accepted; on the board: {state.released}",
    ]


def _meter(leakage: Leakage) -> str:
    if leakage.bits is None:
        return "told so far: not counted (this mechanism answers with noise)"
    told = f"told so far: at most {leakage.bits:.1f} bits"
    if leakage.overfit_bound is None:
        return told
    sure = f"{1 - leakage.delta:.0%}"
    return f"{told}; with {sure} confidence no score here is off by more than {leakage.overfit_bound:.3f}"
