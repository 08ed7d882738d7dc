from pathlib import Path

from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from tests.evals.readers.written import write_lm_eval


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["report", *(str(argument) for argument in arguments)])


def test_a_folder_of_a_harness_becomes_a_page_and_a_badge(tmp_path: Path) -> None:
    for number, model in enumerate(("one", "two", "three")):
        scores = [float((item * 7 + number) % 10 > 2 + number) for item in range(40)]
        write_lm_eval(tmp_path / "folder", model, {"acc": scores}, date=f"2025-0{number + 1}-01T00-00-00")
    page, badge = tmp_path / "report.html", tmp_path / "badge.svg"
    result = run(tmp_path / "folder", "--to", page, "--badge", badge, "--badge-system", "two")
    assert result.exit_code == 0, result.output
    assert "folder: 40 items × 3 systems" in result.output
    assert "Results: folder" in page.read_text()
    assert "of 3, n = 40" in badge.read_text()


def test_where_the_report_goes_has_to_be_said(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "say where the report goes: --to report.html" in result.output
