"""What every importer of a scoring program does: program, reference, sample and items into our folder."""

import csv
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path

from ladderboard.competition.importers.bundle import Taken
from ladderboard.competition.program_scoring import OPAQUE, PROGRAM, REFERENCE, find_answers, list_row_files
from ladderboard.competition.rules.rules_file import ITEMS
from ladderboard.competition.sample_file import STEM
from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.scoring.archives import is_archive
from ladderboard.scoring.row_files import FEWEST, RowFile

PUBLIC_SHARE = 0.5
LARGEST_SAMPLE = 200 << 20


def put_program(root: Path, into: Path, taken: Taken, *, program: Path, reference: Path, sample: Path | None) -> None:
    """Copy the program and the reference, find a sample, list the items, draw the split; raises `InputError`."""
    solution = into / "solution"
    solution.mkdir()
    shutil.copytree(program, solution / PROGRAM)
    if reference.is_dir():
        shutil.copytree(reference, solution / REFERENCE)
    else:
        (solution / REFERENCE).mkdir()
        shutil.copyfile(reference, solution / REFERENCE / reference.name)
    truths = [one for one in list_row_files(solution / REFERENCE) if len(one.rows) >= FEWEST]
    samples = [sample] if sample is not None else [*_list_samples(root, program, reference)]
    found = next(_match(truths, samples), None)
    if found is None and not truths:
        raise InputError(f"no file of the reference data has a row for each item; {OPAQUE}")
    if found is None:
        raise InputError(
            f"the bundle holds no submission whose rows are those of {', '.join(one.name for one in truths)}; give a "
            f"valid one with --sample; or: {OPAQUE}"
        )
    truth, name, content = found
    (into / name).write_bytes(content)
    (into / ITEMS).write_bytes(_write_items(truth))
    taken.metric["items"] = truth.name
    taken.solution = {"file": ITEMS, "public_share": PUBLIC_SHARE, "split_seed": secrets.token_hex(16)}


def _match(truths: list[RowFile], samples: list[Path]) -> Iterator[tuple[RowFile, str, bytes]]:
    """Each sample that has the rows of just one file of the reference, with its name and content for our folder."""
    for path in samples:
        if path.is_dir():
            content, name = _pack(path), f"{STEM}.zip"
        else:
            content = path.read_bytes()
            name = STEM + ("".join(path.suffixes[-1:]) if not is_archive(content) else ".zip")
        fitting = []
        for truth in truths:
            try:
                find_answers(content, name, truth)
                fitting.append(truth)
            except (InputError, SubmissionError):
                continue
        if len(fitting) == 1:
            yield fitting[0], name, content


def _pack(folder: Path) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(folder.rglob("*")):
            if one.is_file():
                archive.writestr(one.relative_to(folder).as_posix(), one.read_bytes())
    return content.getvalue()


def _list_samples(root: Path, program: Path, reference: Path) -> Iterator[Path]:
    """Files and folders that may be a valid submission, the likeliest first."""
    secret = (program.resolve(), reference.resolve())
    paths = [
        one
        for one in sorted(root.rglob("*"), key=lambda path: (len(path.parts), path.name))
        if not any(one.resolve().is_relative_to(other) for other in secret) and "submission" in one.name.lower()
    ]
    for one in paths:
        if one.is_dir() or one.stat().st_size <= LARGEST_SAMPLE:
            yield one


def _write_items(truth: RowFile) -> bytes:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id"])
    writer.writerows([one] for one in truth.names or range(1, len(truth.rows) + 1))
    return text.getvalue().encode()
