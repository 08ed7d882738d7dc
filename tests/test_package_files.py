"""The files that platforms read: they parse, and say what the package says."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from ladderboard.cli._shared.lazy_group import EXIT_CODES

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert PROJECT["description"].lower() in citation["title"].lower()
    assert {"cff-version", "message", "authors"} <= set(citation)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_of_issues_asks_for_what_is_needed(form: Path) -> None:
    known = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= set(known)
    ids = [field["id"] for field in known["body"]]
    assert len(set(ids)) == len(ids) > 1
    assert all(field["attributes"]["label"] for field in known["body"])
    assert any(field.get("validations", {}).get("required") for field in known["body"])


def test_the_page_for_agents_names_every_exit_code() -> None:
    text = (ROOT / "AGENTS.md").read_text().partition("Exit codes:")[2].partition("\n\n")[0]
    told = {int(code) for code in re.findall(r"(?:^|; )\s*(\d) ", text)}
    assert told == {0, 1, 3} | {code for _, code in EXIT_CODES}


def test_the_workflow_runs_what_the_readme_says_on_every_version_we_declare() -> None:
    [job] = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"].values()
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == declared
    assert {"run": "make test"} in job["steps"]
    assert "make test" in (ROOT / "README.md").read_text()
