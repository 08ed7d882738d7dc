"""One hash of all that must not change while a competition runs: labels, split, weights, groups, metric, mechanism."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition.model import Competition, Rules, Solution, select_score_options
from ladderboard.competition.rules.rules_json import spell_rules
from ladderboard.mechanisms.base import Mechanism


def solution_digest(competition: Competition) -> str:
    """The hash, in hexadecimal; equal for equal content on every machine.

    It covers ids (rows are in their order, whatever that of the file), labels, Usage, weights, groups, the metric
    with its options, its positive class and the text of its file, the mechanism with its parameters, and per team or
    per rank. Never show it without a salt: of a short solution the labels could be found by trying.
    """
    files = list_file_digests(competition)
    return compute_digest(
        competition.rules, competition.solution, competition.mechanism, competition.metric_source, files=files
    )


def list_file_digests(competition: Competition) -> list[str]:
    """The digests of what a scorer compares with, and of the inputs of programs, where there are such files."""
    return [one.digest for one in (competition.solution_files, competition.inputs) if one is not None]


def compute_digest(
    rules: Rules, solution: Solution, mechanism: Mechanism, metric_source: str, *, files: Sequence[str] = ()
) -> str:
    """Compute the digest from its parts, so that checking a published solution does not run its metric.

    ``files``: as `list_file_digests` has them.
    """
    digest, turned = hashlib.blake2b(digest_size=32), _turned(rules, solution)
    for name, part in (
        ("ids", solution.ids),
        ("labels", solution.labels),
        ("usage", solution.usage),
        ("weight", solution.weight),
        ("group", solution.group),
        ("columns", [solution.id_column, *solution.label_columns]),
        ("metric", [rules.metric, select_score_options(rules.metric_options), metric_source, *turned]),
        ("mechanism", [mechanism.name, mechanism.parameters()]),
        *([("files", list(files))] if files else []),
        ("board", [rules.instances, rules.ranks if rules.instances == "rank" else None]),
    ):
        text = spell_rules([name, _plain(part)]).encode()
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()


def _turned(rules: Rules, solution: Solution) -> list[Any]:
    """The positive class where it is not the greater label, which it always was when commitments began."""
    if rules.positive is None or rules.positive == np.unique(solution.labels)[-1].item():
        return []
    return [rules.positive]


def _plain(part: "npt.NDArray[Any] | list[Any] | None") -> Any:
    return part if part is None or isinstance(part, list) else part.tolist()
