"""What runs cost: a number for each system, as far as its files give one, in one unit."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.left_out import Note, list_names
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.runs import Run

NONE = "none"
"""The value of --cost that leaves costs out."""


@dataclass(frozen=True)
class Costs:
    """The mean cost of one run of one item, for each system.

    >>> Costs("USD", (0.25, None)).describe(("ours", "theirs"))
    'costs in USD, the mean of one run of an item: ours 0.25; not given of theirs'
    """

    unit: str
    means: tuple[float | None, ...]
    """One for each system, None where its files give none."""

    def select(self, columns: Sequence[int]) -> "Costs":
        """Some systems only."""
        return Costs(self.unit, tuple(self.means[column] for column in columns))

    def describe(self, systems: Sequence[str]) -> str:
        """The costs in a sentence, the systems without one named."""
        pairs = list(zip(systems, self.means, strict=True))
        given = list_names(f"{system} {mean:.3g}" for system, mean in pairs if mean is not None)
        absent = [system for system, mean in pairs if mean is None]
        said = f"costs in {self.unit}, the mean of one run of an item: {given}"
        return said + (f"; not given of {list_names(absent)}" if absent else "")


def gather_costs(source: str, runs: Sequence[Run], systems: Sequence[str], options: ReadOptions) -> Costs | None:
    """The mean costs of the systems, in the only unit there is or the one that was asked for; None without any.

    Raises `InputError` where runs give costs in two units: numbers of dollars and of tokens do not compare.
    """
    if options.cost == NONE:
        return None
    given: dict[str, dict[str, list[FloatArray]]] = defaultdict(lambda: defaultdict(list))
    files: dict[str, str] = {}
    for run in runs:
        for unit, costs in run.costs.items():
            known = costs[np.isfinite(costs)]
            if len(known):
                given[unit][run.system].append(known)
                files.setdefault(unit, run.file)
    if options.cost is not None and options.cost not in given:
        have = list_names(sorted(given)) or "none"
        raise InputError(f"{source}: no run gives its cost in {options.cost} (--cost); given are {have}")
    if len(given) > 1 and options.cost is None:
        where = " and ".join(f"{unit} ({file})" for unit, file in list(files.items())[:2])
        raise InputError(
            f"{source}: costs are given in {where}, which do not compare; say which to take (--cost {next(iter(given))}"
            f"), or --cost {NONE} (in Python: cost=)"
        )
    for unit, of_system in given.items():
        if options.cost in (None, unit):
            means = (float(np.concatenate(of_system[one]).mean()) if one in of_system else None for one in systems)
            return Costs(unit, tuple(means))
    return None


def describe_costs(costs: Costs | None, systems: Sequence[str]) -> list[Note]:
    """The costs in a sentence, if there are any."""
    return [] if costs is None else [costs.describe(systems)]
