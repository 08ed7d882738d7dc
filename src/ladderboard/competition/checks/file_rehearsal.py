"""A trial run of a scorer of files: the organiser's sample is scored as a team's submission would be."""

from pathlib import Path

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import InputError, MetricUnavailableError
from ladderboard.scoring.file_scorer import FileScorer
from ladderboard.scoring.sandbox import find_obstacle

MUCH_OF_THE_LIMIT = 0.25


def rehearse_files(competition: Competition, toml: TomlText, findings: Findings) -> str:
    """Score the sample; returns what the run gave and took, in a sentence, or reports how it failed."""
    assert competition.sample is not None and competition.scorer_source is not None, "it scores files"  # noqa: PT018
    line, sample = toml.line("metric"), competition.sample
    try:
        scorer = competition.scorer
    except InputError as problem:
        findings.error(sample.name, None, str(problem))
        return ""
    assert isinstance(scorer, FileScorer), "it scores files"
    try:
        scores = scorer.score(scorer.read(sample.content, sample.name))
    except InputError as problem:
        findings.error(sample.name, None, str(problem))
        return ""
    except MetricUnavailableError as problem:
        findings.error(FILE, line, f"{problem.__cause__ or problem}")
        return ""
    finally:
        scorer.close()
    if np.isnan(scores.values).any():
        why = scores.report or f"{int(np.isnan(scores.values).sum()):,} items have the value NaN"
        findings.error(FILE, line, f"the scorer failed on the sample: {why}")
        return ""
    limit = competition.scorer_source.time_limit
    if scores.seconds > MUCH_OF_THE_LIMIT * limit:
        took = f"scoring the sample took {scores.seconds:.1f} s of the allowed {limit:g} s"
        findings.warn(
            FILE, toml.line("metric", "time_limit"), f"{took}; raise time_limit in [metric], or make it faster"
        )
    obstacle = find_obstacle()
    if obstacle is not None:
        findings.warn(FILE, line, f"the scorer runs without a sandbox: {obstacle}")
    return (
        f"{sample.name} scores {float(np.mean(scores.values)):.4g} over {len(scores.values):,} items; it took "
        f"{scores.seconds:.2f} s and {scores.memory_mb:.0f} MB, {describe_place(obstacle)}"
    )


def describe_place(obstacle: str | None) -> str:
    """Where a scorer runs."""
    return "in a sandbox" if obstacle is None else "in a process of its own"


def find_solution_leaks(folder: Path, answers: Path, findings: Findings) -> None:
    """Report every download that is one of the solution's files."""
    data = folder / "data"
    if not data.is_dir() or not answers.exists():
        return
    if answers.resolve().is_relative_to(data.resolve()):
        findings.error(
            answers.name, None, "the solution lies in data/, which participants download; move it out of there"
        )
        return
    secret: dict[int, list[Path]] = {}
    for one in _list(answers):
        secret.setdefault(one.stat().st_size, []).append(one)
    secret.pop(0, None)
    for one in _list(data):
        for other in secret.get(one.stat().st_size, []):
            if one.read_bytes() == other.read_bytes():
                name = one.relative_to(folder).as_posix()
                findings.error(name, None, f"this is {other.relative_to(folder).as_posix()} of the solution; remove it")
                return


def _list(path: Path) -> list[Path]:
    return [path] if path.is_file() else [one for one in sorted(path.rglob("*")) if one.is_file()]
