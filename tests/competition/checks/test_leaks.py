"""Downloads that tell labels or the split are refused; honest ones are not."""

import gzip
import zipfile
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest

from ladderboard.competition import inspect_folder
from tests.competition.folders import TOML, errors, inspect, labels, only, solution_csv, write_folder

REGRESSION = TOML.replace("accuracy", "rmse")


def csv(header: str, *columns: Iterable[object]) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))])


HONEST = {
    "a constant sample": csv("id,label", range(2000), [1] * 2000),
    "training data with other ids": csv("id,x,label", range(5000, 7000), range(2000), labels()),
    "features": csv("id,x", range(2000), [i % 7 for i in range(2000)]),
    "a feature that often agrees": csv("id,x", range(2000), [y if i % 4 else 1 - y for i, y in enumerate(labels())]),
    "text": "no table at all",
}
LEAKS = {
    "the solution itself": (solution_csv(), "this is the solution itself"),
    "Usage by id": (
        csv("id,usage", range(2000), ["Public"] * 2000),
        "column 'usage' reveals which rows of the solution are public",
    ),
    "labels by id": (
        csv("ID,label", range(2000), labels()),
        "column 'label' holds the labels of the solution (its column 'label')",
    ),
    "labels under another name, shuffled": (
        csv("id,x,hint", reversed(range(2000)), range(2000), reversed(labels())),
        "column 'hint' holds the labels",
    ),
    "labels of some rows": (csv("id,hint", range(50), labels()[:50]), "column 'hint' holds the labels"),
    "labels without ids": (csv("x,hint", range(2000), labels()), "column 'hint' holds the labels"),
    "nearly all labels": (
        csv("id,hint", range(2000), [y if i % 50 else 1 - y for i, y in enumerate(labels())]),
        "column 'hint' holds the labels",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_download_is_let_through(tmp_path: Path, name: str) -> None:
    found = inspect(tmp_path, sample_submission__csv=HONEST["a constant sample"], data__file__csv=HONEST[name])
    assert not found.findings


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_refused_in_a_clear_sentence(tmp_path: Path, name: str) -> None:
    content, sentence = LEAKS[name]
    found = only(inspect(tmp_path / "data", data__deep__csv=content))
    assert (found.file, found.is_warning) == ("data/deep.csv", False)
    assert found.message.startswith(sentence)
    assert found.message.endswith("participants can download this file. Remove it")
    (sample,) = errors(inspect(tmp_path / "sample", sample_submission__csv=content))
    assert sample.startswith("sample_submission.csv: ")


def test_a_leak_is_found_in_archives_gzip_parquet_and_sub_folders(tmp_path: Path) -> None:
    write_folder(tmp_path, data__deep__csv="x")
    leak, _ = LEAKS["labels by id"]
    (tmp_path / "data" / "sub").mkdir()
    (tmp_path / "data" / "sub" / "a.csv.gz").write_bytes(gzip.compress(leak.encode()))
    pl.read_csv(leak.encode()).write_parquet(tmp_path / "data" / "b.parquet")
    with zipfile.ZipFile(tmp_path / "data" / "c.zip", "w") as archive:
        archive.writestr("inner/d.csv", leak)
        archive.writestr("readme.txt", "nothing")
    assert [problem.split(": column")[0] for problem in errors(inspect_folder(tmp_path))] == [
        "data/b.parquet",
        "data/c.zip (inner/d.csv)",
        "data/sub/a.csv.gz",
    ]


def test_labels_that_are_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    numbers = [((i * 7919) % 1000) / 8 for i in range(2000)]
    usage = ["Public" if i * 37 % 101 % 2 else "Private" for i in range(2000)]
    solution = csv("id,label,Usage", range(2000), numbers, usage)
    rewritten = csv("id,y", range(2000), [f"{number:.6f}" for number in numbers])
    assert (
        "column 'y' holds the labels"
        in only(inspect(tmp_path / "a", REGRESSION, solution, data__t__csv=rewritten)).message
    )
    others = csv("id,y", range(2000), [f"{number + 1:.6f}" for number in numbers])
    assert not inspect(tmp_path / "b", REGRESSION, solution, data__t__csv=others).findings


def test_a_damaged_archive_is_mentioned(tmp_path: Path) -> None:
    write_folder(tmp_path, data__x__csv="x")
    (tmp_path / "data" / "c.zip").write_bytes(b"PK\x03\x04 not really")
    found = only(inspect_folder(tmp_path))
    assert found.is_warning
    assert "was not searched for labels" in found.message


def test_a_leak_is_found_though_the_solution_and_the_rules_are_wrong_too(tmp_path: Path) -> None:
    broken = solution_csv().replace("\n5,", "\n4,").replace("\n9,0", "\n9,").replace("\n9,1", "\n9,")
    found = errors(inspect(tmp_path, TOML.replace("accuracy", "acc"), broken, data__x__csv=LEAKS["labels by id"][0]))
    assert [problem.split(":")[0] for problem in found] == [
        "competition.toml",
        "data/x.csv",
        "solution.csv",
        "solution.csv",
    ]
