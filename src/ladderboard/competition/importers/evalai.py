"""Challenge folders of EvalAI: challenge_config.yaml, an evaluation script, annotations."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ladderboard.competition.importers.bundle import Taken, find_inside, list_unknown, read_page, read_yaml
from ladderboard.competition.importers.programs import put_program
from ladderboard.core.errors import InputError
from ladderboard.scoring.platform_process import EVALUATE

SETTINGS = ("challenge_config.yaml", "challenge_config.yml")
PAGES = (
    ("Description", "description"), ("Evaluation", "evaluation_details"), ("Submissions", "submission_guidelines"),
    ("Terms", "terms_and_conditions"),
)  # fmt: skip
TAKEN = (
    "title", "short_description", "evaluation_script", "start_date", "end_date", "leaderboard", "challenge_phases",
    "dataset_splits", "challenge_phase_splits", "published", *(key for _, key in PAGES),
)  # fmt: skip


def find_settings(root: Path) -> Path | None:
    """The challenge's settings; None: it is none of this platform."""
    return next((root / name for name in SETTINGS if (root / name).is_file()), None)


def take(root: Path, into: Path, *, now: datetime, phase: str | None, sample: Path | None) -> Taken:
    """Write what the scorer needs into a folder, and say what was taken; raises `InputError`."""
    path = find_settings(root)
    assert path is not None, "it was recognised"
    settings = read_yaml(path)
    taken = Taken("EvalAI", str(settings.get("title") or root.name), str(settings.get("short_description") or ""))
    texts = ((title, read_page(find_inside(root, settings.get(key)))) for title, key in PAGES)
    taken.description = "\n\n".join(f"## {title}\n\n{text.strip()}" for title, text in texts if text.strip())
    chosen, others = _choose(settings, phase)
    taken.left += [f"phase {name!r}: --phase takes it instead" for name in others]
    taken.left += list_unknown(settings, TAKEN)
    script = settings.get("evaluation_script")
    program = find_inside(root, str(script).removesuffix(".zip") if script else None)
    reference = find_inside(root, chosen.get("test_annotation_file"))
    if program is None or not program.is_dir():
        raise InputError(f"the challenge has no folder or archive {script!r}, its evaluation script")
    if reference is None:
        raise InputError(f"the challenge has no file {chosen.get('test_annotation_file')!r}, the phase's annotations")
    name, lower = _read_leaderboard(settings)
    phase_name = str(chosen.get("codename", ""))
    taken.metric = {"program": EVALUATE, "phase": phase_name, "score": name, "lower_is_better": lower}
    taken.take_times(chosen.get("start_date"), chosen.get("end_date") or settings.get("end_date"), now)
    taken.per_day, taken.total = _count(chosen.get("max_submissions_per_day")), _count(chosen.get("max_submissions"))
    put_program(root, into, taken, program=program, reference=reference, sample=sample)
    return taken


def _choose(settings: Mapping[str, Any], wanted: str | None) -> tuple[Mapping[str, Any], list[str]]:
    """The phase with that codename or name, else the last one; and the codenames of the others."""
    phases = [one for one in settings.get("challenge_phases") or [] if isinstance(one, Mapping)]
    names = [str(one.get("codename") or one.get("name")) for one in phases]
    if not phases:
        raise InputError("the challenge has no phases")
    if wanted is not None and wanted not in names:
        raise InputError(f"there is no phase {wanted!r}; there are {', '.join(map(repr, names))}")
    at = len(phases) - 1 if wanted is None else names.index(wanted)
    return phases[at], [name for number, name in enumerate(names) if number != at]


def _read_leaderboard(settings: Mapping[str, Any]) -> tuple[str, bool]:
    """The score that ranks, and whether lower is better."""
    boards = [one for one in settings.get("leaderboard") or [] if isinstance(one, Mapping)]
    schema = boards[0].get("schema") if boards else None
    if not isinstance(schema, Mapping) or not schema.get("default_order_by"):
        raise InputError("the challenge's leaderboard does not say by which score it is ordered (default_order_by)")
    name = str(schema["default_order_by"])
    metadata = schema.get("metadata") or {}
    about = metadata.get(name) if isinstance(metadata, Mapping) else None
    return name, bool(about.get("sort_ascending")) if isinstance(about, Mapping) else False


def _count(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 < given < 1000 else None
