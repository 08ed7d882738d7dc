"""A solution that is packed and unpacked: the same to the last bit, also with a metric of its own."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import load_competition, pack_solution, solution_digest, unpack_solution
from ladderboard.tabular import SubmissionFormat

METRIC = "def score(labels, predictions):\n    return float((labels == predictions).mean())\n"
USAGE = ("Public", "Private", "Public", "Private", "Ignored")
ITS_OWN = '[metric]\nfile = "metric.py"\nlower_is_better = false\nbounds = [0, 1]\ntakes = "classes"'
DRAWN = '[solution]\npublic_share = 0.5\nsplit_seed = "s"\npredictions = ["guess"]'
FOLDERS = {
    "classes": ('metric = "accuracy"', "id,label,Usage", "row-{i},{animal},{usage}"),
    "weights": ('metric = "rmse"\n[solution]\nweight = "w"', "id,y,w,Usage", "{i},{number},{weight},{usage}"),
    "groups": ('metric = "auc"\n[solution]\ngroup = "g"', "id,label,g,Usage", "{i},{bit},p{group},{by_group}"),
    "its own metric": (ITS_OWN, "id,label,Usage", "{i},{bit},{usage}"),
    "a split that is drawn": (f'metric = "accuracy"\n{DRAWN}', "id,label", "{i},{bit}"),
}


def write_rows(row: str) -> list[str]:
    return [
        row.format(
            i=i,
            animal=("cat", "dog", "owl")[i * i % 3],
            number=(i * 0.1) ** 7,
            bit=i * i // 3 % 2,
            weight=1 + i % 3,
            group=i // 4,
            usage=USAGE[i % 5],
            by_group=USAGE[i // 4 % 2],
        )
        for i in range(1, 201)
    ]


def shape(form: SubmissionFormat) -> dict[str, object]:
    return {field.name: getattr(form, field.name) for field in fields(form) if field.name != "ids"}


@pytest.mark.parametrize("kind", FOLDERS)
def test_what_is_kept_is_what_was_committed_to(tmp_path: Path, kind: str) -> None:
    rules, head, row = FOLDERS[kind]
    (tmp_path / "competition.toml").write_text(f'title = "T"\nslug = "pets"\nmechanism = "witness_ladder"\n{rules}\n')
    (tmp_path / "solution.csv").write_text("\n".join([head, *write_rows(row)]) + "\n")
    (tmp_path / "metric.py").write_text(METRIC)
    given = load_competition(tmp_path)
    content = pack_solution(given)
    (tmp_path / "metric.py").write_text("this is no metric")
    kept = unpack_solution(content, folder=tmp_path, description=given.description)
    assert solution_digest(kept) == solution_digest(given)
    assert (kept.rules, kept.solution_settings) == (given.rules, given.solution_settings)
    assert np.array_equal(kept.format.ids, given.format.ids)
    assert shape(kept.format) == shape(given.format)
    assert kept.public.yardstick == given.public.yardstick
