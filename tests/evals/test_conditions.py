"""Seeds and prompts in names and columns: what is merged, and what is refused with which words."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ladderboard.analysis.compare import compare
from ladderboard.cli.main import cli
from ladderboard.core.errors import InputError, LadderboardError
from ladderboard.evals import LossMatrix, merge_named, read_results
from tests.evals.readers.written import write_lm_eval

HEAD = ["item", "system", "seed", "prompt", "correct"]


def write_long(path: Path, *, drop: tuple[object, ...] = (), items: int = 40) -> Path:
    """Two systems, three seeds of the first and two of the second, two prompts."""
    rng = np.random.default_rng(1)
    rows = [
        [f"q{item}", system, seed, prompt, int(rng.random() < 0.5)]
        for system, seeds in (("ours", (1, 2, 3)), ("base", (1, 2)))
        for seed in seeds
        for prompt in ("short", "long")
        for item in range(items)
        if (system, seed, prompt) != drop
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEAD, *rows])
    return path


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


def test_columns_of_a_long_table_name_seeds_and_prompts(tmp_path: Path) -> None:
    path = write_long(tmp_path / "scores.csv")
    results = read(path, kind="correct", seed_column="seed", prompt_column="prompt")
    assert results.systems == ("ours", "base")
    assert results.conditions is not None
    assert [table.shape for table in results.conditions.losses] == [(40, 3, 2), (40, 2, 2)]
    assert results.conditions.seeds == (("1", "2", "3"), ("1", "2"))
    assert results.conditions.prompts == ("short", "long")
    rows = [
        row for row in csv.DictReader(path.read_text().splitlines()) if row["system"] == "ours" and row["seed"] == "2"
    ]
    expected = [1 - int(row["correct"]) for row in rows if row["prompt"] == "long"]
    assert results.conditions.losses[0][:, 1, 1].tolist() == expected
    assert results.losses[:, 0] == pytest.approx(results.conditions.losses[0].mean(axis=(1, 2)))
    assert "40 items × 10 runs of systems (ours (seed 1, prompt short), " in results.notes[0]
    assert results.notes[-1].endswith(
        "10 columns are 2 systems (ours, base) with 2 to 3 seeds and the same 2 prompts; a score is the mean over them"
    )


def test_systems_are_chosen_by_their_own_names(tmp_path: Path) -> None:
    path = write_long(tmp_path / "scores.csv")
    named = {"kind": "correct", "seed_column": "seed", "prompt_column": "prompt"}
    assert read(path, **named, drop=["base"]).systems == ("ours",)
    assert read(path, **named, systems=["base"]).systems == ("base",)
    with pytest.raises(InputError, match="no system is called theirs"):
        read(path, **named, systems=["theirs"])


def test_selecting_and_taking_items_keeps_the_conditions(tmp_path: Path) -> None:
    results = read(write_long(tmp_path / "s.csv"), kind="correct", seed_column="seed", prompt_column="prompt")
    assert results.conditions is not None
    part = results.select(["base"]).take_items([3, 5])
    assert part.conditions is not None
    assert part.conditions.losses[0].tolist() == results.conditions.losses[1][[3, 5]].tolist()
    assert part.conditions.seeds == (("1", "2"),)


def test_names_of_a_wide_table_and_of_a_harness(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    names = ["ours-seed1", "ours-seed2", "base"]
    scores = (rng.random((30, 3)) < 0.5).astype(int)
    wide = tmp_path / "wide.csv"
    wide.write_text("\n".join(",".join(map(str, row)) for row in [names, *scores.tolist()]) + "\n")
    results = read(wide, kind="correct", names="{system}-seed{seed}")
    assert results.systems == ("ours", "base")
    assert results.losses[:, 0] == pytest.approx(1 - scores[:, :2].mean(axis=1))
    for name in ("a [short]", "a [long]", "b [short]", "b [long]"):
        write_lm_eval(tmp_path / "runs", name, {"acc": (1.0, 0.0, 1.0, float(name[0] == "a"))}, task="arc")
    results = read(tmp_path / "runs", names="{system} [{prompt}]")
    assert results.systems == ("a", "b")
    assert results.conditions is not None
    assert set(results.conditions.prompts) == {"short", "long"}


def test_a_field_ends_at_the_last_separator() -> None:
    runs = LossMatrix.of(np.eye(4), systems=["x-s-s1", "x-s-s2", "y-s1", "y-s2"])
    assert merge_named(runs, "{system}-s{seed}").systems == ("x-s", "y")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"names": "{system}"}, r"says how names are formed from \{system\}.*--names"),
        ({"names": "{system}{seed}"}, "with text between them"),
        ({"names": "{model}-{seed}"}, "such as '{system}-seed{seed}'"),
        ({"names": "{system}-{seed}", "seed_column": "seed"}, "say one of them"),
        ({"names": "{system}-x{seed}"}, "no system has two seeds or prompts; the names are ours, base"),
        ({"seed_column": "sed"}, "sed"),
    ],
)
def test_wrong_names_are_refused(tmp_path: Path, options: dict[str, str], words: str) -> None:
    path = write_long(tmp_path / "scores.csv")
    path.write_text("\n".join(line for line in path.read_text().splitlines() if "seed" in line or ",1,short," in line))
    with pytest.raises(LadderboardError, match=words):
        read(path, kind="correct", **options)


def test_a_run_that_is_missing_is_named(tmp_path: Path) -> None:
    path = write_long(tmp_path / "scores.csv", drop=("base", 2, "long"))
    with pytest.raises(InputError, match=r"'base' has no results of seed '2' with prompt 'long', .*--drop"):
        read(path, kind="correct", seed_column="seed", prompt_column="prompt")
    with pytest.raises(InputError, match="'other' is not of the form"):
        merge_named(LossMatrix.of(np.eye(3), systems=["a [x]", "a [y]", "other"]), "{system} [{prompt}]")


def test_columns_are_of_long_tables_alone(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    wide.write_text("a,b\n0,1\n1,0\n1,1\n")
    with pytest.raises(InputError, match=r"--names says how"):
        read(wide, kind="correct", seed_column="seed")
    write_lm_eval(tmp_path / "runs", "a", {"acc": (1.0, 0.0)}, task="arc")
    with pytest.raises(InputError, match=r"columns of a long table .*--names says how"):
        read(tmp_path / "runs", seed_column="seed")
    battles = tmp_path / "battles.csv"
    battles.write_text("item,a,b,winner\nq1,x,y,a\nq2,y,x,b\nq3,x,y,tie\n")
    with pytest.raises(InputError, match="--names says nothing"):
        read_results(battles, names="{system}-{seed}")


def test_the_commands_say_what_the_error_consists_of(tmp_path: Path) -> None:
    path = write_long(tmp_path / "scores.csv")
    given = [str(path), "--kind", "correct", "--seed-column", "seed", "--prompt-column", "prompt"]
    said = CliRunner().invoke(cli, ["ranks", *given])
    assert said.exit_code == 0, said.output
    assert "Variance of a typical score: " in said.output
    assert "another prompt moves a score by" in said.output
    report = json.loads(CliRunner().invoke(cli, ["ranks", *given, "--json"]).output)
    assert [source["name"] for source in report["variance"][0]["sources"]] == ["items", "seeds", "prompts", "answers"]
    said = CliRunner().invoke(cli, ["compare", *given[:1], "ours", "base", *given[1:]])
    assert "3 seeds of ours and 2 of base: part of the error." in said.output
    assert "2 prompts, the same for both: part of the error." in said.output
    page = tmp_path / "report.html"
    said = CliRunner().invoke(cli, ["report", *given, "--to", str(page)])
    assert said.exit_code == 0, said.output
    assert "Where the error comes from" in page.read_text()


def test_seeds_named_twice_are_refused() -> None:
    rng = np.random.default_rng(3)
    runs = LossMatrix.of(rng.random((20, 6)) < 0.5, systems=[f"{name}-s{seed}" for name in "abc" for seed in (1, 2)])
    with pytest.raises(InputError, match="named already"):
        compare(merge_named(runs, "{system}-s{seed}"), ["a", "b"], "c")
