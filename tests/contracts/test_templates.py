"""A metric, a mechanism, a reader and an attack are a file and the lines that list it: the contract suites do the rest.

Each is copied from `tests/contracts/templates` into a package outside the product, listed as CONTRIBUTING.md says, and
held to the suite of its kind by a pytest of its own. What breaks a promise fails there.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

TEMPLATES = Path(__file__).parent / "templates"
NAMES = {"metric": "huber_loss", "mechanism": "patient_ladder", "reader": "scorecards", "attack": "two_guesses"}
SUITES = (
    "tests/contracts/test_metrics.py",
    "tests/contracts/test_metric_traits.py",
    "tests/contracts/test_mechanisms.py",
    "tests/contracts/test_mechanism_traits.py",
    "tests/evals/readers/test_contract.py",
    "tests/lab/attacks/test_attacks.py",
)
CHOSEN = f"({' or '.join(NAMES.values())}) and not theory_page"
"""A mechanism's page of theory is in the repository or nowhere."""
BREAKS = {
    "metric": ("far - 0.5", "far - 0.4"),
    "mechanism": ("    tells_every_attempt: ClassVar[bool] = False\n", ""),
    "reader": ('*collect_left_out("file", unscored)', ""),
    "attack": ("min(2, budget)", "2"),
}


def test_templates_pass_the_suites_of_their_kinds(tmp_path: Path) -> None:
    passed, failed, told = run_suites(tmp_path)
    assert not failed, told
    assert set(passed) == set(NAMES), told


def test_what_breaks_a_promise_fails_the_suite_of_its_kind(tmp_path: Path) -> None:
    _, failed, told = run_suites(tmp_path, BREAKS)
    assert set(failed) == set(NAMES), told


def run_suites(
    folder: Path, breaks: Mapping[str, tuple[str, str]] | None = None
) -> tuple[Counter[str], Counter[str], str]:
    """How many tests of each kind passed and failed, and what was printed. ``breaks``: texts to replace by kind."""
    package, report = folder / "added", folder / "report.xml"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(TEMPLATES / "listing.py.txt", package / "listing.py")
    for kind in NAMES:
        text = (TEMPLATES / f"{kind}.py").read_text(encoding="utf-8")
        old, new = (breaks or {}).get(kind, ("", ""))
        assert old in text
        (package / f"{kind}.py").write_text(text.replace(old, new) if old else text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "added.listing", "-n", "0", "-k", CHOSEN, f"--junitxml={report}"]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    ran = subprocess.run([*command, *SUITES], env=environment, capture_output=True, text=True, check=False)
    assert report.is_file(), ran.stdout + ran.stderr
    return *_count(report), ran.stdout


def _count(report: Path) -> tuple[Counter[str], Counter[str]]:
    passed: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = [kind for kind, name in NAMES.items() if name in case.get("name", "")]
        has_failed = case.find("failure") is not None or case.find("error") is not None
        (failed if has_failed else passed).update(kinds)
    return passed, failed
