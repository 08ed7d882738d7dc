import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard_lab.planning import simulator
from ladderboard_lab.planning.simulator import Effort, PlanningSimulator
from tests.shared_data import shared_data

BRIEF = Effort(seconds=0.3, repetitions=2)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["plan", *(str(argument) for argument in arguments)])


def refusal(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1
    return result.output.removeprefix("Error: ").strip()


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("id,y,part\n" + "".join(f"{i},{int(i % 10 < 3)},x\n" for i in range(400)))
    return path


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks of a fraction of a second."""
    monkeypatch.setattr(simulator, "QUICK", BRIEF)


def test_what_is_proven_is_shown_with_the_mechanism_and_a_sentence(labels: Path) -> None:
    result = run(labels, "--column", "y", "--no-attacks")
    assert result.exit_code == 0, result.output
    plan = lb.plan_submissions(np.arange(400) % 10 < 3)
    lines = result.output.splitlines()
    assert lines[0] == "400 items, error_rate: baseline 0.3000, standard error 0.0229, tolerance 0.02"
    assert lines[1].startswith("spending_ladder (alpha=0.05, growth=0.125, grid=0.5): recognises a first entry ")
    assert "Theorem 3.1 for the Ladder" in result.output
    assert lines[-1] == plan.sentence()
    assert lines[-3] == plan.public_part.sentence()
    assert f"is shown with probability {plan.entry_power:.0%}." in result.output


def test_of_a_file_with_usage_the_public_rows_are_planned_for(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    rows = (f"{i},{int(i % 10 < 3)},{'Public' if i % 2 else 'Private'}\n" for i in range(800))
    path.write_text("id,label,Usage\n" + "".join(rows))
    result = run(path, "--no-attacks")
    assert result.exit_code == 0, result.output
    assert "labels.csv: 400 public rows of 800" in result.output
    assert "400 items, error_rate" in result.output


def test_a_folder_is_planned_by_its_public_rows_with_its_metric_and_mechanism(tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    folder.mkdir()
    (folder / "competition.toml").write_text('title = "Pets"\nmetric = "accuracy"\nmechanism = "spending_ladder"\n')
    rows = (f"{i},{int(i % 10 < 3)},{'Public' if i % 2 else 'Private'}\n" for i in range(2000))
    (folder / "solution.csv").write_text("id,label,Usage\n" + "".join(rows))
    result = run(folder, "--no-attacks")
    assert result.exit_code == 0, result.output
    assert "1,000 items, accuracy" in result.output
    assert "spending_ladder (" in result.output
    assert "1,000 items, error_rate" in run(folder, "--no-attacks", "--metric", "error_rate").output


def test_json_says_what_the_library_says(labels: Path) -> None:
    options = ("--column", "y", "--no-attacks", "--json", "--tolerance", 0.3, "--teams", 4, "--accepts", 2)
    report = json.loads(run(labels, *options).output)
    plan = lb.plan_submissions(np.arange(400) % 10 < 3, tolerance=0.3, teams=4, accepts=2)
    assert report["mechanism"] == {"name": "spending_ladder", "parameters": plan.mechanism.parameters()}
    assert (report["per_team"], report["in_total"]) == (plan.per_team, plan.in_total)
    assert report["per_team"] > 0
    assert report["in_total"] == 4 * report["per_team"]
    assert [limit["per_team"] for limit in report["limits"]] == [limit.per_team for limit in plan.limits]
    assert report["public_part"]["recommended"]["share"] == plan.public_part.recommended.share
    assert report["detectable_gains"][0]["improvement"] == plan.detectable_gains[0].improvement
    assert report["sentence"] == plan.sentence()


def test_a_number_of_items_is_enough() -> None:
    report = json.loads(run("--n", 628, "--base-rate", 0.3, "--no-attacks", "--json").output)
    assert (report["items"], report["metric"]) == (628, "error_rate")
    assert report["baseline_score"] == pytest.approx(0.3, abs=1e-3)


def test_it_says_how_many_models_natural_analysts_can_compare(tmp_path: Path) -> None:
    found = lb.plan_submissions(n=628, base_rate=0.3).natural_analysts
    assert found is not None
    page = tmp_path / "plan.md"
    assert found.sentence() in run("--n", 628, "--base-rate", 0.3, "--no-attacks", "--report", page).output
    assert found.sentence() in page.read_text()
    assert "Natural analysts" not in run("--n", 100, "--metric", "mse", "--no-attacks").output


def test_the_mechanism_and_its_parameters_can_be_given() -> None:
    options = ("--n", 500, "--no-attacks", "--json", "--mechanism", "ladder", "--set", "step_size=.05")
    report = json.loads(run(*options).output)
    assert report["mechanism"] == {"name": "ladder", "parameters": {"step_size": 0.05, "submissions": 1000}}
    assert report["reason"] == "as given"


@pytest.mark.usefixtures("brief")
def test_attacks_are_those_of_the_laboratory(labels: Path) -> None:
    options = ("--column", "y", "--quick", "--workers", 1, "--seed", 5, "--teams", 3, "--json")
    report = json.loads(run(labels, *options).output)
    simulate = PlanningSimulator(BRIEF, seed=5)
    plan = lb.plan_submissions(np.arange(400) % 10 < 3, teams=3, simulate=simulate)
    assert report["sentence"] == plan.sentence()
    assert [curve["overfits"] for curve in report["curves"]] == [list(curve.overfits) for curve in plan.curves]
    assert {curve["attacker"] for curve in report["curves"]} == {"outsider", "insider", "accounts"}


@pytest.mark.usefixtures("brief")
def test_the_html_report_stands_alone_with_three_charts(labels: Path, tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    result = run(labels, "--column", "y", "--quick", "--workers", 1, "--teams", 3, "--report", page)
    assert result.exit_code == 0, result.output
    text = page.read_text()
    charts = [unquote(one) for one in re.findall(r'src="data:image/svg\+xml;charset=utf-8,([^"]+)" alt="[^"]+"', text)]
    assert len(charts) == 3
    assert result.output.splitlines()[-1] in text
    assert not re.findall(r'(?:src|href)="(?!data:)', text)  # nothing is fetched from anywhere
    for chart in charts:
        ElementTree.fromstring(chart)
    for words in ("tolerance", "probability of being shown", "public share of the items", "accounts in one hand"):
        assert any(words in part for part in (text, *charts))


def test_the_markdown_report_has_its_charts_beside_it(tmp_path: Path) -> None:
    page = tmp_path / "plan.md"
    result = run("--n", 628, "--no-attacks", "--report", page)
    assert result.exit_code == 0, result.output
    text = page.read_text()
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert pictures == ["plan-detectable-gains.svg", "plan-public-part.svg"]
    for picture in pictures:
        ElementTree.parse(tmp_path / picture)
    assert "| Theorem 3.1 for the Ladder | 0 |" in text


def test_a_report_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run("--n", 300, "--no-attacks", "--report", tmp_path / f"{name}.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_metric_without_charts_to_draw_still_has_a_report(tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    assert run("--n", 10, "--base-rate", 0.2, "--no-attacks", "--report", page).exit_code == 0
    assert "There are too few items: not even a perfect first submission" in page.read_text()
    function = tmp_path / "mine.py"
    function.write_text("import numpy as np\ndef cost(y, p):\n    return float(np.mean(np.abs(y - p) ** 1.5))\n")
    options = ("--metric", f"{function}:cost", "--lower-is-better", "--n", 50, "--no-attacks", "--report", page)
    assert run(*options).exit_code == 0
    assert "cost" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the labels, or n, the number of items"),
        (("LABELS", "--column", "y", "--n", 5), "give the labels, or n, the number of items"),
        (("LABELS",), "labels.csv: which column has the labels? Say it with --column; there are: y, part"),
        (("absent.csv",), "there is no file absent.csv"),
        (("--n", 100, "--column", "y"), "--column and --id need LABELS, the file that has these columns"),
        (("--n", 3), "n is 3; a plan needs at least 10 items"),
        (("--n", 100, "--metric", "acuracy"), "did you mean accuracy?"),
        (("--n", 100, "--mechanism", "lader"), "did you mean ladder?"),
        (("--n", 100, "--set", "alpha=.1"), "--set needs --mechanism: it sets a parameter of that mechanism"),
        (("--n", 100, "--mechanism", "ladder", "--set", "alpha=.1"), "ladder takes the parameters step_size"),
        (("--n", 100, "--tolerance", -1), "tolerance is -1.0; it must be a positive number"),
        (("--n", 100, "--report", "plan.pdf"), "plan.pdf: the name of a report must end in .html or .md"),
        (("--n", 100, "--report", "nowhere/plan.md"), "nowhere/plan.md: there is no such folder"),
        (("--n", 100, "--base-rate", 2), "base_rate is 2.0; of 100 items at least one of each class is needed"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(labels: Path, arguments: tuple[object, ...], message: str) -> None:
    assert message in refusal(*(labels if argument == "LABELS" else argument for argument in arguments))


def test_help_has_an_example() -> None:
    assert "ladderboard plan --n 628 --base-rate .3 --quick" in run("--help").output


def test_semeval_2018_bears_its_submissions_as_the_installed_command_tells() -> None:
    labels = shared_data("semeval2018_arct") / "predictions.csv.gz"
    command = [str(Path(sys.executable).with_name("ladderboard")), "plan", str(labels), "--column", "label"]
    options = ["--id", "item_id", "--metric", "accuracy", "--tolerance", ".05", "--teams", "22", "--quick", "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["items"] == 444
    # Each of its 22 teams submitted once.
    assert report["per_team"] >= 1
    assert all(curve["submissions"][0] >= 1 for curve in report["curves"])
    assert done.stderr == ""
