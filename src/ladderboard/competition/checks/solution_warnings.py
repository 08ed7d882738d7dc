"""Warnings about the rows of a solution: low power, and ids that reveal labels or the split."""

import math
from typing import Any

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Competition
from ladderboard.guard.warnings import estimate_entry_power
from ladderboard.inference.power import ENOUGH_POWER, SENSIBLE_IMPROVEMENT

FEWEST_PAIRS = 30


def warn_of_low_power(competition: Competition, file: str, findings: Findings) -> None:
    """Warn of a board that will miss sensible improvements."""
    public = competition.public
    power = estimate_entry_power(competition.mechanism, public.baseline)
    if power is None or power >= ENOUGH_POWER:
        return
    noun = "rows" if competition.solution.group is None else "groups"
    findings.warn(
        file,
        None,
        f"the public part is small ({public.units:,} {noun}): a first submission that cuts the baseline's loss by "
        f"{SENSIBLE_IMPROVEMENT:.0%} is shown with probability {power:.0%}; "
        "make more rows public, or accept that real improvements are missed (`ladderboard plan` says how many)",
    )


def warn_of_revealing_ids(competition: Competition, file: str, findings: Findings) -> None:
    """Warn of ids whose order reveals Usage or the class."""
    solution = competition.solution
    _, first = np.unique(np.arange(len(solution.ids)) if solution.group is None else solution.group, return_index=True)
    rows = np.sort(first)  # one for each group, since a group's rows are alike anyway
    if _follows_order(solution.usage[rows]):
        findings.warn(
            file,
            None,
            f"the order of the ids (column {solution.id_column!r}) reveals which rows are public: "
            "neighbouring rows are in the same part more often than by chance; assign the ids at random",
        )
    if competition.public.classes and _follows_order(solution.labels[rows]):
        findings.warn(
            file,
            None,
            f"the order of the ids (column {solution.id_column!r}) reveals labels: neighbouring rows "
            "have the same label more often than by chance; assign the ids at random",
        )


def _follows_order(values: "np.ndarray[Any, Any]") -> bool:
    """Whether neighbours are equal far more often than after shuffling (by six standard errors)."""
    _, counts = np.unique(values, return_counts=True)
    pairs = len(values) - 1
    if len(counts) < 2 or pairs < FEWEST_PAIRS:
        return False
    chance = float(((counts / len(values)) ** 2).sum())
    equal = float(np.mean(values[1:] == values[:-1]))
    return equal - chance > 6 * math.sqrt(chance * (1 - chance) / pairs)
