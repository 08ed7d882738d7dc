import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ladderboard.analysis.records_audit import audit_records, audit_scores
from ladderboard.cli.main import cli
from ladderboard.evals import read_board, read_loss_matrix
from tests.shared_data import shared_data

ERRORS = {"old": 200, "luck": 197, "worse": 260, "[leap]": 100}
"""How many of 500 items each system fails, in the order of time; those it fails are the first ones."""


LOSSES = ("--kind", "losses")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["audit-records", *(str(argument) for argument in arguments)])


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    path = tmp_path / "losses.csv"
    rng = np.random.default_rng(1)
    wrong = np.zeros((500, len(ERRORS)), dtype=int)
    for column, count in enumerate(ERRORS.values()):
        wrong[rng.permutation(500)[:count], column] = 1
    np.savetxt(path, wrong, fmt="%d", delimiter=",", header=",".join(ERRORS), comments="")
    return path


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.csv"
    path.write_text("name,day,accuracy\nb,2024-02-01,0.71\na,2024-01-01,0.50\nc,2024-03-01,0.70\nd,2024-04-01,0.72\n")
    return path


SCORES = ("--score-column", "accuracy", "--team-column", "name", "--order-column", "day")


def test_the_table_lists_the_claims_and_the_sentence_counts_them(losses: Path) -> None:
    result = run(losses, *LOSSES)
    assert result.exit_code == 0, result.output
    lines = result.output.split("\n\n", 1)[1].splitlines()
    assert lines[0].split() == ["record", "loss", "gain", "p", "p", "(Holm)", "real?", "accepted", "by"]
    rows = [line.split() for line in lines[1:3]]
    assert rows[0][:3] == ["luck", "0.3940", "0.0060"]
    assert rows[1][:3] == ["[leap]", "0.2000", "0.1940"]
    assert rows[0][5:] == ["no", "none"]
    assert rows[1][5:] == ["yes", "all"]
    assert lines[3] == (
        "2 records were claimed after the first entry; 1 of them can be told from luck (Holm, α = 0.05). Would have "
        "been accepted: by the parameter free ladder 1, the significance ladder 1, the spending ladder 1, the witness "
        "ladder 1."
    )


def test_json_says_what_the_library_says(losses: Path) -> None:
    report = json.loads(run(losses, *LOSSES, "--json", "--alpha", 0.01).output)
    audit = audit_records(read_loss_matrix(losses), alpha=0.01)
    assert (report["measure"], report["alpha"], report["claimed"], report["real"]) == ("loss", 0.01, 2, 1)
    for told, claim in zip(report["claims"], audit.claims, strict=True):
        assert (told["system"], told["score"], told["p_value"]) == (claim.system, claim.loss, claim.p_value)
        assert told["accepted_by"] == list(claim.accepted_by)
    assert report["boards"]["witness_ladder"] == list(audit.boards["witness_ladder"])
    assert [entry["system"] for entry in report["entries"]] == list(ERRORS)


def test_the_order_of_time_comes_from_the_command_line_or_a_file(losses: Path, tmp_path: Path) -> None:
    listed = json.loads(run(losses, *LOSSES, "--json", "--order", "worse, old,luck").output)
    assert [claim["system"] for claim in listed["claims"]] == ["old", "luck"]
    file = tmp_path / "order.txt"
    file.write_text("worse\nold\n\nluck\n")
    assert json.loads(run(losses, *LOSSES, "--json", "--order", file).output) == listed


def test_the_ladders_to_ask_are_the_callers(losses: Path) -> None:
    report = json.loads(
        run(losses, *LOSSES, "--json", "--mechanism", "full_disclosure", "--mechanism", "ladder").output
    )
    assert list(report["boards"]) == ["full_disclosure", "ladder"]
    assert [claim["accepted_by"] for claim in report["claims"]] == [["full_disclosure"], ["full_disclosure", "ladder"]]


def test_accuracies_are_shown_upwards(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    np.savetxt(path, np.arange(200)[:, None] < [100, 180], fmt="%d", delimiter=",", header="old,new", comments="")
    report = json.loads(run(path, "--kind", "correct", "--json").output)
    assert report["claims"][0]["score"] == pytest.approx(0.9)
    assert report["claims"][0]["improvement"] == pytest.approx(0.4)
    assert report["boards"]["parameter_free_ladder"] == pytest.approx([0.5, 0.9])
    assert "90.00 %" in run(path, "--kind", "correct").output


def test_scores_are_read_in_the_order_of_their_dates(board: Path) -> None:
    report = json.loads(run("--scores", board, *SCORES, "--test-size", 500, "--json").output)
    assert [entry["system"] for entry in report["entries"]] == ["a", "b", "c", "d"]
    audit = audit_scores([0.50, 0.71, 0.70, 0.72], 500, systems=["a", "b", "c", "d"])
    assert [claim["system"] for claim in report["claims"]] == ["b", "d"]
    assert [claim["p_value"] for claim in report["claims"]] == [claim.p_value for claim in audit.claims]
    assert [claim["score"] for claim in report["claims"]] == [0.71, 0.72]


def test_scores_take_the_options_of_their_metric(board: Path) -> None:
    options = ("--test-size", 500, "--correlation", 0.9, "--step-size", 0.05, "--json")
    report = json.loads(run("--scores", board, *SCORES, *options).output)
    audit = audit_scores([0.50, 0.71, 0.70, 0.72], 500, correlation=0.9, step_size=0.05)
    assert [claim["p_value"] for claim in report["claims"]] == [claim.p_value for claim in audit.claims]
    assert report["boards"]["ladder"] == pytest.approx([0.5, 0.7, 0.7, 0.7])
    downwards = json.loads(run("--scores", board, *SCORES, "--test-size", 500, "--lower-is-better", "--json").output)
    assert downwards["claims"] == []
    assert "No record was claimed" in run("--scores", board, *SCORES, "--test-size", 500, "--lower-is-better").output


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_figures_are_written_in_the_format_of_their_name(losses: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"records.{suffix}"
    assert run(losses, *LOSSES, "--figure", path).exit_code == 0
    assert path.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])


def test_a_figure_has_a_panel_for_each_ladder_and_is_the_same_every_time(losses: Path, tmp_path: Path) -> None:
    pictures = []
    for name in ("a.svg", "b.svg"):
        run(losses, *LOSSES, "--figure", tmp_path / name)
        pictures.append((tmp_path / name).read_text())
    assert pictures[0] == pictures[1]
    text = "".join(ElementTree.fromstring(pictures[0]).itertext())
    for words in ("witness ladder", "spending ladder", "record as claimed", "2 records claimed, 1 significant"):
        assert words in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either MATRIX, a file of items × systems, or --scores"),
        (("absent.csv",), "there is no file"),
        (("LOSSES", *LOSSES, "--test-size", 100), "--test-size works only with --scores"),
        (("LOSSES", *LOSSES, "--order", "old,nobody"), "no system is called 'nobody'"),
        (("LOSSES", *LOSSES, "--order", "old,old"), "two systems have the same name: 'old'"),
        (("LOSSES", *LOSSES, "--alpha", 2), "alpha is 2.0; it must lie between 0 and 1"),
        (("LOSSES", *LOSSES, "--mechanism", "lader"), "did you mean ladder?"),
        (("LOSSES", *LOSSES, "--figure", "records.gif"), "records.gif: the name of a figure must end in"),
        (("--scores", "BOARD"), "--scores needs --score-column and --test-size"),
        (("--scores", "BOARD", *SCORES, "--test-size", 9, "--order", "a,b"), "--order works only with MATRIX"),
        (
            ("--scores", "BOARD", *SCORES, "--test-size", 9, "--bounds", 0, 0.6),
            "line 2, column 'accuracy': 0.71 is",
        ),
        (("--scores", "BOARD", *SCORES, "--test-size", 9, "--correlation", 1), "correlation is 1.0"),
        (("--scores", "BOARD", "--score-column", "auc", "--test-size", 9), "board.csv has no column 'auc'"),
        (
            ("--scores", "BOARD", *SCORES, "--test-size", 9, "--missing", "worst"),
            "--missing worst does not work with --scores",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(
    arguments: tuple[object, ...], message: str, losses: Path, board: Path
) -> None:
    files = {"LOSSES": losses, "BOARD": board}
    result = run(*(files.get(str(argument), argument) for argument in arguments))
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.startswith("Error: ")


def test_an_entry_without_a_score_can_be_left_out(board: Path) -> None:
    board.write_text(board.read_text() + "e,2024-05-01,\n")
    options = ("--scores", board, *SCORES, "--test-size", 500)
    assert run(*options).exit_code == 2
    assert len(json.loads(run(*options, "--missing", "drop-items", "--json").output)["entries"]) == 4


def test_help_has_an_example() -> None:
    assert "ladderboard audit-records losses.csv" in run("--help").output


def test_ms_marco_claimed_eighteen_records_as_a_command_tells() -> None:
    file = shared_data("msmarco_doc") / "leaderboard.csv"
    options = ("--score-column", "mrr_eval", "--team-column", "description", "--order-column", "date")
    installed = Path(sys.executable).with_name("ladderboard")
    command = [str(installed), "audit-records", "--scores", str(file), *options]
    done = subprocess.run([*command, "--test-size", "5793", "--json"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["claimed"] + 1 == 18  # the best of the first day is a record too
    assert report["real"] == 1
    assert "entries with the same one are one batch (23 beside the first)" in report["order"]
    board = read_board(file, "mrr_eval", order_column="date")
    assert len(audit_scores(board.scores, 5793).claims) + 1 == 20  # by the order of the file
    audit = audit_scores(board.scores, 5793, batches=board.order)
    assert [claim["position"] for claim in report["claims"] if claim["is_real"]] == [
        claim.position for claim in audit.survivors
    ]
    assert report["sentence"] == audit.sentence()


def test_semeval_2018_had_one_real_record_after_the_first_entry() -> None:
    path = shared_data("semeval2018_arct") / "predictions.csv.gz"
    result = run(path, "--kind", "predictions", "--labels-column", "label", "--json")
    report = json.loads(result.output)
    assert [claim["system"] for claim in report["claims"] if claim["is_real"]] == ["s437952"]
    assert (report["claimed"], report["real"]) == (3, 1)
