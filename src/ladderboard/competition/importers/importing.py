"""A competition of another platform → our folder: which platform it is, the rules, and what could not be taken."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from ladderboard.competition.checks.leaks import DATA
from ladderboard.competition.importers import codabench, evalai, hugging_face, kaggle
from ladderboard.competition.importers.bundle import Taken, open_bundle
from ladderboard.competition.loading import DESCRIPTION, inspect_folder
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.rules_file import make_slug
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.core.errors import CompetitionError, InputError


class Importer(Protocol):
    """The importer of one platform."""

    find_settings: Callable[[Path], Path | None]

    def take(self, root: Path, into: Path, *, now: datetime, phase: str | None, sample: Path | None) -> Taken: ...


IMPORTERS: tuple[Any, ...] = (codabench, evalai, hugging_face, kaggle)
"""In the order in which a folder is looked at."""


@dataclass(frozen=True)
class ImportRequest:
    """The request for a folder from a bundle."""

    source: Path
    title: str | None = None
    phase: str | None = None
    sample: Path | None = None
    lower_is_better: bool = False
    trust: bool = False


@dataclass(frozen=True)
class Imported:
    """A competition that was taken over, and what of it was not."""

    competition: Competition
    platform: str
    left: tuple[str, ...]


def fill_from_bundle(temporary: Path, folder: Path, request: ImportRequest, *, now: datetime) -> Imported:
    """Write everything into an empty folder and read it back; raises `InputError`."""
    with open_bundle(request.source) as root:
        importer = next((one for one in IMPORTERS if one.find_settings(root) is not None), None)
        if importer is None:
            raise InputError(
                f"{request.source} is no bundle that is known: it has no competition.yaml (Codabench, CodaLab), "
                "challenge_config.yaml (EvalAI), conf.json (Hugging Face), nor solution.csv with a metric (Kaggle)"
            )
        taken: Taken = importer.take(root, temporary, now=now, phase=request.phase, sample=request.sample)
    if request.lower_is_better:
        taken.metric["lower_is_better"] = True
        taken.left = [one for one in taken.left if not one.startswith("whether lower scores")]
    if request.trust and "program" in taken.metric:
        taken.metric["trusted"] = True
    taken.title = request.title or taken.title
    (temporary / DATA).mkdir(exist_ok=True)
    (temporary / FILE).write_text(write_rules(taken, make_slug(folder.absolute().name)), encoding="utf-8")
    text = f"# {taken.title}\n\n{taken.description.strip() or taken.summary}\n"
    (temporary / DESCRIPTION).write_text(text, encoding="utf-8")
    found = inspect_folder(temporary)
    if found.competition is not None:
        return Imported(found.competition, taken.platform, tuple(taken.left))
    errors = [finding for finding in found.findings if not finding.is_warning]
    told = "\n".join(f"  {finding}" for finding in errors)
    raise CompetitionError(f"no folder was created, because the bundle cannot be served as it is:\n{told}", errors)


def write_rules(taken: Taken, slug: str) -> str:
    """The text of competition.toml."""
    top = {"title": taken.title, "slug": slug, "summary": " ".join(taken.summary.split())[:200]}
    lines = [f"# Taken from a bundle of {taken.platform}. docs/guide/competition-folder.md explains every key."]
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in top.items() if value]
    lines += ['mechanism = "witness_ladder"', 'time_zone = "UTC"']
    times = (("opens", taken.opens), ("deadline", taken.deadline))
    lines += [f"{key} = {moment.isoformat()}" for key, moment in times if moment is not None]
    limits = {"per_day": taken.per_day, "total": taken.total}
    tables = {"limits": {key: value for key, value in limits.items() if value is not None}}
    tables |= {"solution": taken.solution, "metric": taken.metric}
    for name, values in tables.items():
        if values:
            lines += [
                "",
                f"[{name}]",
                *(f"{key} = {json.dumps(one, ensure_ascii=False)}" for key, one in values.items()),
            ]
    return "\n".join(lines) + "\n"
