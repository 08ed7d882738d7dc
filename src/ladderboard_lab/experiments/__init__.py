"""Experiments: every figure and table of the papers, made again. `EXPERIMENTS` says where each of them is.

Modules are imported when an experiment is asked for, so that listing them costs nothing.
"""

from importlib import import_module

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table, Verdict

__all__ = ["EXPERIMENTS", "Conditions", "Experiment", "Outcome", "Table", "Verdict", "experiment_named"]

EXPERIMENTS: dict[str, str] = {
    # id: module of this package, and the name of the Experiment in it
}


def experiment_named(identifier: str) -> Experiment:
    """The experiment of that id; raises a `ParameterError` with the nearest id where there is none."""
    if identifier not in EXPERIMENTS:
        raise lb.ParameterError(_no_such_experiment(identifier))
    module, name = EXPERIMENTS[identifier].split(":")
    found = getattr(import_module(f"ladderboard_lab.experiments.{module}"), name)
    assert isinstance(found, Experiment)
    assert found.id == identifier
    return found


def _no_such_experiment(identifier: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(identifier, EXPERIMENTS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`ladderboard lab reproduce --list` shows them all"
    return f"there is no experiment {identifier!r}; {hint}"
