"""Seeds and prompts: the conditions under which the items were run, merged into one column for each system."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.words import pluralise
from ladderboard.evals.costs import Costs
from ladderboard.evals.left_out import list_names
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.inference.conditions import ConditionLosses

FIELDS = ("system", "seed", "prompt")
EXAMPLE = "'{system}-seed{seed}'"


@dataclass(frozen=True)
class Condition:
    """A column of losses: a system with one seed and one prompt; empty where they are not varied."""

    system: str
    seed: str = ""
    prompt: str = ""

    def __str__(self) -> str:
        parts = [f"seed {self.seed}" * bool(self.seed), f"prompt {self.prompt}" * bool(self.prompt)]
        return f"{self.system} ({', '.join(filter(None, parts))})" if any(parts) else self.system


def parse_names(names: Sequence[str], form: str) -> list[Condition]:
    """The conditions that names of a form stand for, such as ``{system}-seed{seed}``.

    A name of another form is a system with a single seed; where prompts are told apart it is refused, since every
    system needs the same ones.

    >>> [str(one) for one in parse_names(["ours-seed1", "ours-seed2", "base"], "{system}-seed{seed}")]
    ['ours (seed 1)', 'ours (seed 2)', 'base']
    """
    pattern = _compile(form)
    found = []
    for name in names:
        match = pattern.fullmatch(name)
        if match is None and "{prompt}" in form:
            raise InputError(
                f"{name!r} is not of the form {form!r}, and each system needs the same prompts; leave it out (--drop)"
            )
        found.append(Condition(name) if match is None else Condition(**match.groupdict()))
    if len({one.system for one in found}) == len(found):
        raise InputError(
            f"by {form!r} no system has two seeds or prompts; the names are {list_names(names)} (--names, such as "
            f"{EXAMPLE})"
        )
    return found


def _compile(form: str) -> re.Pattern[str]:
    """A pattern with a group for each field; a field ends where the next words of the form begin for the last time."""
    parts = re.split(r"\{(\w+)\}", form)
    fields = parts[1::2]
    wrong = [name for name in fields if name not in FIELDS or fields.count(name) > 1]
    if wrong or "system" not in fields or len(fields) < 2 or not all(parts[2:-1:2]):
        raise ParameterError(
            f"names is {form!r}; it says how names are formed from {{system}} and {{seed}} or {{prompt}}, with text "
            f"between them, such as {EXAMPLE} (--names)"
        )
    return re.compile(
        "".join(f"(?P<{one}>.+)" if at % 2 else re.escape(one) for at, one in enumerate(parts)), re.DOTALL
    )


def merge_named(results: LossMatrix, form: str) -> LossMatrix:
    """The results with one system for all seeds and prompts whose names a form tells apart.

    The loss of an item is the mean over them, and their variance is part of every error.

    >>> rng = np.random.default_rng(1)
    >>> runs = LossMatrix.of(rng.random((50, 4)) < 0.3, systems=["a-seed1", "a-seed2", "b-seed1", "b-seed2"])
    >>> merge_named(runs, "{system}-seed{seed}").systems
    ('a', 'b')
    """
    return merge_conditions(results, parse_names(results.systems, form))


def merge_conditions(matrix: LossMatrix, columns: Sequence[Condition]) -> LossMatrix:
    """The same results with one column for each system, the mean over its seeds and prompts; these are kept beside it.

    Raises `InputError` where a system lacks a prompt that another one has, or one of its seeds with a prompt.
    """
    places = {one: at for at, one in enumerate(columns)}
    systems = tuple(dict.fromkeys(one.system for one in columns))
    prompts = tuple(dict.fromkeys(one.prompt for one in columns))
    tables, seeds, members = [], [], []
    for system in systems:
        own = tuple(dict.fromkeys(one.seed for one in columns if one.system == system))
        at = [[_find(places, Condition(system, seed, prompt)) for prompt in prompts] for seed in own]
        tables.append(np.stack([matrix.losses[:, row] for row in at], axis=1))
        seeds.append(own)
        members.append([column for row in at for column in row])
    conditions = ConditionLosses(tuple(tables), tuple(seeds), prompts)
    return replace(
        matrix,
        losses=np.column_stack([table.mean(axis=(1, 2)) for table in tables]),
        systems=systems,
        repeats=None,
        conditions=conditions,
        dates=None if matrix.dates is None else tuple(max(matrix.dates[one] for one in own) for own in members),
        costs=None if matrix.costs is None else _average(matrix.costs, members),
        notes=(*matrix.notes, _describe(conditions, len(columns), systems)),
    )


def _find(places: dict[Condition, int], wanted: Condition) -> int:
    if wanted not in places:
        with_seed = f"seed {wanted.seed!r} with " if wanted.seed else ""
        raise InputError(
            f"{wanted.system!r} has no results of {with_seed}prompt {wanted.prompt!r}, which other systems or seeds "
            "have; run every seed with every prompt, or leave some out (--drop)"
        )
    return places[wanted]


def _average(costs: Costs, members: Sequence[Sequence[int]]) -> Costs:
    """The mean cost over the conditions of each system; None where it is not known of all."""
    means = []
    for own in members:
        known = [mean for mean in (costs.means[column] for column in own) if mean is not None]
        means.append(sum(known) / len(known) if len(known) == len(own) else None)
    return Costs(costs.unit, tuple(means))


def _describe(conditions: ConditionLosses, columns: int, systems: Sequence[str]) -> str:
    counts = sorted({len(own) for own in conditions.seeds})
    said = []
    if counts[-1] > 1:
        said.append(f"{counts[0]} seeds" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds")
    if len(conditions.prompts) > 1:
        said.append(f"the same {len(conditions.prompts)} prompts")
    of = pluralise("{n} system", "{n} systems", len(systems))
    return (
        f"{columns} columns are {of} ({list_names(systems)}) with {' and '.join(said)}; a score is the mean over them"
    )
