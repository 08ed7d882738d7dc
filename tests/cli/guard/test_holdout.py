import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.guard.holdout import Holdout
from tests.guard.guards import labels_of, with_errors

LABELS = labels_of()
IDS = [f"item-{number}" for number in range(len(LABELS))]

pytestmark = pytest.mark.usefixtures("in_tmp")


@pytest.fixture
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def refusal(*arguments: object) -> str:
    """The one sentence on stderr of a command that must fail with exit code 2."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0].removeprefix("Error: ")


def write_csv(name: str, values: npt.ArrayLike, *, ids: Sequence[object] = IDS, column: str = "y") -> None:
    pl.DataFrame({"id": ids, column: np.asarray(values)}).write_csv(name)


@pytest.fixture
def guard(in_tmp: None) -> None:  # noqa: ARG001 (the directory to write into)
    """A guard of labels with ids."""
    write_csv("labels.csv", LABELS)
    result = run("holdout", "init", "labels.csv", "--id", "id", "--to", "holdout.db", "--seed", 3)
    assert result.exit_code == 0, result.output


def score(predictions: str, *options: object, labels: str = "labels.csv") -> Result:
    return run("holdout", "score", "holdout.db", "--labels", labels, predictions, *options)


# -- the way it is used ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("guard")
def test_improved_is_exit_code_0_and_not_improved_3() -> None:
    write_csv("good.csv", with_errors(LABELS, 120), column="p")
    write_csv("no_better.csv", with_errors(LABELS, 119), column="p")
    better, same = score("good.csv"), score("no_better.csv")
    assert (better.exit_code, same.exit_code) == (0, 3)
    assert better.stdout.startswith("Improved: Score 0.")
    assert "Proven better than the baseline.\nOn the board: error_rate 0." in better.stdout
    assert re.match(r"No change: Your score stays 0\.\d+ \(attempt 1\)\. The score of a file that is not", same.stdout)
    for told in (better, same):
        assert re.search(
            r"\nOn this test set, a gain of about 0\.\d+ is usually shown, one of about 0\.\d+ usually proven\.\n$",
            told.stdout,
        )
    assert better.stderr == same.stderr == ""


@pytest.mark.usefixtures("guard")
def test_the_same_predictions_again_are_called_a_repetition_with_the_board_of_today() -> None:
    write_csv("old.csv", with_errors(LABELS, 200), column="p")
    write_csv("good.csv", with_errors(LABELS, 60), column="p")
    score("old.csv")
    board = score("good.csv").stdout.splitlines()[1].split()[4]
    repeated = score("old.csv")
    again = repeated.stdout
    assert repeated.exit_code == 3
    assert again.startswith("No change: This repeats attempt 1: the same predictions, so no attempt was used. Your ")
    assert [board in line for line in again.splitlines()] == [True, True, False]
    proven = score("good.csv")
    assert proven.exit_code == 0
    assert proven.stdout.startswith("Improved: This repeats attempt 2")
    assert "Attempt 2 is your proven entry." in proven.stdout


@pytest.mark.usefixtures("guard")
def test_the_shell_and_python_share_one_guard() -> None:
    write_csv("good.csv", with_errors(LABELS, 120), column="p")
    told = json.loads(score("good.csv", "--json").stdout)
    with Holdout(LABELS, path="holdout.db") as holdout:
        release = holdout.score(with_errors(LABELS, 120))
        assert holdout.attempts == 1
    assert {name: told[name] for name in ("value", "board_value", "accepted", "improved", "attempt")} == {
        "value": release.value,
        "board_value": release.board_value,
        "accepted": True,
        "improved": True,
        "attempt": 1,
    }
    assert told["leakage"]["bits"] > 0


@pytest.mark.usefixtures("guard")
def test_rows_are_matched_by_id_in_any_order() -> None:
    order = np.random.default_rng(0).permutation(len(LABELS))
    good = with_errors(LABELS, 120)
    write_csv("shuffled.csv", good[order], ids=[IDS[row] for row in order], column="p")
    np.save("in_order.npy", good)
    first, again = score("shuffled.csv").stdout.splitlines(), score("in_order.npy").stdout.splitlines()
    assert "This repeats attempt 1" in again[0]
    assert first[1:] == again[1:]
    assert json.loads(run("holdout", "status", "holdout.db", "--json").stdout)["attempts"] == 1


def test_a_column_called_id_names_the_items_without_being_told() -> None:
    write_csv("labels.csv", LABELS)
    assert run("holdout", "init", "labels.csv", "--to", "holdout.db", "--seed", 3).exit_code == 0
    shuffled = np.random.default_rng(1).permutation(len(LABELS))
    write_csv("predictions.csv", LABELS[shuffled], ids=[IDS[row] for row in shuffled])
    assert score("predictions.csv").exit_code == 0


@pytest.mark.usefixtures("guard")
def test_a_row_that_is_refused_is_named_as_the_file_has_it() -> None:
    order = np.random.default_rng(0).permutation(len(LABELS))
    values = np.where(order == 5, 7, LABELS[order])
    write_csv("shuffled.csv", values, ids=[IDS[row] for row in order])
    np.save("in_order.npy", np.where(np.arange(len(LABELS)) == 5, 7, LABELS))
    asked = ("holdout", "score", "holdout.db", "--labels", "labels.csv")
    assert refusal(*asked, "shuffled.csv").startswith(f"shuffled.csv, id {IDS[5]}: prediction 7 is not one of")
    assert refusal(*asked, "in_order.npy").startswith("in_order.npy, row 6: prediction 7 is not one of")
    np.save("labels.npy", np.where(np.arange(20) == 3, np.nan, 1.0))
    assert refusal("holdout", "init", "labels.npy", "--metric", "mse", "--to", "new.db").startswith(
        "labels.npy, row 4: label nan is not a finite number"
    )


@pytest.mark.usefixtures("guard")
def test_a_word_among_numbers_is_named_with_its_line() -> None:
    write_csv("predictions.csv", ["maybe" if row == 7 else str(value) for row, value in enumerate(LABELS)])
    assert refusal("holdout", "score", "holdout.db", "--labels", "labels.csv", "predictions.csv") == (
        "predictions.csv, line 9, column 'y': 'maybe' is not a number"
    )


@pytest.mark.usefixtures("guard")
def test_status_needs_no_labels() -> None:
    for errors in (200, 100, 99, 10):
        np.save("p.npy", with_errors(LABELS, errors))
        score("p.npy")
    Path("labels.csv").unlink()
    lines = run("holdout", "status", "holdout.db").stdout.splitlines()
    assert lines[0] == "error_rate (lower is better) on 600 items with ids, guarded by witness_ladder"
    assert re.match(r"4 attempts, 3 accepted; score shown 0\.0\d+ \(attempt 4\); last improved: attempt \d", lines[1])
    assert lines[2].startswith("On this test set, a gain of about 0.0")
    assert lines[3].startswith("Information released: at most ")
    assert lines[-1].strip() == "score on the board over 4 attempts"
    assert any("⠤" <= character <= "⣿" for line in lines for character in line)
    status = json.loads(run("holdout", "status", "holdout.db", "--json").stdout)
    assert [release["attempt"] for release in status["history"]] == [1, 2, 3, 4]
    assert (status["attempts"], status["accepts"], status["has_ids"]) == (4, 3, True)
    assert status["board_value"] == status["history"][-1]["board_value"]
    with Holdout(LABELS, path="holdout.db") as holdout:
        assert status["leakage"]["bits"] == holdout.leakage.bits
        assert (status["shown_gain"], status["proven_gain"]) == (holdout.gains.shown, holdout.gains.proven)


def test_status_of_a_noisy_mechanism_and_of_an_unbounded_metric() -> None:
    np.save("labels.npy", np.random.default_rng(0).uniform(size=600))
    run(
        "holdout",
        "init",
        "labels.npy",
        "--metric",
        "mse",
        "--mechanism",
        "ladder",
        "--set",
        "step_size=0.01",
        "--to",
        "a.db",
    )
    assert run("holdout", "status", "a.db").stdout.splitlines()[-1] == "Information released: at most 0.0 bits"


def test_weights_groups_and_several_columns_are_remembered() -> None:
    table = pl.DataFrame(
        {
            "id": IDS,
            "time": 1.0 + np.arange(600) % 97,
            "event": np.ones(600),
            "w": 1.0 + np.arange(600) % 3,
            "patient": np.arange(600) // 2,
        }
    )
    table.write_parquet("labels.parquet")
    made = run(
        *("holdout", "init", "labels.parquet", "--metric", "c_index", "--column", "time", "--column", "event"),
        *("--id", "id", "--weight", "w", "--group", "patient", "--to", "holdout.db"),
    )
    assert made.exit_code == 0, made.output
    write_csv("risk.csv", -table["time"].to_numpy(), column="risk")
    assert score("risk.csv", labels="labels.parquet").exit_code == 0


def test_parameters_of_a_mechanism_are_numbers_or_text() -> None:
    np.save("labels.npy", LABELS)
    run("holdout", "init", "labels.npy", "--mechanism", "ladder", "--set", "step_size=0.25", "--to", "holdout.db")
    with Holdout(LABELS, path="holdout.db") as holdout:
        assert holdout.mechanism.parameters()["step_size"] == 0.25
    assert "write it as name=value" in refusal("holdout", "init", "labels.npy", "--set", "alpha", "--to", "b.db")
    assert "given: beta" in refusal("holdout", "init", "labels.npy", "--set", "beta=1", "--to", "b.db")
    assert not Path("b.db").exists()


def test_a_small_holdout_is_warned_about_on_stderr() -> None:
    np.save("labels.npy", LABELS[:100])
    made = run("holdout", "init", "labels.npy", "--to", "holdout.db")
    assert made.exit_code == 0
    assert made.stderr.startswith("Warning: a holdout of 100 is small")


def test_a_training_score_is_passed_on() -> None:
    np.save("labels.npy", LABELS)
    run("holdout", "init", "labels.npy", "--mechanism", "thresholdout", "--to", "holdout.db", "--seed", 1)
    np.save("p.npy", with_errors(LABELS, 120))
    told = json.loads(score("p.npy", "--training-score", 0.2001, "--json", labels="labels.npy").stdout)
    assert told["value"] == pytest.approx(0.2001)


def test_a_spent_holdout_is_exit_code_4() -> None:
    np.save("labels.npy", LABELS)
    made = ("holdout", "init", "labels.npy", "--to", "holdout.db", "--seed", 1)
    run(*made, "--mechanism", "thresholdout", "--set", "budget=1")
    for errors, exit_code in {120: 0, 110: 4}.items():
        np.save("p.npy", with_errors(LABELS, errors))
        # A training score this far off uses up the only answer that the budget has.
        result = score("p.npy", "--training-score", 0.95, labels="labels.npy")
        assert result.exit_code == exit_code, result.output
    assert "budget of thresholdout is used up" in result.stderr
    assert result.stdout == ""


# -- metrics of one's own --------------------------------------------------------------------------------------------

MINE = """
from ladderboard.metrics.custom import metric_from_function

def cost(labels, predictions):
    return float(abs(labels - predictions).mean())

def half(labels, predictions):
    return cost(labels, predictions) / 2

half_cost = metric_from_function(half, name="half_cost", lower_is_better=True, bounds=(0, 9))
number = 7
"""


def test_a_function_in_a_file_is_a_metric() -> None:
    Path("mine.py").write_text(MINE)
    labels = np.random.default_rng(0).uniform(size=600)
    np.save("labels.npy", labels)
    np.save("p.npy", labels + 0.01)
    init = ("holdout", "init", "labels.npy", "--metric", "mine.py:cost", "--to", "holdout.db")
    assert "--lower-is-better or --higher-is-better" in refusal(*init)
    assert run(*init, "--lower-is-better").exit_code == 0
    assert score("p.npy", labels="labels.npy").stdout.startswith("Improved: Score ")
    # The file is found from everywhere; after a move its place can be told.
    Path("mine.py").rename("moved.py")
    assert "there is no file" in refusal("holdout", "score", "holdout.db", "--labels", "labels.npy", "p.npy")
    assert score("p.npy", "--metric", "moved.py:cost", labels="labels.npy").exit_code == 0


def test_a_metric_object_in_a_file_knows_its_direction() -> None:
    Path("mine.py").write_text(MINE)
    np.save("labels.npy", np.random.default_rng(0).uniform(size=600))
    assert run("holdout", "init", "labels.npy", "--metric", "mine.py:half_cost", "--to", "holdout.db").exit_code == 0
    for name, problem in {
        "mine.py:number": "neither a metric nor a function",
        "mine.py:nothing": "defines no 'nothing'",
        "yours.py:cost": "there is no file",
        "acuracy": "did you mean accuracy",
    }.items():
        assert problem in refusal("holdout", "init", "labels.npy", "--metric", name, "--to", "other.db")
    Path("broken.py").write_text("1/0")
    assert "ZeroDivisionError" in refusal(
        "holdout", "init", "labels.npy", "--metric", "broken.py:x", "--to", "other.db"
    )


# -- what is refused, and costs nothing ------------------------------------------------------------------------------


@pytest.mark.usefixtures("guard")
def test_ids_that_are_missing_repeated_or_unknown_are_named() -> None:
    good = with_errors(LABELS, 120)
    write_csv("short.csv", good[:-2], ids=IDS[:-2])
    write_csv("repeated.csv", [*good, 0], ids=[*IDS, IDS[4]])
    write_csv("unknown.csv", [*good, 0], ids=[*IDS, "stranger"])
    write_csv("renamed.csv", good, ids=[f"row-{number}" for number in range(600)])

    def problem(name: str) -> str:
        return refusal("holdout", "score", "holdout.db", "--labels", "labels.csv", name)

    assert problem("short.csv") == "short.csv has no row for the ids item-598, item-599"
    assert problem("repeated.csv") == "repeated.csv has more than one row for the id item-4"
    assert problem("unknown.csv") == "unknown.csv has unexpected rows: the id stranger"
    many = problem("renamed.csv")
    assert many.endswith("item-19, … (600 in all)")
    assert json.loads(run("holdout", "status", "holdout.db", "--json").stdout)["attempts"] == 0


def test_whole_number_ids_match_whatever_their_spelling() -> None:
    write_csv("labels.csv", LABELS, ids=range(600))
    run("holdout", "init", "labels.csv", "--id", "id", "--to", "holdout.db")
    write_csv("text.csv", with_errors(LABELS, 120)[::-1], ids=[str(float(number)) for number in range(600)][::-1])
    assert score("text.csv").exit_code == 0


@pytest.mark.usefixtures("guard")
def test_other_labels_or_unreadable_files_are_one_sentence_and_exit_code_2() -> None:
    good = with_errors(LABELS, 120)
    write_csv("good.csv", good)
    write_csv("wrong.csv", 1 - LABELS)
    pl.DataFrame({"id": IDS, "a": good, "b": good}).write_csv("two.csv")
    pl.DataFrame({"id": IDS, "y": [None, *good[1:].tolist()]}).write_csv("empty.csv")
    pl.DataFrame({"id": IDS, "y": ["maybe", *map(str, good[1:])]}).write_csv("maybe.csv")
    Path("notes.txt").write_text("hello")
    Path("fake.npy").write_text("hello")
    Path("fake.parquet").write_text("PAR1 hello")
    np.save("pickled.npy", np.array([{}]), allow_pickle=True)
    asked = ("holdout", "score", "holdout.db", "--labels")
    for arguments, problem in {
        ("wrong.csv", "good.csv"): "was made with other labels",
        ("labels.csv", "two.csv"): "which column has the predictions? Say it with --column; there are: a, b",
        ("labels.csv", "empty.csv"): "empty.csv, line 2, column 'y': the cell is empty",
        ("labels.csv", "maybe.csv"): "maybe.csv, line 2, column 'y': 'maybe' is not a number",
        ("labels.csv", "no.csv"): "there is no file no.csv",
        ("labels.csv", "no.npy"): "there is no file no.npy",
        ("labels.csv", "notes.txt"): "notes.txt",
        ("labels.csv", "fake.npy"): "fake.npy is not a .npy file",
        ("labels.csv", "pickled.npy"): "pickled.npy is not a .npy file",
        ("labels.csv", "fake.parquet"): "the Parquet file ends too early",
        ("labels.csv", "good.csv", "--column", "q"): "has no column 'q'",
    }.items():
        assert problem in refusal(*asked, *arguments)
    assert "no named columns" in refusal("holdout", "init", "fake.npy", "--column", "y", "--to", "b.db")
    assert "there is no file no.db" in refusal("holdout", "status", "no.db")
    assert "not a guard's file" in refusal("holdout", "status", "labels.csv")
    assert "already exists" in refusal("holdout", "init", "labels.csv", "--to", "holdout.db")
    assert json.loads(run("holdout", "status", "holdout.db", "--json").stdout)["attempts"] == 0


@pytest.mark.usefixtures("guard")
def test_without_polars_tables_are_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv("good.csv", LABELS)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert "pip install '.[files]'" in refusal("holdout", "score", "holdout.db", "--labels", "labels.csv", "good.csv")


# -- the installed command -------------------------------------------------------------------------------------------


def installed(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [str(Path(sys.executable).with_name("ladderboard")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("guard")
def test_the_installed_command_keeps_to_the_exit_codes() -> None:
    np.save("good.npy", with_errors(LABELS, 120))
    asked = ("holdout", "score", "holdout.db", "--labels", "labels.csv")
    improved, bad, usage = installed(*asked, "good.npy"), installed(*asked, "no.npy"), installed(*asked)
    assert (improved.returncode, bad.returncode, usage.returncode) == (0, 2, 2)
    assert improved.stdout.startswith("Improved")
    assert bad.stderr == "Error: there is no file no.npy\n"
    assert "Traceback" not in bad.stderr + usage.stderr


@pytest.mark.parametrize(
    "command", [(), ("demo",), ("holdout",), *(("holdout", one) for one in ("init", "score", "status"))]
)
def test_every_command_has_help_with_an_example(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Example:\n" in result.stdout
    assert f"\n    ladderboard {' '.join(command)}".rstrip() in result.stdout


def test_the_help_imports_neither_numpy_nor_rich() -> None:
    code = (
        "import sys; from ladderboard.cli.main import cli; cli(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "rich", "polars", "sqlite3", "ladderboard.guard.holdout"} & set(modules) == set()
    assert "click" in modules


# -- columns of classes ------------------------------------------------------------------------------------------------


def test_a_solution_with_a_column_for_each_class_and_its_probabilities_are_read_as_they_are() -> None:
    true = np.arange(600) * 7 // 5 % 3
    frame = {"id": np.arange(600), **{name: (true == place).astype(int) for place, name in enumerate("bca")}}
    pl.DataFrame(frame | {"Usage": ["Public", "Private"] * 300}).write_csv("labels.csv")
    made = run("holdout", "init", "labels.csv", "--metric", "log_loss", "--to", "holdout.db", "--seed", 3)
    assert made.exit_code == 0, made.output
    order = {"p_a": 2, "p_b": 0, "p_c": 1}  # the place of each class in the solution
    guess = {name: np.where(true == place, 0.8, 0.1) for name, place in order.items()}
    pl.DataFrame({"id": np.arange(600), **guess}).reverse().write_csv("right.csv")
    result = score("right.csv", "--json")
    assert (result.exit_code, json.loads(result.stdout)["value"]) == (0, pytest.approx(-np.log(0.8), rel=0.05))


def test_masks_and_several_labels_in_a_row_are_refused() -> None:
    pl.DataFrame({"id": [1, 2, 3], "rle": ["1 3", "4 4 9 1", "2 2"]}).write_csv("masks.csv")
    assert "the height and the width of each picture" in refusal("holdout", "init", "masks.csv", "--to", "holdout.db")
    pl.DataFrame({"id": [1, 2, 3], "a": [1, 1, 0], "b": [0, 1, 1]}).write_csv("several.csv")
    refused = refusal("holdout", "init", "several.csv", "--metric", "log_loss", "--to", "holdout.db")
    assert refused.startswith("several.csv, line 3: 2 columns are 1 among 'a', 'b'")
