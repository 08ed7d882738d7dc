"""Creation of a competition whose submissions are files: from a scorer, its solution and a sample."""

import csv
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from ladderboard.competition.loading import ANSWERS, DESCRIPTION, inspect_folder
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.rules_file import ITEMS, make_slug
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_template import FileDraft, file_competition_toml
from ladderboard.competition.sample_file import STEM
from ladderboard.core.errors import CompetitionError, InputError
from ladderboard.scoring.submission_file import NAMINGS, find_kind, list_contents, name_items

PUBLIC_SHARE = 0.5
FEWEST_ITEMS = 8


@dataclass(frozen=True)
class FileRequest:
    """The request for a folder with a scorer of files. ``items``: a table of them, None: found in the solution."""

    scorer: Path
    solution: Path
    sample: Path
    items: Path | None = None
    title: str | None = None
    lower_is_better: bool = False


def fill_folder(temporary: Path, folder: Path, request: FileRequest) -> Competition:
    """Write everything into an empty folder and read it back; raises `InputError`."""
    for path in (request.scorer, request.solution, request.sample, *([] if request.items is None else [request.items])):
        if not path.exists():
            raise InputError(f"there is no {path}")
    (temporary / "data").mkdir()
    answers = _copy_solution(temporary, request.solution)
    shutil.copyfile(request.scorer, temporary / "score.py")
    sample = STEM + "".join(request.sample.suffixes)
    shutil.copyfile(request.sample, temporary / sample)
    if request.items is None:
        (temporary / ITEMS).write_bytes(_write_items(find_items(request.solution)))
    else:
        shutil.copyfile(request.items, temporary / ITEMS)
    has_usage = b"usage" in (temporary / ITEMS).read_bytes().partition(b"\n")[0].lower()
    draft = FileDraft(
        title=request.title or _title(folder),
        slug=make_slug(folder.absolute().name),
        lower_is_better=request.lower_is_better,
        answers=answers,
        public_share=None if has_usage else PUBLIC_SHARE,
        split_seed=secrets.token_hex(16),
    )
    (temporary / FILE).write_bytes(file_competition_toml(draft).encode())
    text = f"# {draft.title}\n\nWhat to submit, and why it matters.\n\n## Submissions\n\nA file like `{sample}`.\n"
    (temporary / DESCRIPTION).write_bytes(text.encode())
    found = inspect_folder(temporary)
    if found.competition is not None:
        return found.competition
    errors = [finding for finding in found.findings if not finding.is_warning]
    told = "\n".join(f"  {finding}" for finding in errors)
    raise CompetitionError(f"no folder was created, because these files do not fit together:\n{told}", errors)


def _copy_solution(temporary: Path, solution: Path) -> str:
    if solution.is_dir():
        shutil.copytree(solution, temporary / ANSWERS, symlinks=True)
        return ANSWERS
    name = "answers" + "".join(solution.suffixes)
    shutil.copyfile(solution, temporary / name)
    return name


def find_items(solution: Path) -> list[str]:
    """The items that a solution names: its files, the keys of a JSON object, ids; raises `InputError`."""
    if solution.is_dir():
        names = sorted(one.relative_to(solution).as_posix() for one in solution.rglob("*") if one.is_file())
        found = name_items([one for one in names if not one.startswith(".")], "stem")
        return _refuse_unclear(solution, found)
    content = solution.read_bytes()
    listed = list_contents(content, solution.name, find_kind(content, solution.name))
    for naming in (one for one in NAMINGS if one not in ("path", "file name", "folder")):
        found = name_items(listed, naming)
        if len(found) >= FEWEST_ITEMS and len(set(found)) == len(found):
            return found
    return _refuse_unclear(solution, [])


def _refuse_unclear(solution: Path, found: Sequence[str]) -> list[str]:
    if len(found) < FEWEST_ITEMS or len(set(found)) < len(found):
        raise InputError(
            f"{solution} does not say by its keys, ids or names of files which items there are (at least "
            f"{FEWEST_ITEMS}); write a table with the column id and give it with --items"
        )
    return list(found)


def _write_items(items: Sequence[str]) -> bytes:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id"])
    writer.writerows([one] for one in items)
    return text.getvalue().encode()


def _title(folder: Path) -> str:
    words = folder.absolute().name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
