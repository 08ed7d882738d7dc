"""A bundle as a platform hands it out: a folder or an archive, copied without links, and what was taken from it."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from ladderboard.core.errors import InputError
from ladderboard.core.sizes import format_size
from ladderboard.scoring.archives import is_archive, unpack
from ladderboard.scoring.solution_files import LARGEST_BYTES
from ladderboard.tabular.problems import Problems

LARGEST_SETTINGS = 1 << 20
BREAKS = ("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "ul", "ol", "table")


@dataclass
class Taken:
    """What was found in a bundle, and what could not be taken, by its name there."""

    platform: str
    title: str = ""
    summary: str = ""
    description: str = ""
    opens: datetime | None = None
    deadline: datetime | None = None
    per_day: int | None = None
    total: int | None = None
    metric: dict[str, Any] = field(default_factory=dict)
    solution: dict[str, Any] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def take_times(self, opens: object, deadline: object, now: datetime) -> None:
        """Take the dates that still are to come."""
        for name, given in (("opens", opens), ("deadline", deadline)):
            moment = read_time(given)
            if moment is None:
                continue
            if moment <= now:
                self.left += [f"{name} {moment:%Y-%m-%d}: it is over, so none was set"] if name == "deadline" else []
            else:
                setattr(self, name, moment)


@contextmanager
def open_bundle(source: Path) -> Iterator[Path]:
    """A bundle as a folder of ordinary files; raises `InputError` for links, names that climb out, and bombs."""
    with tempfile.TemporaryDirectory(prefix="ladderboard-bundle-") as temporary:
        folder = Path(temporary)
        if source.is_dir():
            _copy(source, folder)
        elif source.is_file():
            unpack_into(source.read_bytes(), folder, source.name)
        else:
            raise InputError(f"there is no {source}")
        inside = [one for one in folder.iterdir() if not one.name.startswith(".")]
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def unpack_into(content: bytes, folder: Path, name: str) -> None:
    """Unpack an archive; raises `InputError`."""
    if not is_archive(content):
        raise InputError(f"{name} is no archive (zip or tar), nor a folder")
    folder.mkdir(parents=True, exist_ok=True)
    unpack(content, folder, Problems(name), most_unpacked=LARGEST_BYTES)


def _copy(source: Path, folder: Path) -> None:
    total = 0
    for one in sorted(source.rglob("*")):
        name = one.relative_to(source)
        if any(part.startswith(".") or part == "__MACOSX" for part in name.parts):
            continue
        if one.is_symlink() or not (one.is_file() or one.is_dir()):
            raise InputError(f"{source.name}/{name} is a link or no ordinary file; put the file itself there")
        if one.is_dir():
            continue
        total += one.stat().st_size
        if total > LARGEST_BYTES:
            raise InputError(f"{source} holds more than {format_size(LARGEST_BYTES)}")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(one.read_bytes())


def find_inside(root: Path, name: object) -> Path | None:
    """A file or folder that a bundle names, never outside of it; an archive of that name is unpacked beside it."""
    if not isinstance(name, str) or not name.strip():
        return None
    path = (root / name).resolve()
    packed = path if path.is_file() else path.with_name(f"{path.name}.zip")
    if not path.is_relative_to(root.resolve()):
        raise InputError(f"the bundle names {name!r}, which lies outside of it")
    plain = path.with_suffix("") if path.suffix == ".zip" and not path.exists() else path
    if plain.is_dir() or (path.is_file() and path.suffix != ".zip"):
        return plain
    if not packed.is_file():
        return None
    folder = packed.with_name(f"{packed.stem}.unpacked")
    if not folder.exists():
        unpack_into(packed.read_bytes(), folder, packed.name)
    return folder


def read_yaml(path: Path) -> dict[str, Any]:
    """Settings in YAML, by `safe_load`; raises `InputError`."""
    try:
        import yaml
    except ImportError:
        raise InputError("reading YAML needs PyYAML: pip install '.[import]' in Ladderboard's checkout") from None
    if path.stat().st_size > LARGEST_SETTINGS:
        raise InputError(f"{path.name} has more than {format_size(LARGEST_SETTINGS)}")
    try:
        found = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise InputError(f"{path.name} is not YAML: {str(problem).splitlines()[0]}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path.name} is not a table of settings")
    return found


def read_json(path: Path) -> dict[str, Any]:
    """Settings in JSON; raises `InputError`."""
    try:
        found = json.loads(path.read_bytes()[:LARGEST_SETTINGS])
    except (ValueError, RecursionError):
        raise InputError(f"{path.name} is not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{path.name} is not a table of settings")
    return found


def read_time(given: object) -> datetime | None:
    """A moment as bundles write them; in UTC where no zone is said."""
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given.strip())
        except ValueError:
            return None
    if isinstance(given, datetime):
        return given if given.tzinfo else given.replace(tzinfo=UTC)
    return datetime(given.year, given.month, given.day, tzinfo=UTC) if isinstance(given, date) else None


def read_page(path: Path | None) -> str:
    """A page as Markdown: as it is, or the text of HTML."""
    if path is None or not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix.lower() not in (".html", ".htm"):
        return text
    reader = _PageText()
    reader.feed(text)
    lines = [" ".join(line.split()) for line in "".join(reader.parts).split("\n")]
    return "\n\n".join(line for line in lines if line)


class _PageText(HTMLParser):
    """The text of a page, a line for each of its blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._is_hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_hidden = tag in ("script", "style")
        if tag in BREAKS:
            self.parts.append("\n- " if tag == "li" else "\n## " if tag[0] == "h" and tag != "head" else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._is_hidden = False
        if tag in BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._is_hidden:
            self.parts.append(data.replace("\n", " "))


def list_unknown(settings: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """Settings that were not taken, by name."""
    return sorted(
        f"{name}" for name, value in settings.items() if name not in known and value not in (None, "", [], {})
    )
