"""Bundles of Codabench and of CodaLab: competition.yaml, a scoring program, reference data."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ladderboard.competition.importers.bundle import Taken, find_inside, list_unknown, read_page, read_yaml
from ladderboard.competition.importers.programs import put_program
from ladderboard.core.errors import InputError

SETTINGS = ("competition.yaml", "competition.yml")
TAKEN = (
    "version", "title", "description", "pages", "terms", "html", "phases", "tasks", "leaderboards", "leaderboard",
    "end_date",
)  # fmt: skip
METADATA = ("metadata.yaml", "metadata.yml", "metadata")
NO_COMMAND = "{name} of the scoring program names no command"


def find_settings(root: Path) -> Path | None:
    """The bundle's settings; None: it is none of this platform."""
    return next((root / name for name in SETTINGS if (root / name).is_file()), None)


def take(root: Path, into: Path, *, now: datetime, phase: str | None, sample: Path | None) -> Taken:
    """Write what the scorer needs into a folder, and say what was taken; raises `InputError`."""
    path = find_settings(root)
    assert path is not None, "it was recognised"
    settings = read_yaml(path)
    taken = Taken("Codabench", str(settings.get("title") or root.name), str(settings.get("description") or ""))
    taken.description = _describe(root, settings)
    chosen, others = _choose(_list_phases(settings), phase)
    taken.left += [f"phase {name!r}: --phase takes it instead" for name in others]
    taken.left += list_unknown(settings, TAKEN)
    task = _find_task(settings, chosen)
    if task.get("ingestion_program"):
        taken.left.append("ingestion_program: submissions are results here, not programs")
    program, reference = (_find(root, task, name) for name in ("scoring_program", "reference_data"))
    command, score, lower = _read_command(program), *_read_leaderboard(settings)
    taken.metric = {"program": command, "score": score, "lower_is_better": lower}
    taken.take_times(
        chosen.get("start") or chosen.get("start_date"), chosen.get("end") or settings.get("end_date"), now
    )
    taken.per_day = _count(chosen.get("max_submissions_per_day") or chosen.get("max_submissions"))
    taken.total = _count(chosen.get("max_submissions") if chosen.get("max_submissions_per_day") else None)
    put_program(root, into, taken, program=program, reference=reference, sample=sample)
    return taken


def _describe(root: Path, settings: Mapping[str, Any]) -> str:
    pages = settings.get("pages") or []
    named = [(str(one.get("title", "")), one.get("file")) for one in pages if isinstance(one, Mapping)]
    named += list((settings.get("html") or {}).items()) if isinstance(settings.get("html"), Mapping) else []
    if isinstance(settings.get("terms"), str) and settings["terms"] not in [file for _, file in named]:
        named.append(("Terms", settings["terms"]))
    texts = ((title, read_page(find_inside(root, file))) for title, file in named)
    return "\n\n".join(f"## {title}\n\n{text.strip()}" for title, text in texts if text.strip())


def _list_phases(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    phases = settings.get("phases") or []
    listed = list(phases.values()) if isinstance(phases, Mapping) else list(phases)
    return [one for one in listed if isinstance(one, Mapping)]


def _choose(phases: list[Mapping[str, Any]], wanted: str | None) -> tuple[Mapping[str, Any], list[str]]:
    """The phase that is wanted, else the last; and the names of the others."""
    names = [str(one.get("name") or one.get("label") or number) for number, one in enumerate(phases)]
    if not phases:
        raise InputError("the bundle has no phases")
    if wanted is not None and wanted not in names:
        raise InputError(f"there is no phase {wanted!r}; there are {', '.join(map(repr, names))}")
    at = len(phases) - 1 if wanted is None else names.index(wanted)
    return phases[at], [name for number, name in enumerate(names) if number != at]


def _find_task(settings: Mapping[str, Any], phase: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a phase scores: a task that it names, or, in CodaLab's bundles, itself."""
    wanted = phase.get("tasks")
    if not wanted:
        return phase
    tasks = [one for one in settings.get("tasks") or [] if isinstance(one, Mapping)]
    found = [one for number, one in enumerate(tasks) if one.get("index", number) == wanted[0]]
    if not found:
        raise InputError(f"the bundle has no task {wanted[0]!r}, which its phase names")
    return found[0]


def _find(root: Path, task: Mapping[str, Any], name: str) -> Path:
    found = find_inside(root, task.get(name))
    if found is None:
        raise InputError(
            f"the bundle has no {name} ({task.get(name)!r}) for this phase; put the files in, not their keys"
        )
    return found


def _read_command(program: Path) -> str:
    path = next((program / name for name in METADATA if (program / name).is_file()), None)
    if path is None:
        raise InputError(f"the scoring program has no {METADATA[0]}")
    command = read_yaml(path).get("command")
    if not isinstance(command, str):
        raise InputError(NO_COMMAND.format(name=path.name))
    return command


def _read_leaderboard(settings: Mapping[str, Any]) -> tuple[str, bool]:
    """The name of the score that ranks, and whether lower is better."""
    boards = settings.get("leaderboards") or []
    columns: list[Mapping[str, Any]] = []
    if boards and isinstance(boards[0], Mapping):
        columns = sorted(boards[0].get("columns") or [], key=lambda one: int(one.get("index", 0)))
    old = settings.get("leaderboard") or {}
    if not columns and isinstance(old, Mapping) and isinstance(old.get("columns"), Mapping):
        columns = [{"key": key, **dict(one)} for key, one in old["columns"].items()]
        columns.sort(key=lambda one: int(one.get("rank", 1)))
    if not columns:
        raise InputError("the bundle has no column of a leaderboard, so which score ranks is unknown")
    first = columns[0]
    return str(first.get("key")), str(first.get("sorting", first.get("sort", "desc"))) == "asc"


def _count(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 < given < 1000 else None
