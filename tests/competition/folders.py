"""Competition folders for the tests: a sound one, and a way to spoil it."""

from pathlib import Path

from ladderboard.competition import Finding, Inspection, inspect_folder

TOML = """\
title = "Whales"
slug = "whales"
metric = "accuracy"
"""


def labels(rows: int = 2000) -> list[int]:
    """Classes in an order that tells nothing of the ids'."""
    return [(i * i * 7 + i // 3) % 5 % 2 for i in range(rows)]


def solution_csv(rows: int = 2000, *, header: str = "id,label,Usage") -> str:
    """A sound solution: two classes, half of the rows public."""
    usage = ["Public" if (i * 37 % 101) % 2 else "Private" for i in range(rows)]
    return "\n".join([header, *(f"{i},{y},{use}" for i, (y, use) in enumerate(zip(labels(rows), usage, strict=True)))])


def write_folder(folder: Path, toml: str = TOML, solution: str | bytes | None = None, **files: str) -> Path:
    """A folder with these files (``data__train__csv`` is data/train.csv)."""
    content = solution_csv() if solution is None else solution
    written: dict[str, str | bytes] = {
        "competition.toml": toml,
        "solution.csv": content,
        "description.md": "# Whales\n",
        **{name.replace("__", "/", 1).replace("__", ".") if name.startswith("data__") else name.replace("__", "."): text
           for name, text in files.items()},
    }  # fmt: skip
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def inspect(folder: Path, toml: str = TOML, solution: str | bytes | None = None, **files: str) -> Inspection:
    return inspect_folder(write_folder(folder, toml, solution, **files))


def errors(found: Inspection) -> list[str]:
    assert (found.competition is None) == any(not finding.is_warning for finding in found.findings)
    return [str(finding) for finding in found.findings if not finding.is_warning]


def only(found: Inspection) -> Finding:
    """The one finding there is."""
    assert len(found.findings) == 1, [str(finding) for finding in found.findings]
    return found.findings[0]
