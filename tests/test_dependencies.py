"""What pyproject.toml requires against what the code imports: nothing missing, nothing left over."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE, LABORATORY = "src/ladderboard", "src/ladderboard_lab"
HOMES = {
    "core": (PACKAGE,),
    "files": (f"{PACKAGE}/tabular", f"{PACKAGE}/evals"),
    "client": (f"{PACKAGE}/client",),
    "server": (
        f"{PACKAGE}/server",
        f"{PACKAGE}/cli/host",
        f"{PACKAGE}/competition/description",
    ),
    "oidc": (f"{PACKAGE}/server/providers",),
    "demo": (f"{PACKAGE}/demo",),
    "lab": (LABORATORY, f"{PACKAGE}/figures"),
    "cluster": (LABORATORY, f"{PACKAGE}/server/jobs"),
    "kaggle": (f"{PACKAGE}/scoring",),
    "import": (f"{PACKAGE}/competition/importers",),
    "mcp": (f"{PACKAGE}/integrations",),
    "site": ("docs",),
    "dev": ("tests", "benchmarks", "scripts", "examples", "docs"),
}
"""Where what an extra requires is imported."""
CHOSEN = {
    "httptools": "uvicorn parses requests with it where it is installed",
    "uvloop": "uvicorn takes its event loop where it is installed",
    "psycopg": "SQLAlchemy imports it for addresses of PostgreSQL",
    "mkdocs-material": "is the theme of the site",
    "mkdocstrings": "MkDocs loads it as a plugin",
}
"""Required, and imported by another library."""
HOSTS = {
    "dspy": "runs an example of a loop, by `make adapters`",
    "lm-eval": "runs an example of a loop, by `make adapters`",
    "inspect-ai": "runs the hook that somebody registers with it",
    "mlflow": "loads our evaluator by its entry point",
    "pytest": "loads our plugin by its entry point",
    "pandas": "is imported only for objects of its own that a user gave",
}
"""Imported by the product only where they are already in use: nobody needs them for Ladderboard."""
TOOLS = {"ruff", "mypy", "import-linter", "uv", "pytest-randomly", "pytest-xdist", "slipcover", "oidc-provider-mock"}
"""Run by the Makefile, by pytest or by a test, as programs."""
OURS = {"ladderboard", "ladderboard_lab", *HOMES["dev"]}


def required() -> dict[str, set[str]]:
    """The distributions of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {"core": project["dependencies"], **project["optional-dependencies"]}
    return {extra: {name_of(line) for line in lines} - {"ladderboard"} for extra, lines in extras.items()}


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return normal(found[0])


def normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


@cache
def known_distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def imported_in(*folders: str) -> dict[str, str]:
    """The distributions that are imported there, each with a file that does."""
    distributions = known_distributions()
    return {
        normal(distribution): file
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        for file, package in imports_of(path)
        for distribution in distributions.get(package, [f"no distribution has {package}"])
    }


@cache
def imports_of(path: Path) -> tuple[tuple[str, str], ...]:
    return tuple(_imports_of(path))


def _imports_of(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for package in {name.partition(".")[0] for name in names}:
            if package not in sys.stdlib_module_names and package not in OURS:
                yield path.relative_to(ROOT).as_posix(), package


@pytest.mark.parametrize("extra", HOMES)
def test_what_an_extra_requires_is_imported_where_it_belongs(extra: str) -> None:
    left_over = required()[extra] - set(imported_in(*HOMES[extra])) - set(CHOSEN) - TOOLS
    assert left_over == set()


def test_every_extra_has_a_home() -> None:
    assert set(required()) - {"postgres", "bench"} == set(HOMES)
    assert required()["postgres"] <= set(CHOSEN)


def test_every_peer_is_compared_with() -> None:
    # By name, since benchmarks run without them too.
    text = "".join(path.read_text() for path in sorted((ROOT / "benchmarks").rglob("*.py")))
    assert {name for name in required()["bench"] if f'import_module("{name}' in text} == required()["bench"] != set()


def test_what_is_imported_is_required() -> None:
    known = required()
    for_users = set.union(*(names for extra, names in known.items() if extra != "dev"))
    hosts = {*HOSTS, *(f"no distribution has {name}" for name in HOSTS), "mlflow-skinny"}
    assert unknown(imported_in(PACKAGE, LABORATORY), for_users | hosts) == {}
    assert unknown(imported_in(*HOMES["dev"]), for_users | known["dev"] | hosts) == {}


def unknown(imported: dict[str, str], names: set[str]) -> dict[str, str]:
    return {distribution: file for distribution, file in imported.items() if distribution not in names}


@pytest.mark.parametrize("lock", ["bench", "demo", "dev", "server"])
def test_a_lock_has_a_hash_for_everything_and_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    pinned = re.findall(r"^(\S+)==\S+ .*\\\n    --hash=sha256:", text, flags=re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^\w", text, flags=re.MULTILINE))
    assert "://" not in text


def pins_of(lock: str) -> set[str]:
    return set(re.findall(r"^\S+==\S+", (ROOT / "requirements" / f"{lock}.lock").read_text(), flags=re.MULTILINE))


def test_the_peers_are_locked_with_the_versions_of_developers() -> None:
    more = {pin.partition("==")[0] for pin in pins_of("bench") - pins_of("dev")}
    assert required()["bench"] <= more
    assert more & {pin.partition("==")[0] for pin in pins_of("dev")} == set()


def test_the_demo_is_locked_without_the_tools_of_developers() -> None:
    pins = {lock: pins_of(lock) for lock in ("demo", "dev")}
    assert pins["demo"] < pins["dev"]
    names = {pin.partition("==")[0] for pin in pins["demo"]}
    extras = required()
    assert extras["core"] | extras["files"] | extras["client"] | extras["server"] | extras["demo"] <= names
    assert names & (extras["dev"] | extras["cluster"] | {"matplotlib", "pandas"}) == set()
