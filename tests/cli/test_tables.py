"""Every command that takes a table takes it in every way in which a file may hold it, with the same result."""

import json
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from tests.tabular.wrappings import wrapped

RNG = np.random.default_rng(8)
N = 600
LABELS = RNG.integers(0, 2, N)
MATRIX = {name: np.round(np.abs(RNG.normal(mean, 1, N)), 3) for name, mean in (("ours", 0.5), ("theirs", 1.5))}
DAYS = [f"2024-01-{day:02d}" for day in range(1, 9)]
SCORES = [0.61, 0.6, 0.64, 0.7, 0.69, 0.75, 0.71, 0.8]
TABLES = {
    "labels.csv": pl.DataFrame({"id": range(N), "label": LABELS}),
    "numbers.csv": pl.DataFrame({"id": range(N), "label": np.round(RNG.normal(size=N), 3)}),
    "predictions.csv": pl.DataFrame({"id": range(N), "p": np.where(RNG.random(N) < 0.2, 1 - LABELS, LABELS)}),
    "matrix.csv": pl.DataFrame({"item_id": [f"q {row}" for row in range(N)], **MATRIX}),
    "answers.csv": pl.DataFrame(
        {"y": LABELS, "a": LABELS ^ (RNG.random(N) < 0.1), "b": LABELS ^ (RNG.random(N) < 0.4)}
    ),
    "board.csv": pl.DataFrame({"team": [f"t{row}" for row in range(8)], "day": DAYS, "score": SCORES}),
    "solution.csv": pl.DataFrame({"id": range(N), "label": LABELS, "Usage": ["Public", "Private", "Private"] * 200}),
    "submissions/index.csv": pl.DataFrame({"file": ["0.csv", "1.csv"], "team": ["a", "b"], "time": [1, 2]}),
    "submissions/0.csv": pl.DataFrame({"id": range(N), "prediction": np.round(RNG.random(N), 3)}),
    "submissions/1.csv": pl.DataFrame({"id": range(N), "prediction": np.round(RNG.random(N) + LABELS, 3)}),
}
WAYS = ("semicolons", "decimal commas", "tabs", "byte-order mark", "CR LF", "gzip", "zip", "parquet")
PREDICTIONS = ("--kind", "predictions", "--labels-column", "y")
COMMANDS: dict[str, tuple[object, ...]] = {
    "holdout init": ("holdout", "init", "labels.csv", "--to", "new.db", "--seed", 3),
    "holdout init, numbers": ("holdout", "init", "numbers.csv", "--metric", "mae", "--to", "new.db", "--seed", 3),
    "holdout score": ("holdout", "score", "holdout.db", "--labels", "labels.csv", "predictions.csv", "--json"),
    "plan": ("plan", "labels.csv", "--no-attacks", "--json"),
    "plan, numbers": ("plan", "numbers.csv", "--metric", "mse", "--no-attacks", "--json"),
    "ranks": ("ranks", "matrix.csv", "--kind", "losses", "--json"),
    "ranks, predictions": ("ranks", "answers.csv", *PREDICTIONS, "--json"),
    "winner": ("winner", "matrix.csv", "--kind", "losses", "--json"),
    "sota, losses": ("sota", "--losses", "answers.csv", *PREDICTIONS, "--replicates", 200, "--json"),
    "sota, board": ("sota", "--accuracies", "board.csv", "--column", "score", "--test-size", 500, "--json"),
    "audit-records": ("audit-records", "matrix.csv", "--kind", "losses", "--json"),
    "audit-records, board": (
        *("audit-records", "--scores", "board.csv", "--score-column", "score", "--team-column", "team"),
        *("--order-column", "day", "--test-size", 500, "--json"),
    ),
    "replay": ("replay", "solution.csv", "submissions", "--metric", "auc", "--json"),
    "new": ("new", "competition", "--solution", "solution.csv", "--title", "T"),
}


def result(command: Sequence[object], folder: Path, write: Callable[[pl.DataFrame], bytes]) -> tuple[int, str]:
    """What a command answers in an empty folder, with tables that are written so."""
    runner = CliRunner()
    with chdir(folder):
        Path("submissions").mkdir()
        for name, table in TABLES.items():
            Path(name).write_bytes(write(table))
        if "holdout.db" in command:
            made = runner.invoke(cli, ["holdout", "init", "labels.csv", "--to", "holdout.db", "--seed", "3"])
            assert made.exit_code == 0, made.output
        found = runner.invoke(cli, [str(argument) for argument in command])
        return found.exit_code, found.output


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What every command answers to comma-separated files."""
    found = {
        name: result(command, tmp_path_factory.mktemp("plain"), lambda table: table.write_csv().encode())
        for name, command in COMMANDS.items()
    }
    assert {code for code, _ in found.values()} == {0}, found
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_the_same_however_its_table_is_written(
    plain: dict[str, tuple[int, str]], tmp_path: Path, name: str, way: str
) -> None:
    assert result(COMMANDS[name], tmp_path, lambda table: wrapped(table, way)) == plain[name]


AMBIGUOUS = "table.csv, line 1: the first line can be divided at its commas and at its semicolons"
HIDDEN = "table.csv, line 1: the first line names one column"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id;price, EUR\n1;0,5\n2;0,7\n", AMBIGUOUS),
        ('"id;label"\n"1;0"\n"2;1"\n', HIDDEN),
        ("id label\n1 0\n2 1\n", "table.csv, line 1: the columns seem to be divided at blanks; divide them at commas"),
        ("id:label\n1:0\n2:1\n", "table.csv, line 1: the columns seem to be divided at colons"),
        ("id,label\n1,0\n2,1,1\n", "table.csv, line 3: the row has 3 cells, but the header has 2 columns"),
        ('id,label\n1,0\n2,"1"x\n', "table.csv, line 3: text follows a closing quotation mark"),
        ("id,label\n1,0\n2,\n", "table.csv, line 3, column 'label': the cell is empty"),
        ("label\n1\n\n0\n", "table.csv, line 3, column 'label': the cell is empty"),
        ("id,label\n1,0\n2,NA\n", "table.csv, line 3, column 'label': 'NA' among numbers; leave the cell empty"),
    ],
)
@pytest.mark.parametrize("command", [("plan",), ("holdout", "init", "--to", "new.db")], ids=["plan", "holdout init"])
def test_what_could_be_misread_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], text: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(text)
    found = CliRunner().invoke(cli, [*command, "table.csv"])
    assert found.exit_code == 2
    assert found.output.startswith(f"Error: {sentence}"), found.output
    assert len(found.output.splitlines()) == 1


def test_an_index_that_pandas_added_is_no_system(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(",a,b\n0,1,0\n1,0,1\n2,1,1\n3,0,1\n")
    found = CliRunner().invoke(cli, ["ranks", str(tmp_path / "m.csv"), "--kind", "correct", "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert {row["system"] for row in told["systems"]} == {"a", "b"}
    assert "left out 1 column (without a name): it counts the rows" in told["notes"]
