"""Experiments: every figure, table and statement of the sources, and questions of our own, listed in `EXPERIMENTS`.

Modules are imported when an experiment is asked for, so that listing them costs nothing.
"""

from dataclasses import replace
from importlib import import_module

import ladderboard as lb
from ladderboard_lab.experiments.base import Check, Conditions, Experiment, ExperimentResult, ResultTable, Verdict
from ladderboard_lab.foreign_code import GROUPS
from ladderboard_lab.plugins import list_entry_points, load_entry_point, load_from_file

__all__ = [
    "EXPERIMENTS",
    "Check",
    "Conditions",
    "Experiment",
    "ExperimentResult",
    "ResultTable",
    "Verdict",
    "experiment_named",
    "list_experiments",
]

EXPERIMENTS: dict[str, str] = {
    # id: module of this package, and the name of the Experiment in it
    "ladder-fig1": "ladder.fig1:ladder_fig1",
    "ladder-fig2": "ladder.fig2:ladder_fig2",
    "ladder-fig3": "ladder.fig3:ladder_fig3",
    "ladder-thm": "ladder.thm:ladder_thm",
    "ladder-thm5": "ladder.boosting_theorem:ladder_thm5",
    "ladder-accepts": "ladder.accepts:ladder_accepts",
    "slides-boosting": "slides.boosting:slides_boosting",
    "slides-top10": "slides.top10:slides_top10",
    "slides-ttest": "slides.ttest:slides_ttest",
    "neto-fig1": "neto.traces:fig1",
    "neto-fig2": "neto.freedman:fig2",
    "neto-fig3": "neto.traces:fig3",
    "neto-fig4": "neto.step_forward:fig4",
    "neto-fig5": "neto.traces:fig5",
    "neto-fig6": "neto.step_forward:fig6",
    "neto-repeats": "neto.discussion:repeats",
    "neto-s1": "neto.freedman:s1",
    "neto-s2": "neto.step_forward:s2",
    "neto-s3": "neto.step_forward:s3",
    "neto-s4": "neto.step_forward:s4",
    "neto-s5": "neto.step_forward:s5",
    "neto-s6": "neto.freedman:s6",
    "neto-s7": "neto.freedman:s7",
    "neto-text-s2": "neto.ccc:text_s2",
    "neto-s8": "neto.ccc:s8",
    "neto-s9": "neto.ccc:s9",
    "neto-s10": "neto.ccc:s10",
    "neto-text-s3": "neto.submissions:text_s3",
    "neto-s11": "neto.submissions:s11",
    "neto-s12": "neto.spread:s12",
    "neto-s13": "neto.spread:s13",
    "multiplicity-table1": "multiplicity.table1:multiplicity_table1",
    "multiplicity-text": "multiplicity.text:multiplicity_text",
    "multiplicity-fig1": "multiplicity.fig1:multiplicity_fig1",
    "multiplicity-fig2": "multiplicity.independent:multiplicity_fig2",
    "multiplicity-fig3": "multiplicity.independent:multiplicity_fig3",
    "multiplicity-fig4": "multiplicity.fig4:multiplicity_fig4",
    "multiplicity-fig5": "multiplicity.fig5:multiplicity_fig5",
    "multiplicity-fig6": "multiplicity.fig6:multiplicity_fig6",
    "multiplicity-fig7": "multiplicity.roc:multiplicity_fig7",
    "multiplicity-fig8": "multiplicity.roc:multiplicity_fig8",
    "thresholdout-selection": "thresholdout.selection:thresholdout_selection",
    "own-adaptive-replicates": "own.adaptive_replicates:own_adaptive_replicates",
    "own-agents": "own.agents:own_agents",
    "own-boosting-k": "own.boosting_k:own_boosting_k",
    "own-dependence": "own.dependence:own_dependence",
    "own-ladder-boot-attackers": "own.ladder_boot_attackers:own_ladder_boot_attackers",
    "own-ladder-boot-submissions": "own.ladder_boot_attackers:own_ladder_boot_submissions",
    "own-learners": "own.learners:own_learners",
    "own-objection": "own.objection:own_objection",
    "own-pair-flip": "own.pair_flip:own_pair_flip",
    "own-real-luck": "own.real_luck:own_real_luck",
    "own-stand-ins": "own.stand_ins:own_stand_ins",
    "own-unequal": "own.unequal:own_unequal",
}

*_, GROUP = GROUPS


def list_experiments() -> list[str]:
    """The ids of all experiments, ours first, then those of installed packages."""
    return [*EXPERIMENTS, *(name for name in list_entry_points(GROUP) if name not in EXPERIMENTS)]


def experiment_named(identifier: str) -> Experiment:
    """Find an experiment by its id, or load it from ``file.py:name``; raises `ParameterError` with the nearest id."""
    if ".py:" in identifier:
        found = load_from_file(identifier)
    elif identifier in EXPERIMENTS:
        module, name = EXPERIMENTS[identifier].split(":")
        found = getattr(import_module(f"ladderboard_lab.experiments.{module}"), name)
        assert found.id == identifier
    elif identifier in list_entry_points(GROUP):
        found = load_entry_point(GROUP, identifier)
    else:
        raise lb.ParameterError(_no_such_experiment(identifier))
    if not isinstance(found, Experiment):
        raise lb.ParameterError(f"{identifier} is no Experiment; write a function of Conditions under @experiment")
    return replace(found, place=identifier) if ".py:" in identifier else found


def _no_such_experiment(identifier: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(identifier, list_experiments(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`ladderboard lab reproduce --list` lists them all"
    return f"there is no experiment {identifier!r}; {hint}"
