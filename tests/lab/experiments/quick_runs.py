"""Quick runs of experiments, each made once for all tests of a session, without any data from outside."""

import tempfile
from functools import cache
from pathlib import Path

from ladderboard_lab.experiments import Conditions, Outcome, experiment_named


@cache
def nothing_shared() -> Path:
    """An empty folder in the place of the papers' published data."""
    return Path(tempfile.mkdtemp())


@cache
def quick(identifier: str, control: str | None = None) -> Outcome:
    """The experiment, or a negative control of it, as it runs for somebody who has the package only."""
    return experiment_named(identifier).run(Conditions(quick=True, shared=nothing_shared(), control=control))
