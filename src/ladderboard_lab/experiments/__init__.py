"""Experiments: every figure and table of the papers, made again. `EXPERIMENTS` says where each of them is.

Modules are imported when an experiment is asked for, so that listing them costs nothing.
"""

from importlib import import_module

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table, Verdict

__all__ = ["EXPERIMENTS", "Conditions", "Experiment", "Outcome", "Table", "Verdict", "experiment_named"]

EXPERIMENTS: dict[str, str] = {
    # id: module of this package, and the name of the Experiment in it
    "ladder-fig1": "ladder_fig1:LADDER_FIG1",
    "ladder-thm": "ladder_thm:LADDER_THM",
    "ladder-fig2": "ladder_fig2:LADDER_FIG2",
    "ladder-fig3": "ladder_fig3:LADDER_FIG3",
    "ladder-top10": "ladder_top10:LADDER_TOP10",
    "ladder-significance": "ladder_significance:LADDER_SIGNIFICANCE",
    "later-boosting-k": "later_boosting_k:LATER_BOOSTING_K",
    "later-pair-flip": "later_pair_flip:LATER_PAIR_FLIP",
    "later-thresholdout": "later_thresholdout:LATER_THRESHOLDOUT",
    "neto-fig1": "neto_freedman:FIG1",
    "neto-fig2": "neto_freedman:FIG2",
    "neto-fig3": "neto_small_sample:FIG3",
    "neto-fig4": "neto_traces:FIG4",
    "neto-fig5": "neto_small_sample:FIG5",
    "neto-fig6": "neto_panels:FIG6",
    "neto-s1": "neto_freedman:S1",
    "neto-s2": "neto_freedman:S2",
    "neto-s3": "neto_submissions:S3",
    "neto-s4": "neto_traces:S4",
    "neto-s5": "neto_small_sample:S5",
    "neto-s6": "neto_traces:S6",
    "neto-s7": "neto_panels:S7",
    "neto-s8": "neto_ccc:S8",
    "neto-s9": "neto_ccc:S9",
    "neto-s10": "neto_ccc:S10",
    "neto-s11": "neto_submissions:S11",
    "neto-s12": "neto_panels:S12",
    "neto-s13": "neto_adaptive:S13",
    "multiplicity-table1": "multiplicity_table1:MULTIPLICITY_TABLE1",
    "multiplicity-fig1": "multiplicity_fig1:MULTIPLICITY_FIG1",
    "multiplicity-fig2": "multiplicity_fig2:MULTIPLICITY_FIG2",
    "multiplicity-fig3": "multiplicity_fig3:MULTIPLICITY_FIG3",
    "multiplicity-fig4": "multiplicity_fig4:MULTIPLICITY_FIG4",
    "multiplicity-fig5": "multiplicity_fig5:MULTIPLICITY_FIG5",
    "multiplicity-fig6": "multiplicity_fig6:MULTIPLICITY_FIG6",
    "multiplicity-fig7": "multiplicity_fig7:MULTIPLICITY_FIG7",
    "multiplicity-fig8": "multiplicity_fig8:MULTIPLICITY_FIG8",
    "multiplicity-real": "multiplicity_real:MULTIPLICITY_REAL",
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
