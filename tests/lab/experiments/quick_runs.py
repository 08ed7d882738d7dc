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
def quick(identifier: str) -> Outcome:
    """The experiment as it runs for somebody who has the package only."""
    return experiment_named(identifier).run(Conditions(quick=True, shared=nothing_shared()))


def check_figure(identifier: str, folder: Path) -> None:
    """The outcome can be written, and its figure holds text that a reader can search for."""
    from ladderboard_lab.experiments.writing import write

    experiment, conditions = experiment_named(identifier), Conditions(quick=True)
    written = write(experiment, quick(identifier), folder, conditions=conditions, elapsed_seconds=0.0)
    assert {path.suffix for path in folder.glob(f"{identifier}.*")} == {".csv", ".svg", ".png", ".json"}
    assert "<text" in written.svg
