"""Mutants: small faults put into the statistical modules one at a time; which of them does a test notice?

    nice -n 19 python -m scripts.mutants                    # 160 mutants, drawn with seed 0
    nice -n 19 python -m scripts.mutants --of bounds --count 30 --seed 1

Prints a line for each mutant and the score at the end: the share that the narrow tests of its module kill. Takes
minutes and is no part of `make test`. A survivor is a missing test, or a fault without consequence: read it.
"""

import ast
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import click

SOURCES = {
    "src/ladderboard/mechanisms": ("tests/mechanisms/test_{name}.py", "tests/mechanisms/test_ties.py"),
    "src/ladderboard/metrics": ("tests/metrics/test_{name}.py", "tests/contracts/test_metrics.py -k {name}"),
    "src/ladderboard/inference/multiplicity": ("tests/inference/multiplicity",),
    "src/ladderboard/core/bounds": ("tests/core/test_bounds.py",),
    "src/ladderboard_lab/attacks": ("tests/lab/attacks/test_attacks.py", "tests/lab/attacks/test_{name}.py"),
}
"""Modules, and the tests that should notice a fault in them; those that do not exist are left out."""
SECONDS = 120
"""Of processor time: a mutant that runs longer is taken as noticed."""
FROM_HERE = ("--rootdir", ".", "-c", "pyproject.toml")
"""For the examples in the module's own docstrings, which are run in the copy."""
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One fault: the module, its line, what was changed, and the module's text with it."""

    path: Path
    line: int
    change: str
    text: str


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every fault that is put into a module, in the order of its syntax tree."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for place, node in enumerate(ast.walk(tree)):
        if _is_changeable(node):
            mutated = deepcopy(tree)
            target = list(ast.walk(mutated))[place]
            before, after = ast.unparse(target), _change(mutated, target)
            yield Mutant(path, getattr(node, "lineno", 0), f"{before} → {after}", ast.unparse(mutated))


def _is_changeable(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in COMPARED
    if isinstance(node, ast.BinOp):
        return type(node.op) in COMPUTED and not isinstance(node.left, ast.JoinedStr)
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, ast.BoolOp) or _is_root(node)


def _is_root(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sqrt"


def _change(tree: ast.Module, node: ast.AST) -> str:
    """Change the node in place; returns its new text."""
    if isinstance(node, ast.Compare):
        node.ops[0] = COMPARED[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp):
        node.op = COMPUTED[type(node.op)]()
    elif isinstance(node, ast.Constant):
        assert isinstance(node.value, int | float)
        node.value = node.value * 1.1 if isinstance(node.value, float) and node.value else node.value + 1
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Call):
        node.func = ast.Name("_unrooted", ast.Load())
        tree.body.append(ast.parse("def _unrooted(value, **_):\n    return value").body[0])
    return ast.unparse(node)


@click.command()
@click.option("--count", default=160, show_default=True, help="How many mutants, drawn from all.")
@click.option("--seed", default=0, show_default=True)
@click.option("--of", "part", default="", help="Only modules whose path contains this.")
def main(count: int, seed: int, part: str) -> None:
    """Draw mutants, run their tests, print the survivors and the score."""
    drawn = _draw(count, seed, part)
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "src"
        shutil.copytree("src", copy)
        for path in dict.fromkeys(mutant.path for mutant in drawn):
            if any(_fails(words, copy) for words in _tests_of(path)):
                raise click.ClickException(f"the tests of {path} fail, or are none, without any fault")
        survivors = [mutant for mutant in drawn if not _report(mutant, _is_killed(mutant, copy))]
    killed = len(drawn) - len(survivors)
    click.echo(f"{killed} of {len(drawn)} mutants killed ({killed / max(1, len(drawn)):.0%})")


def _draw(count: int, seed: int, part: str) -> list[Mutant]:
    """As many of every folder, so that a large one does not crowd the others out."""
    rng, drawn = random.Random(seed), []
    folders = [
        [mutant for path in _modules(Path(root)) if part in str(path) for mutant in mutants_of(path)]
        for root in SOURCES
    ]
    folders = [every for every in folders if every]
    for every in folders:
        drawn += rng.sample(every, min(len(every), -(-count // len(folders))))
    return drawn


def _modules(root: Path) -> list[Path]:
    single = root.with_suffix(".py")
    return [single] if single.exists() else sorted(one for one in root.glob("*.py") if one.stem != "__init__")


def _tests_of(path: Path) -> list[list[str]]:
    """The arguments of pytest, one list for each run."""
    root = next(root for root in SOURCES if str(path).startswith(root))
    words = [pattern.format(name=path.stem).split() for pattern in SOURCES[root]]
    return [one for one in words if Path(one[0]).exists()]


def _is_killed(mutant: Mutant, copy: Path) -> bool:
    """Run the tests in a child on a copy of the sources."""
    place = copy / mutant.path.relative_to("src")
    original = place.read_text(encoding="utf-8")
    place.write_text(mutant.text, encoding="utf-8")
    try:
        return any(_fails(words, copy) for words in [*_tests_of(mutant.path), [str(place), *FROM_HERE]])
    finally:
        place.write_text(original, encoding="utf-8")


def _fails(words: list[str], copy: Path) -> bool:
    import pytest

    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(copy))
        os._exit(int(pytest.main([*words, "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"])))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) not in (0, 5)


def _report(mutant: Mutant, is_killed: bool) -> bool:
    word = "killed  " if is_killed else "SURVIVED"
    click.echo(f"{word} {mutant.path}:{mutant.line}: {mutant.change}"[:200])
    return is_killed


if __name__ == "__main__":
    main()
