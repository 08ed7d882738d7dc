"""Experiments that reproduce every figure and table of the papers, listed in `EXPERIMENTS`.

Modules are imported when an experiment is asked for, so that listing them costs nothing.
"""

from importlib import import_module

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table, Verdict

__all__ = ["EXPERIMENTS", "Conditions", "Experiment", "Outcome", "Table", "Verdict", "experiment_named"]

EXPERIMENTS: dict[str, str] = {
    # id: module of this package, and the name of the Experiment in it
    "ladder-fig1": "ladder.fig1:LADDER_FIG1",
    "ladder-thm": "ladder.thm:LADDER_THM",
    "ladder-fig2": "ladder.fig2:LADDER_FIG2",
    "ladder-fig3": "ladder.fig3:LADDER_FIG3",
    "ladder-top10": "ladder.top10:LADDER_TOP10",
    "ladder-significance": "ladder.significance:LADDER_SIGNIFICANCE",
    "later-boosting-k": "later.boosting_k:LATER_BOOSTING_K",
    "later-pair-flip": "later.pair_flip:LATER_PAIR_FLIP",
    "later-thresholdout": "later.thresholdout:LATER_THRESHOLDOUT",
    "neto-fig1": "neto.freedman:FIG1",
    "neto-fig2": "neto.freedman:FIG2",
    "neto-fig3": "neto.small_sample:FIG3",
    "neto-fig4": "neto.traces:FIG4",
    "neto-fig5": "neto.small_sample:FIG5",
    "neto-fig6": "neto.panels:FIG6",
    "neto-s1": "neto.freedman:S1",
    "neto-s2": "neto.freedman:S2",
    "neto-s3": "neto.submissions:S3",
    "neto-s4": "neto.traces:S4",
    "neto-s5": "neto.small_sample:S5",
    "neto-s6": "neto.traces:S6",
    "neto-s7": "neto.panels:S7",
    "neto-s8": "neto.ccc:S8",
    "neto-s9": "neto.ccc:S9",
    "neto-s10": "neto.ccc:S10",
    "neto-s11": "neto.submissions:S11",
    "neto-s12": "neto.panels:S12",
    "neto-s13": "neto.adaptive:S13",
    "multiplicity-table1": "multiplicity.table1:MULTIPLICITY_TABLE1",
    "multiplicity-fig1": "multiplicity.fig1:MULTIPLICITY_FIG1",
    "multiplicity-fig2": "multiplicity.independent:MULTIPLICITY_FIG2",
    "multiplicity-fig3": "multiplicity.independent:MULTIPLICITY_FIG3",
    "multiplicity-fig4": "multiplicity.fig4:MULTIPLICITY_FIG4",
    "multiplicity-fig5": "multiplicity.fig5:MULTIPLICITY_FIG5",
    "multiplicity-fig6": "multiplicity.unequal:MULTIPLICITY_FIG6",
    "multiplicity-fig7": "multiplicity.unequal:MULTIPLICITY_FIG7",
    "multiplicity-fig8": "multiplicity.fig8:MULTIPLICITY_FIG8",
    "multiplicity-real": "multiplicity.real:MULTIPLICITY_REAL",
}


def experiment_named(identifier: str) -> Experiment:
    """Find an experiment by its id; raises `ParameterError` with the nearest id."""
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
    hint = f"did you mean {' or '.join(near)}?" if near else "`ladderboard lab reproduce --list` lists them all"
    return f"there is no experiment {identifier!r}; {hint}"
