"""Run the notebooks and write what they show: `python -m docs.run_notebooks` (`--check` only compares).

A cell shows its last expression, as in Jupyter: as HTML where it has some, and as text.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def run_notebook(path: Path, folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run one after another in an empty folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for number, cell in enumerate(_list_code(notebook), 1):
            cell["execution_count"] = number
            cell["outputs"] = _run_cell("".join(cell["source"]), names, number)
    return notebook


def to_text(notebook: dict[str, Any]) -> str:
    """The notebook as its file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _list_code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run_cell(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None:
        tree.body.pop()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if said.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": said.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": value._repr_html_().splitlines(keepends=True), "text/plain": [type(value).__name__]}
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def main() -> None:
    """Write the notebooks, or name those that would change."""
    stale = []
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            text = to_text(run_notebook(path, Path(folder)))
        if text != path.read_text(encoding="utf-8"):
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"{', '.join(stale)}: run python -m docs.run_notebooks")
    print(os.linesep.join(stale) or "nothing changed")


if __name__ == "__main__":
    main()
