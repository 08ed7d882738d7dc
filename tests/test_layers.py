"""The contracts of import-linter that list packages or libraries list all of them, new ones too."""

import os
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from tests.test_dependencies import imports_of

ROOT = Path(__file__).parent.parent
PACKAGES = {f"ladderboard.{path.parent.name}" for path in (ROOT / "src" / "ladderboard").glob("*/__init__.py")}


def contract(start: str) -> dict[str, list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    found: dict[str, list[str]] = next(one for one in contracts if one["name"].startswith(start))
    return found


def test_every_package_has_its_layer() -> None:
    layers = " ".join(contract("A package imports only downwards")["layers"])
    assert {f"ladderboard.{name}" for name in layers.replace("|", " ").replace("(", "").replace(")", "").split()} == (
        PACKAGES
    )


def test_the_statistical_core_is_kept_to_numpy_and_scipy() -> None:
    libraries = {package for path in (ROOT / "src").rglob("*.py") for _, package in imports_of(path)}
    named = contract("The statistical core knows no library")["forbidden_modules"]
    assert set(named) == libraries - {"numpy", "scipy"} | {"sqlite3"}


def test_every_module_with_addresses_is_kept_from_the_database() -> None:
    source = ROOT / "src"
    routed = {
        ".".join(path.relative_to(source).with_suffix("").parts)
        for path in (source / "ladderboard" / "server").rglob("*.py")
        if " = APIRouter(" in path.read_text()
    }
    patterns = contract("Commands, the demo, the client, addresses and pages")["source_modules"]
    assert len(routed) > 20
    assert {
        name for name in routed if not any(fnmatch(name, one) or fnmatch(name, f"{one}.*") for one in patterns)
    } == set()


def test_the_sql_of_a_feature_is_its_own(tmp_path: Path) -> None:
    for path, text in {
        "shop/cars/sql/rows.py": "",
        "shop/cars/rules.py": "from shop.cars.sql import rows",
        "shop/cartons/rules.py": "import shop.cars.sql.rows",
        "shop/till.py": "import shop.cars.sql",
    }.items():
        for folder in (tmp_path / path).parents:
            if tmp_path in folder.parents and not (folder / "__init__.py").exists():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "__init__.py").touch()
        (tmp_path / path).write_text(text)
    rule = "[[tool.importlinter.contracts]]\nname = 'own'\ntype = 'private'\nprivate_modules = ['shop.*.sql']\n"
    kinds = "contract_types = ['private: scripts.private_modules.PrivateContract']"
    (tmp_path / "pyproject.toml").write_text(f"[tool.importlinter]\nroot_package = 'shop'\n{kinds}\n{rule}")
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert [line for line in found.stdout.splitlines() if " imports " in line] == [
        "shop.cartons.rules imports shop.cars.sql.rows",
        "shop.till imports shop.cars.sql",
    ]
