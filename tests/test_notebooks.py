"""The notebooks show what they show when they are run, and their links lead somewhere."""

import json
import re
from pathlib import Path

import pytest

from docs.run_notebooks import NOTEBOOKS, run_notebook, to_text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_shows_when_it_is_run(path: Path, tmp_path: Path) -> None:
    assert to_text(run_notebook(path, tmp_path)) == path.read_text(encoding="utf-8"), "run python -m docs.run_notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebooks_links_lead_to_files(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "".join(line for cell in cells if cell["cell_type"] == "markdown" for line in cell["source"])
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_a_cell_that_says_something_else_is_found(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "id": "c0", "metadata": {}, "source": ["1 + 1"], "execution_count": 1, "outputs": []}
    (tmp_path / "one.ipynb").write_text(json.dumps({"cells": [cell]}))
    (output,) = run_notebook(tmp_path / "one.ipynb", tmp_path)["cells"][0]["outputs"]
    assert output["data"] == {"text/plain": ["2"]}
