"""Experiments that reproduce every figure and table of the papers, listed in `EXPERIMENTS`.

Modules are imported when an experiment is asked for, so that listing them costs nothing.
"""

from importlib import import_module

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table, Verdict

__all__ = ["EXPERIMENTS", "Conditions", "Experiment", "Outcome", "Table", "Verdict", "experiment_named"]

EXPERIMENTS: dict[str, str] = {
    # id: module of this package, and the name of the Experiment in it
    "ladder-fig1": "ladder.fig1:ladder_fig1",
    "ladder-thm": "ladder.thm:ladder_thm",
    "ladder-fig2": "ladder.fig2:ladder_fig2",
    "ladder-fig3": "ladder.fig3:ladder_fig3",
    "ladder-top10": "ladder.top10:ladder_top10",
    "ladder-significance": "ladder.significance:ladder_significance",
    "later-boosting-k": "later.boosting_k:later_boosting_k",
    "later-pair-flip": "later.pair_flip:later_pair_flip",
    "later-thresholdout": "later.thresholdout:later_thresholdout",
    "neto-fig1": "neto.freedman:fig1",
    "neto-fig2": "neto.freedman:fig2",
    "neto-fig3": "neto.small_sample:fig3",
    "neto-fig4": "neto.traces:fig4",
    "neto-fig5": "neto.small_sample:fig5",
    "neto-fig6": "neto.panels:fig6",
    "neto-s1": "neto.freedman:s1",
    "neto-s2": "neto.freedman:s2",
    "neto-s3": "neto.submissions:s3",
    "neto-s4": "neto.traces:s4",
    "neto-s5": "neto.small_sample:s5",
    "neto-s6": "neto.traces:s6",
    "neto-s7": "neto.panels:s7",
    "neto-s8": "neto.ccc:s8",
    "neto-s9": "neto.ccc:s9",
    "neto-s10": "neto.ccc:s10",
    "neto-s11": "neto.submissions:s11",
    "neto-s12": "neto.panels:s12",
    "neto-s13": "neto.adaptive:s13",
    "multiplicity-table1": "multiplicity.table1:multiplicity_table1",
    "multiplicity-fig1": "multiplicity.fig1:multiplicity_fig1",
    "multiplicity-fig2": "multiplicity.independent:multiplicity_fig2",
    "multiplicity-fig3": "multiplicity.independent:multiplicity_fig3",
    "multiplicity-fig4": "multiplicity.fig4:multiplicity_fig4",
    "multiplicity-fig5": "multiplicity.fig5:multiplicity_fig5",
    "multiplicity-fig6": "multiplicity.unequal:multiplicity_fig6",
    "multiplicity-fig7": "multiplicity.unequal:multiplicity_fig7",
    "multiplicity-fig8": "multiplicity.fig8:multiplicity_fig8",
    "multiplicity-real": "multiplicity.real:multiplicity_real",
}


def experiment_named(identifier: str) -> Experiment:
    """Find an experiment by its id; raises `ParameterError` with the nearest id."""
    if identifier not in EXPERIMENTS:
        raise lb.ParameterError(_describe_unknown_experiment(identifier))
    module, name = EXPERIMENTS[identifier].split(":")
    found = getattr(import_module(f"ladderboard_lab.experiments.{module}"), name)
    assert isinstance(found, Experiment)
    assert found.id == identifier
    return found


def _describe_unknown_experiment(identifier: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(identifier, EXPERIMENTS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`ladderboard lab reproduce --list` lists them all"
    return f"there is no experiment {identifier!r}; {hint}"
