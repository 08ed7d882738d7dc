"""Quick runs of experiments, each made once for all tests of a session, without any data from outside."""

import tempfile
from functools import cache
from pathlib import Path

from ladderboard_lab.experiments import Conditions, ExperimentResult, experiment_named


@cache
def nothing_shared() -> Path:
    """An empty folder in the place of the papers' published data."""
    return Path(tempfile.mkdtemp())


WHOLE = ("neto-repeats", "neto-text-s3", "own-ladder-boot-attackers", "own-learners")
"""Experiments with too few quick repetitions to halve them for a control."""


class Halved(Conditions):
    """Half the quick number of repetitions: enough to find out a wrong mechanism or a random attacker."""

    def repeat(self, *, full: int, quick: int) -> int:
        return super().repeat(full=full, quick=max(2, quick // 2))


@cache
def quick(identifier: str, control: str | None = None) -> ExperimentResult:
    """The experiment as it runs for somebody who has the package only, or a negative control of it, half as long."""
    make = Conditions if control is None or identifier in WHOLE else Halved
    return experiment_named(identifier).run(make(quick=True, shared=nothing_shared(), control=control))
