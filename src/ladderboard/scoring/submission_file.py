"""What a submitted file must be where only the scorer understands it: a file like the organiser's sample.

Whatever can be said without labels is said here, and costs no attempt: that the file is of the sample's kind, can be
read, and has every item that the sample has. Pickles and arrays of objects are refused.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Literal
from zipfile import ZipFile

import numpy as np
import numpy.lib.format as npy

from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.core.sizes import format_size
from ladderboard.scoring.archives import BROKEN, is_archive, list_names
from ladderboard.tabular.problems import Problems, join_names, quote

FileKind = Literal["archive", "npz", "npy", "json", "jsonl", "text", "bytes"]
SHOWN_IDS, SHOWN_LINES, SHOWN_WIDTH = 5, 4, 100
ID_KEYS = ("id", "item_id", "item", "image_id", "query_id", "qid", "question_id", "name")
WORDS: dict[FileKind, str] = {
    "archive": "an archive (zip or tar)",
    "npz": "an .npz file of NumPy",
    "npy": "an .npy file of NumPy",
    "json": "a JSON file",
    "jsonl": "a file of JSON lines",
    "text": "a text file (UTF-8)",
    "bytes": "a file",
}


@dataclass(frozen=True, eq=False)
class FileFormat:
    """What submitted files are like; ``naming`` says how the items are named in them, None where nothing does."""

    sample: str
    """The name of the sample."""
    kind: FileKind
    ids: tuple[str, ...]
    naming: str | None
    max_bytes: int
    max_unpacked_bytes: int
    may_repeat: bool = False
    """Whether the sample itself names items more than once, as a table of several rows for each does."""

    def check(self, content: bytes, name: str = "") -> None:
        """Raise `SubmissionError` with what is wrong with a file; depends on no label."""
        problems = Problems(name)
        if len(content) > self.max_bytes:
            allowed = f"a file may have at most {format_size(self.max_bytes)}"
            problems.stop("too_large", f"{allowed}; this one has {format_size(len(content))}")
        if not content:
            problems.stop("empty_file", "the file is empty (0 bytes); was it written to the end?")
        found = READERS[self.kind](content, problems, self.max_unpacked_bytes)
        if self.naming is not None:
            self._compare(name_items(found, self.naming), problems)

    def _compare(self, names: Sequence[str], problems: Problems) -> None:
        counts = Counter(names)
        missing = [one for one in self.ids if one not in counts]
        if missing:
            words = f"{len(missing):,} of {len(self.ids):,} items are missing: "
            shown = join_names([quote(one) for one in missing[:SHOWN_IDS]], len(missing))
            problems.add_for_ids("missing_id", words + shown, len(missing))
        known = set(self.ids)
        repeated = [one for one, count in counts.items() if count > 1 and one in known]
        if repeated and not self.may_repeat:
            shown = join_names([quote(one) for one in repeated[:SHOWN_IDS]], len(repeated))
            problems.add_for_ids("duplicate_id", f"items come more than once: {shown}", len(repeated))
        problems.refuse()

    @property
    def sentence(self) -> str:
        """The format for people."""
        words = WORDS[self.kind]
        like = f"{words[0].upper()}{words[1:]} like {self.sample}"
        return f"{like}." if self.naming is None else f"{like}, with each of its {len(self.ids):,} items."


def find_format(sample: bytes, name: str, ids: Sequence[str], *, max_bytes: int, max_unpacked_bytes: int) -> FileFormat:
    """The format of files like this sample; raises `InputError` where the sample itself is bad."""
    kind = find_kind(sample, name)
    problems = Problems(name)
    try:
        found = READERS[kind](sample, problems, max_unpacked_bytes)
    except SubmissionError as problem:
        raise InputError(f"the sample cannot be read: {problem}") from None
    known = set(ids)
    naming = next((one for one in NAMINGS if known <= set(name_items(found, one))), None)
    names = [] if naming is None else [one for one in name_items(found, naming) if one in known]
    made = FileFormat(
        name, kind, tuple(ids), naming, max_bytes, max_unpacked_bytes, may_repeat=len(set(names)) < len(names)
    )
    made.check(sample, name)
    return made


def find_kind(sample: bytes, name: str) -> FileKind:
    """The kind of a sample, by its name, and by its content where the name does not say it."""
    suffix = PurePosixPath(name).suffix.lower()
    named: dict[str, FileKind] = {
        ".npz": "npz", ".npy": "npy", ".json": "json", ".geojson": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    }  # fmt: skip
    if suffix in named:
        return named[suffix]
    if suffix in (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz") and is_archive(sample):
        return "archive"
    try:
        sample.decode()
    except UnicodeDecodeError:
        return "bytes"
    return "bytes" if b"\0" in sample else "text"


def list_contents(content: bytes, name: str, kind: FileKind) -> Any:
    """What a file of the organiser's holds, as `name_items` takes it; raises `InputError`."""
    try:
        return READERS[kind](content, Problems(name), 1 << 40)
    except SubmissionError as problem:
        raise InputError(str(problem)) from None


def show_start(sample: bytes, kind: FileKind) -> str:
    """The start of a sample for people; empty where it is no text."""
    if kind == "archive":
        names = list_names(sample, Problems(), most_unpacked=1 << 40)
        return "\n".join([*names[:SHOWN_LINES], *(["…"] if len(names) > SHOWN_LINES else [])])
    if kind not in ("json", "jsonl", "text"):
        return ""
    text = sample[: SHOWN_LINES * SHOWN_WIDTH].decode(errors="ignore")
    lines = [line if len(line) <= SHOWN_WIDTH else f"{line[:SHOWN_WIDTH]}…" for line in text.split("\n")[:SHOWN_LINES]]
    return "\n".join(lines) + ("" if len(text) == len(sample) and text.count("\n") <= SHOWN_LINES else "\n…")


# -- one reader for each kind: what it holds, as far as its items may be named there -----------------------------------


def _read_json(content: bytes, problems: Problems, _most: int) -> Any:
    try:
        return json.loads(content)
    except UnicodeDecodeError:
        problems.stop("wrong_encoding", "the file is not UTF-8 text")
    except json.JSONDecodeError as problem:
        problems.stop("bad_json", f"this is not JSON: {problem.msg}", problem.lineno)
    except (RecursionError, ValueError):
        problems.stop("bad_json", "this is no JSON that can be read: nested too deeply, or a number of too many digits")


def _read_json_lines(content: bytes, problems: Problems, _most: int) -> Any:
    found = []
    for number, line in enumerate(_read_text(content, problems, 0).split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            problems.add("bad_json", "this line is not JSON", number)
            problems.stop_reading_if_many(number)
    problems.refuse()
    return found


def _read_text(content: bytes, problems: Problems, _most: int) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        problems.stop("wrong_encoding", "the file is not UTF-8 text", line)
    if "\0" in text:
        problems.stop(
            "nul_byte", "the file holds a zero byte, so it is no text", text.count("\n", 0, text.index("\0")) + 1
        )
    return text


def _read_archive(content: bytes, problems: Problems, most: int) -> list[str]:
    if not is_archive(content):
        problems.stop("unsupported_file", "this is no archive; send a zip or tar like the sample")
    return list_names(content, problems, most_unpacked=most)


def _read_npz(content: bytes, problems: Problems, most: int) -> list[str]:
    names = _read_archive(content, problems, most)
    try:
        with ZipFile(BytesIO(content)) as archive:
            for name in names:
                with archive.open(name) as file:
                    _refuse_objects(file, problems)
    except SubmissionError:
        raise
    except BROKEN:
        problems.stop("unsupported_file", "this is no .npz file; numpy.savez_compressed writes one")
    return [name.removesuffix(".npy") for name in names]


def _read_npy(content: bytes, problems: Problems, _most: int) -> None:
    try:
        _refuse_objects(BytesIO(content), problems)
    except SubmissionError:
        raise
    except BROKEN:
        problems.stop("unsupported_file", "this is no .npy file; numpy.save writes one")


def _refuse_objects(file: Any, problems: Problems) -> None:
    version = npy.read_magic(file)
    read: Callable[[Any], tuple[Any, bool, np.dtype[Any]]] = (
        npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    )
    if read(file)[2].hasobject:
        problems.stop("unsupported_file", "it holds an array of objects, which is a pickle; give numbers or text")


def _read_bytes(_content: bytes, _problems: Problems, _most: int) -> None:
    return


READERS: dict[FileKind, Callable[[bytes, Problems, int], Any]] = {
    "archive": _read_archive,
    "npz": _read_npz,
    "npy": _read_npy,
    "json": _read_json,
    "jsonl": _read_json_lines,
    "text": _read_text,
    "bytes": _read_bytes,
}


# -- how items are named -----------------------------------------------------------------------------------------------


def name_items(found: Any, naming: str) -> list[str]:
    """The items that a file names, by one of `NAMINGS`.

    >>> name_items(["masks/a.png", "masks/b.png"], "stem"), name_items([{"id": 7}], "key id")
    (['a', 'b'], ['7'])
    """
    if naming.startswith("key "):
        rows = found if isinstance(found, list) else []
        return [str(row[naming[4:]]) for row in rows if isinstance(row, dict) and naming[4:] in row]
    if naming == "top-level keys":
        return list(found) if isinstance(found, dict) else []
    if naming == "first column":
        return list(_list_first_cells(found)) if isinstance(found, str) else []
    paths = [PurePosixPath(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []
    named: dict[str, Callable[[PurePosixPath], str]] = {
        "path": str,
        "file name": lambda path: path.name,
        "stem": lambda path: path.name.partition(".")[0],
        "folder": lambda path: path.parts[0],
    }
    return [named[naming](path) for path in paths] if naming != "folder" else list({named[naming](p) for p in paths})


NAMINGS = ("top-level keys", *(f"key {key}" for key in ID_KEYS), "path", "file name", "stem", "folder", "first column")


def _list_first_cells(text: str) -> Iterator[str]:
    """The first cells of a text's lines but for its first, which is a header."""
    for line in text.splitlines()[1:]:
        if line.strip():
            yield line.replace("\t", ",").replace(";", ",").split(",")[0].strip().strip('"')
