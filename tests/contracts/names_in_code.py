"""Where the sources name a mechanism or a metric as a string."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def list_sources(*, but: Collection[str]) -> Iterator[Path]:
    """All code of the project but that in folders of these names."""
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "scripts").glob("*.py"), *(ROOT / "docs").glob("*.py")):
        if not set(but) & set(path.relative_to(ROOT).parts):
            yield path


def names_in(path: Path, known: Collection[str]) -> Iterator[str]:
    """The file's place, for each literal that is a known name; docstrings do not count."""
    tree = ast.parse(path.read_text())
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in known and id(node) not in texts:
            yield place_of(path)


def place_of(path: Path) -> str:
    """The path below src, where it lies there."""
    source = ROOT / "src"
    return path.relative_to(source).as_posix() if path.is_relative_to(source) else path.as_posix()
