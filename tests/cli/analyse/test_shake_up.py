import json
from pathlib import Path

from click.testing import CliRunner, Result

from ladderboard.cli.main import cli


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def write_board(folder: Path, column: str = "public") -> Path:
    path = folder / "board.csv"
    path.write_text(f"team,{column},private\na,0.9,0.70\nb,0.8,0.75\nc,0.7,0.6\n")
    return path


def test_pairs_of_scores_are_compared(tmp_path: Path) -> None:
    columns = ("--public-column", "public", "--private-column", "private", "--team-column", "team")
    result = run("shake-up", write_board(tmp_path), *columns, "--higher-is-better")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[1].split() == ["1", "2", "▼1", "a", "0.9000", "0.7000"]
    report = json.loads(run("shake-up", tmp_path / "board.csv", *columns, "--higher-is-better", "--json").output)
    assert [move["change"] for move in report["moves"]] == [1, -1, 0]
    refusal = run("shake-up", tmp_path / "board.csv", *columns)
    assert refusal.exit_code == 2
    assert "say --higher-is-better or --lower-is-better" in refusal.output


def test_scores_that_are_not_binomial_are_refused(tmp_path: Path) -> None:
    path = write_board(tmp_path, "public_auc")
    audit = ("audit-records", "--scores", path, "--test-size", 100, "--score-column")
    assert "column 'public_auc': a score like auc is not a mean over items" in run(*audit, "public_auc").output
    assert run(*audit, "public_auc", "--is-accuracy").exit_code == 0
    assert run(*audit, "private").exit_code == 0
    sota = ("sota", "--accuracies", path, "--column")
    assert "a score like auc is not a share of right answers" in run(*sota, "public_auc", "--test-size", 100).output
    assert "0.75 is not a share of 10 items" in run(*sota, "private", "--test-size", 10).output
    assert run(*sota, "private", "--test-size", 100).exit_code == 0
    assert run(*sota, "private", "--test-size", 10, "--is-accuracy").exit_code == 0
