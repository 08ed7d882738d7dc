"""Where the sources name a mechanism or a metric as a string."""

import ast
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def list_sources(*, but: Collection[str]) -> Iterator[Path]:
    """All code of the project but that in folders of these names."""
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "scripts").glob("*.py"), *(ROOT / "docs").glob("*.py")):
        if not set(but) & set(path.relative_to(ROOT).parts):
            yield path


def names_in(path: Path, known: Collection[str]) -> Iterator[str]:
    """The file's place, for each literal that is a known name; docstrings do not count."""
    for _ in literals_in(path.read_text()) & {*known}:
        yield place_of(path)


@cache
def literals_in(source: str) -> frozenset[str]:
    """All strings of the code but docstrings; several tests look for names of their own in them."""
    nodes = list(ast.walk(ast.parse(source)))
    texts = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in texts)
    return frozenset(node.value for node in constants if isinstance(node.value, str))


def place_of(path: Path) -> str:
    """The path below src, where it lies there."""
    source = ROOT / "src"
    return path.relative_to(source).as_posix() if path.is_relative_to(source) else path.as_posix()
