"""The framework of experiments and `ladderboard lab reproduce`: what is written, what is told, what is refused."""

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.lab.papers_report import SHOWN_ROWS, write_report
from ladderboard.cli.lab.reproduce import reproduce
from ladderboard_lab.experiments import (
    EXPERIMENTS,
    Conditions,
    Experiment,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment_named,
)
from ladderboard_lab.experiments.base import check_claim, self_consistent
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.estimates import mean_of
from ladderboard_lab.experiments.filling import fill_page, strip_verdicts
from ladderboard_lab.experiments.writing import Written, draw_figure, format_command, read_written, table_csv, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(figure: "Figure") -> None:
    axes = figure.subplots()
    axes.plot([1, 2, 3], [3, 1, 2], label="α = .15")
    axes.set_xlabel("number of submissions")
    axes.legend()


def run(conditions: Conditions) -> ExperimentResult:
    table = ResultTable(("seed", "share"), [(conditions.seed, 1 / 3), (1, None)])
    holds = conditions.control is None
    checks = (self_consistent("a third is a third", holds),)
    raw = ResultTable(("repetition", "share"), [(0, 0.25), (1, 0.5)])
    return ExperimentResult(table, draw, Verdict(checks, "A <third> [of] it.", {"share": 1 / 3}), raw=raw)


def fail(conditions: Conditions) -> ExperimentResult:
    return replace(run(conditions), verdict=Verdict((check_claim("nothing", False),), "No."))


def leave_open(conditions: Conditions) -> ExperimentResult:
    return replace(run(conditions), verdict=Verdict((check_claim("often", usually([True, False])),), "Perhaps."))


HOLDS = Experiment("toy-holds", "A toy & more", "Toy", "A third.", run, controls=("a half",))
FAILS = replace(HOLDS, id="toy-fails", run=fail)
UNDECIDED = replace(HOLDS, id="toy-undecided", run=leave_open)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three experiments that take no time."""
    module = ModuleType("ladderboard_lab.experiments.toys")
    module.__dict__.update(HOLDS=HOLDS, FAILS=FAILS, UNDECIDED=UNDECIDED)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(EXPERIMENTS, "toy-holds", "toys:HOLDS")
    monkeypatch.setitem(EXPERIMENTS, "toy-fails", "toys:FAILS")
    monkeypatch.setitem(EXPERIMENTS, "toy-undecided", "toys:UNDECIDED")


def told(*words: str) -> Result:
    return CliRunner().invoke(reproduce, [str(word) for word in words])


def written(experiment: Experiment, folder: Path, seed: int = 0) -> Written:
    conditions = Conditions(seed=seed)
    return write(experiment, experiment.run(conditions), folder, conditions=conditions, elapsed_seconds=1.25)


# --- what is written ---------------------------------------------------------------------------------------------


def test_an_experiment_writes_a_table_a_figure_twice_and_a_verdict(tmp_path: Path) -> None:
    result = told("toy-holds", "--quick", "--seed", "4", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "report.html",
        "toy-holds.csv",
        "toy-holds.json",
        "toy-holds.pdf",
        "toy-holds.png",
        "toy-holds.raw.csv",
        "toy-holds.raw.parquet",
        "toy-holds.svg",
    ]
    assert (tmp_path / "toy-holds.csv").read_text() == "seed,share\n4,0.333333\n1,\n"
    record = json.loads((tmp_path / "toy-holds.json").read_text())
    assert record["holds"] is True
    assert record["numbers"] == {"share": 1 / 3}
    assert record["command"] == "ladderboard lab reproduce toy-holds --quick --seed 4"
    assert record["decision"] == "holds"
    assert record["checks"] == [
        {
            "kind": "self-consistency",
            "statement": "a third is a third",
            "decision": "holds",
            "evidence": [],
            "caveat": "",
        }
    ]
    assert record["versions"]["numpy"] == np.__version__


def test_the_same_outcome_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        written(HOLDS, tmp_path / folder)
    for suffix in (".csv", ".json", ".pdf", ".png", ".svg", ".raw.csv"):
        first, second = (tmp_path / folder / f"toy-holds{suffix}" for folder in ("one", "two"))
        assert first.read_bytes() == second.read_bytes(), suffix


def test_numbers_in_a_table_have_six_digits_and_yes_or_no() -> None:
    table = ResultTable(("name", "number", "told"), [("a, b", 1234567.891, True), ("c", -0.00001, False)])
    assert table_csv(table) == 'name,number,told\n"a, b",1.23457e+06,yes\nc,-1e-05,no\n'


def test_a_row_that_does_not_fit_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for the 1 columns"):
        ResultTable(("one",), [(1, 2)])


def report(written: list[Written], folder: Path, name: str = "report.html") -> str:
    write_report(written, folder / name, folder=folder)
    return (folder / name).read_text()


def test_the_report_is_one_page_that_loads_nothing_and_shows_everything(tmp_path: Path) -> None:
    page = report([written(HOLDS, tmp_path), written(FAILS, tmp_path)], tmp_path)
    assert "1 of 2 verdicts hold" in page
    assert not re.search(r'(src|href)="(?!#|toy-|data:)', page), "nothing is loaded from elsewhere"
    assert "<script" not in page
    assert 'name="viewport"' in page
    assert "color-scheme: light dark" in page
    assert page.count("<img") == 2
    assert "A &lt;third&gt; [of] it." in page
    assert "ladderboard lab reproduce toy-holds" in page
    assert "wrong with a probability of 0.0001 at most" in page
    for name in ("toy-holds", "toy-fails"):
        assert f'<section id="{name}">' in page
        assert f'<a href="#{name}">' in page


def test_a_number_of_the_report_has_its_error(tmp_path: Path) -> None:
    values = np.array([0.25, 0.5, 0.75])
    verdict = Verdict((check_claim("often", usually([True] * 18)),), "So.", {"mean": mean_of(values), "exact": 0.5})
    one = written(replace(HOLDS, run=lambda conditions: replace(run(conditions), verdict=verdict)), tmp_path)
    assert one.record["errors"] == {"mean": pytest.approx(0.25 / np.sqrt(3))}
    assert "<td>mean</td><td>0.5</td><td>0.14</td>" in report([one], tmp_path)
    assert "<td>exact</td><td>0.5</td><td></td>" in report([one], tmp_path)
    assert "<td>often</td><td>printed claim</td><td>18 of 18</td>" in report([one], tmp_path)


def test_the_report_says_where_in_the_source_an_experiment_belongs(tmp_path: Path) -> None:
    page = report([written(replace(HOLDS, id="neto-s12", paper="Neto"), tmp_path)], tmp_path)
    assert "Chaibub Neto et al. 2016, Reducing overfitting" in page
    assert "Neto: Fig S12, Text S4" in page


def test_the_report_says_what_stands_in_for_data(tmp_path: Path) -> None:
    page = report([written(replace(HOLDS, stand_in="`--data` takes a <file>"), tmp_path)], tmp_path)
    assert "Data: --data takes a &lt;file&gt;." in page


def test_the_report_lies_where_it_is_asked_for_and_links_its_files(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere.html"
    result = told("toy-holds", "--out", str(tmp_path / "all of it"), "--report", str(place))
    assert result.exit_code == 0, result.output
    assert '<a href="all%20of%20it/toy-holds.raw.csv">every repetition</a>' in place.read_text()
    assert not (tmp_path / "all of it" / "report.html").exists()


def test_the_report_as_markdown_has_words_for_what_the_page_draws(tmp_path: Path) -> None:
    page = report([written(HOLDS, tmp_path)], tmp_path, "report.md")
    assert "| a third is a third | self-consistency |  | holds |" in page
    assert "![toy-holds: A toy &amp; more](report-toy-holds.svg)" in page
    assert (tmp_path / "report-toy-holds.svg").exists()


def test_a_report_of_another_kind_is_refused_before_anything_runs(tmp_path: Path) -> None:
    result = told("toy-holds", "--out", str(tmp_path), "--report", "report.pdf")
    assert result.exit_code == 2
    assert result.output == "Error: report.pdf: the name of a report must end in .html or .md\n"
    assert list(tmp_path.iterdir()) == []


def test_a_long_table_is_cut_on_the_page_and_whole_in_the_file(tmp_path: Path) -> None:
    def long(conditions: Conditions) -> ExperimentResult:
        return replace(run(conditions), table=ResultTable(("row",), [(row,) for row in range(SHOWN_ROWS + 7)]))

    page = report([written(replace(HOLDS, run=long), tmp_path)], tmp_path)
    assert "and 7 more rows" in page
    assert len((tmp_path / "toy-holds.csv").read_text().splitlines()) == SHOWN_ROWS + 8


def test_the_text_of_a_figure_can_be_searched() -> None:
    drawn = draw_figure(draw, size=(3, 2), salt="x")
    assert b"number of submissions</text>" in drawn["svg"]
    assert drawn["png"].startswith(b"\x89PNG")
    assert drawn["pdf"].startswith(b"%PDF")


def test_a_stopped_run_is_resumed_and_again_starts_over(tmp_path: Path) -> None:
    told("toy-holds", "--out", str(tmp_path))
    (tmp_path / "report.html").unlink()
    resumed = told("toy-holds", "toy-fails", "--out", str(tmp_path))
    assert "toy-holds: already there" in resumed.output
    assert "toy-fails: already there" not in resumed.output
    assert "1 of 2 verdicts hold" in (tmp_path / "report.html").read_text()
    assert "already there" not in told("toy-holds", "--out", str(tmp_path), "--again").output
    assert "already there" not in told("toy-holds", "--out", str(tmp_path), "--seed", "1").output


def test_a_run_that_was_killed_while_it_wrote_is_not_taken_for_complete(tmp_path: Path) -> None:
    told("toy-holds", "--out", str(tmp_path))

    outcome = replace(run(Conditions()), draw=lambda _: sys.exit("killed"))
    with pytest.raises(SystemExit):
        write(HOLDS, outcome, tmp_path, conditions=Conditions(), elapsed_seconds=0.0)
    assert read_written(HOLDS, tmp_path, Conditions()) is None


def test_the_command_can_be_pasted_into_a_shell() -> None:
    given = Conditions(data=Path("my folder/my data.csv"), target="mmse score", control="a half")
    command = format_command(replace(HOLDS, place="own work/my file.py:toy", takes_data=True), given)
    words = ["my file.py:toy", "--data", "my data.csv", "--target", "mmse score", "--control", "a half"]
    assert shlex.split(command) == ["ladderboard", "lab", "reproduce", *words]


def test_the_report_is_complete_after_each_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Conditions) -> ExperimentResult:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["ladderboard_lab.experiments.toys"], "FAILS", replace(FAILS, run=stop))
    told("toy-holds", "toy-fails", "--out", str(tmp_path))
    assert "1 of 1 verdicts hold" in (tmp_path / "report.html").read_text()


def test_a_negative_control_is_named_and_must_fail(tmp_path: Path) -> None:
    result = told("toy-holds", "--control", "a half", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "Does not hold: a third is a third" in result.output
    refused = told("toy-holds", "--control", "two", "--out", str(tmp_path))
    assert refused.exit_code == 2
    assert "toy-holds has no control 'two'. Its controls: a half" in refused.output


def test_a_page_is_filled_with_what_was_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n<!-- verdicts toy-* -->\n| `toy-fails` | old | stays | |\n<!-- /verdicts -->\nAfter\n")
    told("toy-holds", "--out", str(tmp_path), "--fill", str(page))
    text = page.read_text()
    assert "| `toy-holds` | self-consistency 1 of 1 hold | A <third> [of] it. | full, seed 0 |" in text
    assert "| `toy-fails` | old | stays | |" in text
    assert strip_verdicts(text) == "Before\n<!-- verdicts toy-* -->\n<!-- /verdicts -->\nAfter\n"
    assert fill_page(page, [written(HOLDS, tmp_path)]) == 1
    assert page.read_text() == text


def test_a_page_is_filled_with_the_table_of_an_experiment_and_the_command_that_made_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- table toy-holds -->\nold\n<!-- /table -->\n<!-- table toy-fails -->\n<!-- /table -->\n")
    told("toy-holds", "--quick", "--out", str(tmp_path), "--fill", str(page))
    filled = page.read_text()
    assert filled == (
        "<!-- table toy-holds -->\n    ladderboard lab reproduce toy-holds --quick\n\n"
        "| seed | share |\n| --- | --- |\n| 0 | 0.333333 |\n| 1 |  |\n"
        "<!-- /table -->\n<!-- table toy-fails -->\n<!-- /table -->\n"
    )
    told("toy-holds", "--quick", "--out", str(tmp_path), "--fill", str(page))  # read from the folder: the same
    assert page.read_text() == filled


# --- what is told ------------------------------------------------------------------------------------------------


def test_a_verdict_that_does_not_hold_is_told_and_ends_with_one(tmp_path: Path) -> None:
    result = told("toy-holds", "toy-fails", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "does not hold" in result.output
    assert "A <third> [of] it." in result.output


def test_a_verdict_that_is_not_decided_ends_with_three(tmp_path: Path) -> None:
    result = told("toy-holds", "toy-undecided", "--out", str(tmp_path))
    assert result.exit_code == 3
    assert told("toy-undecided", "toy-fails", "--out", str(tmp_path)).exit_code == 1


def test_the_list_names_every_experiment_with_the_time_it_was_measured_to_take() -> None:
    result = told("--list")
    assert result.exit_code == 0
    for name in EXPERIMENTS:
        time = "" if name.startswith("toy-") else r"\d+ s"
        assert re.search(rf"^ {re.escape(name)} .* {time}\s*$", result.output, flags=re.MULTILINE), name
    assert re.search(r"All with --quick: about \d+ min of one core", result.output)


def test_every_experiment_is_where_the_list_says() -> None:
    for name in EXPERIMENTS:
        found = experiment_named(name)
        assert found.id == name
        assert found.title
        assert found.claim


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Error: name an experiment or add --all; --list shows their names"),
        (["neto-fig66"], "Error: there is no experiment 'neto-fig66'; did you mean neto-fig6"),
        (["zzz"], "Error: there is no experiment 'zzz'; `ladderboard lab reproduce --list` lists them all"),
        (["neto-fig6", "--target", "y"], "Error: --data and --target go together"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence_and_exit_code_two(words: list[str], sentence: str) -> None:
    result = told(*words)
    assert result.exit_code == 2
    assert result.output.startswith(sentence)
    assert len(result.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "mine.csv: the file is empty (0 bytes)"),
        ("a,y\n1,x\n", "mine.csv, line 2, column 'y': 'x' is not a number"),
        ("a,y\n1,nan\n", "mine.csv, line 2, column 'y': 'nan' is not a number"),
        ("a,y\n1,2,3,4\n", "mine.csv, line 2: the row has 4 cells, but the header has 2 columns"),
        ("a,b\n1,2\n", "mine.csv: the target 'y' is not among its columns a, b"),
        ("y,y\n1,2\n", "mine.csv, line 1: 2 columns are called 'y'; give every column its own name"),
        ("y\n1\n", "mine.csv has no column beside the target 'y'; at least one feature is needed"),
        ("a,y\n" + "1,2\n" * 29, "mine.csv has 29 rows; at least 30 are needed"),
        ("a,y\n" + "1,2\n" * 30, "all responses are equal; there is nothing to predict"),
    ],
)
def test_a_csv_file_that_cannot_be_used_gets_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    result = told("neto-fig6", "--quick", "--data", str(file), "--target", "y", "--out", str(tmp_path))
    assert result.exit_code == 2
    last = result.output.strip().splitlines()[-1]
    assert last.startswith(f"Error: {sentence}"), result.output


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(b"a,y\n\xff\xfe\x00,1\n")
    result = told("neto-fig6", "--data", str(file), "--target", "y", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "this is not text" in result.output


def test_data_is_refused_where_the_experiment_cannot_use_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("a,y\n1,2\n")
    result = told("neto-fig3", "--data", str(file), "--target", "y")
    assert result.exit_code == 2
    assert "neto-fig3 cannot use --data" in result.output
