"""`ladderboard new` and `ladderboard check`, as they are typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.mechanisms import MECHANISMS
from ladderboard.scoring.sandbox import find_obstacle
from tests.competition.folders import TOML, solution_csv, write_folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_an_example_is_made_checked_and_described(tmp_path: Path) -> None:
    result = run("new", tmp_path / "clicks")
    assert result.exit_code == 0, result.output
    assert "clicks, a competition with 2,000 rows." in result.output
    assert "auc: two classes" in result.output
    assert f"ladderboard serve {tmp_path / 'clicks'}" in result.output
    checked = run("check", tmp_path / "clicks")
    assert checked.exit_code == 0
    for words in (
        "Who will click? (clicks)",
        "2,000: 1,000 public, 1,000 private, 0 ignored",
        "auc, higher is better; baseline 0.5",
        "witness_ladder, one instance per team: rejections tell nothing",
        "at attempt 100 are shown; then gains of about 0.0",
        "public rows on the board orders honest teams as well as plain scores would",
        "5 per team and day, as many as they like in all",
        "open at once, no deadline (UTC)",
        f"ladderboard serve {tmp_path / 'clicks'}",
    ):
        assert words in checked.output


def test_a_solution_is_taken_with_its_columns(tmp_path: Path) -> None:
    given = tmp_path / "my solution.csv"
    given.write_text(solution_csv(header="id,song,Usage"))
    result = run("new", tmp_path / "whales", "--solution", given, "--metric", "accuracy", "--title", "Whales")
    assert result.exit_code == 0, result.output
    assert "id: id; label: song; usage: Usage" in result.output
    assert "public, drawn with" not in result.output
    assert json.loads(run("check", tmp_path / "whales", "--json").output)["summary"]["title"] == "Whales"


def test_a_refusal_of_new_is_one_message_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    for arguments in (
        [tmp_path / "y", "--solution", tmp_path / "nowhere.csv"],
        [tmp_path / "z", "--metric", "acuracy"],
    ):
        result = run("new", *arguments)
        assert result.exit_code == 2
        assert result.output.startswith("Error: ")
        assert "Traceback" not in result.output


def test_problems_are_listed_with_file_and_line_and_exit_code_1(tmp_path: Path) -> None:
    write_folder(tmp_path, TOML + "finals = 0\n", solution_csv().replace("\n5,", "\n4,"))
    (tmp_path / "description.md").unlink()
    result = run("check", tmp_path)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "competition.toml:4: finals is 0; it must be a whole number, at least 1",
        "solution.csv:7: id '4' appears twice; each row needs its own",
        "description.md: warning: the file is missing; participants will see no description",
        "",
        "2 problems, 1 warning: not ready to serve. Fix the problems and check again.",
    ]


def test_problems_as_json(tmp_path: Path) -> None:
    write_folder(tmp_path, TOML + "finals = 0\n")
    result = run("check", tmp_path, "--json")
    assert result.exit_code == 1
    assert json.loads(result.output) == {
        "ok": False,
        "problems": [
            {
                "file": "competition.toml",
                "line": 4,
                "severity": "error",
                "message": "finals is 0; it must be a whole number, at least 1",
            }
        ],
        "summary": None,
    }


def test_a_summary_as_json(tmp_path: Path) -> None:
    write_folder(tmp_path, TOML + "deadline = 2030-01-01T00:00:00\n")
    found = json.loads(run("check", tmp_path, "--json").output)
    assert found["ok"]
    assert found["summary"]["deadline"] == "2030-01-01T00:00:00+00:00"
    assert found["summary"]["public_rows"] + found["summary"]["private_rows"] == 2000
    assert set(found["summary"]["visible_improvements"]) == {"1", "10", "100"}


@pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
def test_every_mechanism_has_its_promise_in_the_summary_or_is_for_no_board(tmp_path: Path, mechanism: str) -> None:
    write_folder(tmp_path, TOML + f'mechanism = "{mechanism}"\n')
    result = run("check", tmp_path)
    if MECHANISMS[mechanism].certifies:
        assert result.exit_code == 1
        assert "a team's first entry would have no score; take another mechanism, such as" in result.output
    else:
        assert result.exit_code == 0, result.output
        assert MECHANISMS[mechanism].promise in result.output


def test_a_public_part_that_sees_nothing_says_so(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{'ab'[i * 7 % 5 % 2]},{'Public' if i % 3 else 'Private'}" for i in range(12))
    write_folder(tmp_path, TOML, f"id,label,Usage\n{rows}")
    result = run("check", tmp_path)
    assert "not even a perfect first submission would be shown" in result.output


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    result = run("check", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "there is no such folder; `ladderboard new` creates one" in result.output


def test_the_installed_commands_work_in_a_process_of_their_own(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", "from ladderboard.cli.main import main; main()"]
    made = subprocess.run([*command, "new", "clicks"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "ladderboard check clicks" in made.stdout
    checked = subprocess.run([*command, "check", "clicks"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Ready to serve. Next:\n  ladderboard serve clicks" in checked.stdout
    assert made.stderr == checked.stderr == ""


def test_a_competition_of_programs_is_made_and_its_sample_program_tried(tmp_path: Path) -> None:
    labels, hidden, public = tmp_path / "labels.csv", tmp_path / "hidden", tmp_path / "public"
    labels.write_text(solution_csv())
    for folder, text in ((hidden, "id,x\n1,2\n"), (public, "id,x\n9,9\n")):
        folder.mkdir()
        (folder / "x.csv").write_text(text)
    command = ("new", tmp_path / "signs", "--solution", labels, "--metric", "accuracy", "--inputs", hidden)
    without = run(*command)
    assert "programs need --inputs, which stay hidden, and --sample-inputs" in without.output
    result = run(*command, "--sample-inputs", public)
    if find_obstacle() is not None:
        assert "there is none on this machine" in result.output
        assert not (tmp_path / "signs").exists()
        return
    assert result.exit_code == 0, result.output
    assert "data/sample_program answered the hidden inputs in" in result.output
    assert "A program: a zip or tar with predict.py" in run("check", tmp_path / "signs").output
    (tmp_path / "signs" / "data" / "sample_program" / "predict.py").write_text("print('my mistake')\n1 / 0")
    checked = run("check", tmp_path / "signs")
    assert checked.exit_code == 1
    assert "data/sample_program on the sample inputs: it ended with exit code 1" in checked.output
    assert "my mistake" in checked.output
