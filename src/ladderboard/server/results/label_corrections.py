"""Labels corrected by id, without a file: what would change, and the one publication of it.

The folder of a competition made in the browser gets a solution whose split is written out: drawn anew, the split would
follow the classes, and rows would change sides.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition import Competition, Solution, load_competition
from ladderboard.competition.rules.toml_edit import set_values
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.solution.solution_text import GROUP, USAGE, WEIGHT, write_solution
from ladderboard.core.errors import ConflictError, ParameterError
from ladderboard.server.competitions.editing import read_version
from ladderboard.server.results.records import RescoringBody
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring
from ladderboard.server.services import Services

MOST = 1000
SOLUTION = "solution.csv"


def read_corrections(text: str) -> dict[str, str]:
    r"""Read one correction for each line: an id, a comma, and the right label.

    >>> read_corrections("17,diseased\n 18 , healthy ")
    {'17': 'diseased', '18': 'healthy'}
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, comma, label = (part.strip() for part in line.partition(","))
        if not comma or not name or not label:
            raise ParameterError(f"line {number} is {line.strip()[:80]!r}; write an id, a comma and the right label")
        if name in found:
            raise ParameterError(f"line {number}: the id {name!r} is there twice")
        found[name] = label
    if not found:
        raise ParameterError("there is nothing to correct; write an id, a comma and the right label")
    if len(found) > MOST:
        raise ParameterError(f"these are more than {MOST:,} labels; correct the folder and run `ladderboard rescore`")
    return found


def preview_labels(services: Services, slug: str, labels: Mapping[str, str]) -> RescoringBody:
    """What publishing these labels would change; nothing is stored."""
    with _correct(services, slug, labels) as corrected:
        return preview_rescoring(services, slug, corrected)


def publish_labels(services: Services, slug: str, labels: Mapping[str, str], *, version: int) -> RescoringBody:
    """Publish these labels, if the solution is still the one of that ``version``."""
    if services.follow_correction(slug).scoring_version != version:
        raise ConflictError("another correction was published meanwhile; preview this one again")
    with _correct(services, slug, labels) as corrected:
        return publish_rescoring(services, slug, corrected)


@contextmanager
def _correct(services: Services, slug: str, labels: Mapping[str, str]) -> Iterator[Competition]:
    """The competition with these labels, in a folder of its own."""
    version, served = read_version(services, slug), services.follow_correction(slug).competition
    solution = _change_labels(served.solution, labels)
    with services.folders.copy(version) as folder:
        text = (folder / FILE).read_text(encoding="utf-8")
        (folder / FILE).write_text(set_values(text, _name_columns(solution)), encoding="utf-8")
        (folder / SOLUTION).write_bytes(write_solution(solution))
        corrected = load_competition(folder)
        _refuse_other(served.solution, corrected.solution, labels)
        yield corrected


def _change_labels(solution: Solution, labels: Mapping[str, str]) -> Solution:
    if len(solution.label_columns) != 1 or solution.labels.ndim != 1:
        raise ConflictError(
            "here only solutions with one column of labels are corrected; download the folder, correct it, and run "
            "`ladderboard rescore`"
        )
    ids = {str(one): row for row, one in enumerate(solution.ids.tolist())}
    unknown = [name for name in labels if name not in ids]
    if unknown:
        raise ParameterError(f"there is no row with the id {unknown[0]!r}")
    texts = [str(one) for one in solution.labels.tolist()]
    for name, label in labels.items():
        if texts[ids[name]] == label:
            raise ParameterError(f"the label of {name!r} is {label!r} already")
        texts[ids[name]] = label
    return replace(solution, labels=np.array(texts))


def _name_columns(solution: Solution) -> dict[tuple[str, str], str | None]:
    return {
        ("solution", "file"): SOLUTION,
        ("solution", "usage"): USAGE,
        ("solution", "weight"): None if solution.weight is None else WEIGHT,
        ("solution", "group"): None if solution.group is None else GROUP,
        ("solution", "public_share"): None,
        ("solution", "split_seed"): None,
    }


def _refuse_other(before: Solution, after: Solution, labels: Mapping[str, str]) -> None:
    """Raise unless the labels that were named changed, and nothing else."""
    changed = {str(one) for one in before.ids[np.asarray(before.labels != after.labels)].tolist()}
    is_same = np.array_equal(before.ids, after.ids) and np.array_equal(before.usage, after.usage)
    is_same = is_same and _equal(before.weight, after.weight) and _equal(before.group, after.group)
    if before.labels.dtype.kind != after.labels.dtype.kind or changed != set(labels) or not is_same:
        raise ParameterError("these labels are not like the others; write them as they are written in the solution")


def _equal(before: npt.NDArray[Any] | None, after: npt.NDArray[Any] | None) -> bool:
    if before is None or after is None:
        return before is after
    return np.array_equal(before, after)
