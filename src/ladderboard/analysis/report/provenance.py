"""Where a report comes from: version, command, seed, date and the hash of what was read."""

import hashlib
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True)
class Provenance:
    """What somebody needs who wants to make the same report again."""

    seed: int
    date: str = ""
    """ISO 8601; empty: not said."""
    command: str = ""
    input_sha256: str = ""
    version: str = field(default_factory=lambda: version("ladderboard"))

    def list_pairs(self) -> list[tuple[str, str]]:
        """What is known, with its name."""
        pairs = (
            ("made with", f"Ladderboard {self.version}"),
            ("command", self.command),
            ("seed", str(self.seed)),
            ("date", self.date),
            ("SHA-256 of the input", self.input_sha256),
        )
        return [(name, value) for name, value in pairs if value]


def hash_input(path: Path) -> str:
    """The SHA-256 of a file; of a folder that of its files' names and hashes, in the order of their names.

    As `sha256sum FILE`, or `find . -type f | sort` with `sha256sum` in the folder, piped into `sha256sum`.
    """
    if path.is_file():
        return _hash_file(path)
    files = sorted((file.relative_to(path).as_posix(), file) for file in path.rglob("*") if file.is_file())
    lines = "".join(f"{_hash_file(file)}  ./{name}\n" for name, file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _hash_file(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
