"""A hook for Inspect: the ranks of all logs in a folder after each run, and a guard that is asked about each log.

Inspect is imported when a hook is made; nobody needs it for Ladderboard.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ladderboard.core.errors import LadderboardError
from ladderboard.evals.results import read_matrix_results
from ladderboard.inference.rank_ranges import RankRange, rank_ranges
from ladderboard.integrations.scoring_holdout import ScoringHoldout
from ladderboard.mechanisms.outcomes import TITLES

OUTSIDE = "the log is not on this machine; read a copy of it with ladderboard ranks"

FAILED = "ladderboard: no log of this run ended with success, so nothing is ranked"


def watch_runs(
    holdout: ScoringHoldout | None = None, *, say: Callable[[str], object] | None = None, **options: Any
) -> type:
    """Register a hook with Inspect: one line in the file of a task, or before ``inspect_ai.eval``.

    After each run the systems of the folder of its logs are ranked. With a ``holdout`` of graded items
    (`Holdout.from_item_scores`) it is asked about each log of the run: every new one is an attempt. ``say`` takes what
    there is to say (default: standard error); ``options`` are those of `read_results`. What cannot be read is said in
    a sentence, and the run goes on.

        from ladderboard.evals.harnesses.inspect_hook import watch_runs

        watch_runs(holdout)
    """
    from inspect_ai.hooks import Hooks, RunEnd, hooks

    tell = say or (lambda line: sys.stderr.write(f"{line}\n"))

    @hooks(name="ladderboard", description="Ranks of the systems in the folder of a run's logs")
    class LadderboardHook(Hooks):  # type: ignore[misc,unused-ignore]  # Inspect need not be installed
        async def on_run_end(self, data: RunEnd) -> None:
            logs = [_find_path(log.location) for log in data.logs if log.status == "success"]
            for line in describe_run(logs, holdout, **options):
                tell(line)

    return LadderboardHook


def describe_run(logs: Sequence[Path | None], holdout: ScoringHoldout | None, **options: Any) -> list[str]:
    """What is said after a run: the ranks of each folder of its logs, and the guard's answer about each log."""
    if not logs:
        return [FAILED]
    said = [OUTSIDE] * (None in logs)
    local = [log for log in logs if log is not None]
    for folder in dict.fromkeys(log.parent for log in local):
        said += _try(_describe_ranks, folder, options)
    if holdout is not None:
        for log in local:
            said += _try(partial(_ask, holdout), log, options)
    return said


def _try(describe: Callable[[Path, dict[str, Any]], list[str]], path: Path, options: dict[str, Any]) -> list[str]:
    try:
        return describe(path, options)
    except LadderboardError as problem:
        return [f"ladderboard: {problem}"]


def _find_path(location: str) -> Path | None:
    """The path of a log; None for one in another store."""
    parts = urlsplit(location)
    if parts.scheme in ("", "file"):
        return Path(unquote(parts.path) if parts.scheme else location)
    return None


def _describe_ranks(folder: Path, options: dict[str, Any]) -> list[str]:
    results = read_matrix_results(folder, **options)
    ordered = sorted(rank_ranges(results), key=lambda one: (one.rank, one.best, one.worst))
    measure = results.measure
    lines = [f"{_say_range(one):>7}  {measure.format_score(measure.score(one.score))}  {one.system}" for one in ordered]
    first = f"Ranks in {folder.name}, {len(results.items)} items, all true with 95 % confidence:"
    return [first, *lines, *map(str, results.left_out)]


def _say_range(one: RankRange) -> str:
    return f"{one.best}–{one.worst}" if one.worst > one.best else str(one.best)


def _ask(holdout: ScoringHoldout, log: Path, options: dict[str, Any]) -> list[str]:
    results = read_matrix_results(log, **options)
    release = holdout.score(results)
    shown = "no score yet" if release.board_value is None else f"{release.board_value:.4g} on the board"
    word = next((title for name, title in TITLES.items() if name == release.outcome_name), "an answer")
    return [f"Holdout, {', '.join(results.systems)}: {word}, {shown}"]
