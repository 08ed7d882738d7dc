"""A solution with its split written out: it reads as the same solution, whatever its columns are."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import load_competition, solution_digest
from ladderboard.competition.rules.toml_edit import set_values
from ladderboard.competition.solution.solution_text import GROUP, USAGE, WEIGHT, write_solution
from tests.competition.folders import write_folder

DRAWN = 'public_share = 0.4\nsplit_seed = "0123456789abcdef"\n'


@pytest.mark.parametrize("metric", ["accuracy", "rmse", "auc"])
@pytest.mark.parametrize("columns", ["", "weight", "group", "weight group"])
def test_it_reads_as_the_same_solution(metric: str, columns: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    labels: dict[str, list[str]] = {
        "accuracy": [str(one) for one in rng.choice(["a", "b, c", 'd "e"'], 120)],
        "rmse": [repr(float(one)) for one in rng.normal(size=120)],
        "auc": [str(one) for one in rng.integers(2, size=120)],
    }
    rows = [[str(i), _quote(labels[metric][i]), repr(float(rng.random())), f"patient {i // 6}"] for i in range(120)]
    table = ["id,label,weight,group", *(",".join(row) for row in rows)]
    settings = '\n[solution]\nid = "id"\nlabel = "label"\n' + "".join(f'{one} = "{one}"\n' for one in columns.split())
    toml = f'title = "Whales"\nslug = "whales"\nmetric = "{metric}"\n{settings}{DRAWN}'
    drawn = load_competition(write_folder(tmp_path / "drawn", toml, "\n".join(table)))
    edits = {
        ("solution", "usage"): USAGE,
        ("solution", "weight"): WEIGHT if "weight" in columns else None,
        ("solution", "group"): GROUP if "group" in columns else None,
        ("solution", "public_share"): None,
        ("solution", "split_seed"): None,
    }
    written = write_folder(tmp_path / "written", set_values(toml, edits), write_solution(drawn.solution))
    assert solution_digest(load_competition(written)) == solution_digest(drawn)


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
