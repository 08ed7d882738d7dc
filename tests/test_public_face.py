import ast
import re
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import ladderboard
import ladderboard as lb
from ladderboard.core import errors
from ladderboard.mechanisms import MECHANISMS


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("name", lb.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(lb, name) is not None


def test_the_list_of_names_is_sorted_without_repeats_and_shown_by_dir() -> None:
    assert len(set(lb.__all__)) == len(lb.__all__)
    assert set(lb.__all__) <= set(dir(lb))


STUB = Path(ladderboard.__path__[0]) / "__init__.pyi"


def test_the_types_and_the_lazy_names_are_the_same_list() -> None:
    """The stub is read by lines: what a type checker takes from it is what the package finds."""
    imports = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names}
    assert set(typed) | {"__version__"} == set(lb.__all__)
    for name, module in typed.items():
        assert module is not None
        assert getattr(lb, str(name)) is getattr(import_module(module), str(name))


def test_a_public_name_is_written_once() -> None:
    lines = re.findall(r"^from \S+ import (\w+) as (\w+)$", STUB.read_text(), flags=re.MULTILINE)
    assert all(name == exported for name, exported in lines)
    assert sorted(["__version__", *(name for name, _ in lines)]) == lb.__all__
    code = (STUB.with_suffix(".py")).read_text()
    assert {word for word in re.findall(r"\w+", code) if word in lb.__all__} == {"__version__"}


def test_the_wheel_has_the_list_of_names(tmp_path: Path) -> None:
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("ladderboard/__init__.pyi") == STUB.read_bytes()


def test_every_error_of_the_tree_is_public() -> None:
    tree = {
        name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, lb.LadderboardError)
    }
    assert tree <= set(lb.__all__)


def test_every_mechanism_is_public_under_its_class_name() -> None:
    assert all(getattr(lb, mechanism.__name__) is mechanism for mechanism in MECHANISMS.values())


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Holdouts'"):
        lb.Holdouts  # type: ignore[attr-defined]  # noqa: B018 (both say what is tested)
    with pytest.raises(ImportError):
        exec("from ladderboard import Holdouts")


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"numpy", "scipy", "click", "rich", "polars", "sklearn", "sqlite3", "importlib.metadata", "typing", "httpx"}
    assert modules_after("import ladderboard") & heavy == set()


def test_a_holdout_needs_neither_scipy_stats_nor_the_command_line() -> None:
    statement = "import ladderboard as lb; lb.Holdout([0, 1] * 300, path=':memory:').score([0] * 600)"
    assert modules_after(statement) & {"scipy.stats", "click", "rich", "polars", "sklearn", "matplotlib"} == set()


def test_a_mechanism_may_be_run_by_hand_or_given_as_name_class_or_object() -> None:
    labels, predictions = [0, 1] * 200, [0, 1] * 180 + [0, 0] * 20
    key = lb.AnswerKey(labels, lb.METRICS["accuracy"])
    candidate = lb.METRICS["accuracy"].evaluate(labels, predictions)
    mechanism = lb.MECHANISMS["full_disclosure"]()
    state = mechanism.start(key.baseline, np.random.default_rng(1))
    state, release = mechanism.step(state, candidate, key.baseline, np.random.default_rng(2))
    assert release.value == 0.95
    assert lb.State.from_json(state.to_json()) == state
    told = {
        lb.Leaderboard(labels, "accuracy", given).submit("us", predictions).value
        for given in ("full_disclosure", lb.FullDisclosure, lb.FullDisclosure())
    }
    assert told == {0.95}
