"""Runs of experiments, each made once for all tests of a session, without any data from outside."""

import tempfile
from functools import cache
from pathlib import Path

from ladderboard_lab.experiments import EXPERIMENTS, Conditions, ExperimentResult, experiment_named
from ladderboard_lab.experiments.quick_seconds import read_quick_seconds

CHEAP_SECONDS = 1.5
CHEAP = tuple(name for name in EXPERIMENTS if read_quick_seconds().get(name, 0.0) <= CHEAP_SECONDS)
"""Experiments whose quick size takes no time; the others' verdicts are slow tests."""


@cache
def nothing_shared() -> Path:
    """An empty folder in the place of the papers' published data."""
    return Path(tempfile.mkdtemp())


class Glance(Conditions):
    """So few repetitions that nothing is decided: enough to see that an experiment runs and what it writes."""

    def repeat(self, *, full: int, quick: int) -> int:
        return super().repeat(full=full, quick=max(2, quick // 50))


@cache
def quick(identifier: str, control: str | None = None) -> ExperimentResult:
    """The experiment as it runs for somebody who has the package only, or a negative control of it."""
    return experiment_named(identifier).run(Conditions(quick=True, shared=nothing_shared(), control=control))


@cache
def glance(identifier: str) -> ExperimentResult:
    """The same with two or a few repetitions, where the quick size takes long."""
    if identifier in CHEAP:
        return quick(identifier)
    return experiment_named(identifier).run(Glance(quick=True, shared=nothing_shared()))
