import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.analyse.ranks import describe_top
from ladderboard.cli.main import cli
from ladderboard.drawing.names import shorten_names
from ladderboard.evals import read_loss_matrix
from ladderboard.inference.best_set import best_set
from ladderboard.inference.comparisons import compare_systems
from ladderboard.inference.rank_ranges import RankRange, rank_ranges
from ladderboard.inference.winner import winner_estimate
from tests.shared_data import shared_data

FAILURES = {"ours": range(41), "[theirs]": range(20, 69), "old": range(100, 285)}


LOSSES = ("--kind", "losses")


def found_in(result: Result) -> str:
    """What was found, without what was read."""
    return result.output.split("\n\n", 1)[1]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    path = tmp_path / "losses.csv"
    wrong = [[int(item in failed) for failed in FAILURES.values()] for item in range(400)]
    np.savetxt(path, wrong, fmt="%d", delimiter=",", header=",".join(FAILURES), comments="")
    return path


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    rng = np.random.default_rng(2)
    label = rng.integers(0, 2, 300)
    columns = [label, *(np.where(rng.random(300) < rate, 1 - label, label) for rate in (0.1, 0.4))]
    np.savetxt(path, np.stack(columns, axis=1), fmt="%d", delimiter=",", header="label,good,poor", comments="")
    return path


def test_the_board_shows_ranks_ranges_and_a_sentence(losses: Path) -> None:
    result = run("ranks", losses, *LOSSES)
    assert result.exit_code == 0, result.output
    lines = found_in(result).splitlines()
    assert lines[0].split() == ["rank", "range", "system", "loss", "group", "1", "…", "3"]
    assert [line.split()[:5] for line in lines[1:4]] == [
        ["1", "1–2", "ours", "0.1025", "1"],
        ["2", "1–2", "[theirs]", "0.1225", "1"],
        ["3", "3", "old", "0.4625", "2"],
    ]
    assert lines[3].split()[5] == "·" * 23 + "●"
    assert lines[4] == (
        "2 of 3 systems could be first (ours, [theirs]); with 95 % confidence, every true rank lies within its range."
    )


def test_json_says_what_the_library_says(losses: Path) -> None:
    report = json.loads(run("ranks", losses, *LOSSES, "--json", "--confidence", 0.8, "--seed", 3).output)
    matrix = read_loss_matrix(losses)
    expected = {one.system: one for one in rank_ranges(matrix, 0.8, seed=3)}
    assert (report["confidence"], report["items"], report["measure"]) == (0.8, 400, "loss")
    for one in report["systems"]:
        told = expected[one["system"]]
        assert (one["rank"], one["best"], one["worst"], one["group"]) == (told.rank, told.best, told.worst, told.group)
        assert one["score"] == pytest.approx(told.score)
    assert [one["could_be_best"] for one in report["systems"]] == [True, True, False]


def test_accuracies_are_shown_as_accuracies(predictions: Path) -> None:
    result = run("ranks", predictions, "--kind", "predictions", "--labels-column", "label")
    assert "accuracy" in result.output
    report = json.loads(run("ranks", predictions, "--kind", "predictions", "--labels-column", "label", "--json").output)
    assert [one["system"] for one in report["systems"]] == ["good", "poor"]
    assert report["systems"][0]["score"] == pytest.approx(0.9, abs=0.05)
    assert "good is the best of 2 systems" in result.output


def test_top_shows_the_first_rows_and_keeps_the_scale(losses: Path) -> None:
    lines = found_in(run("ranks", losses, *LOSSES, "--top", 1)).splitlines()
    assert len(lines) == 3
    assert lines[0].rstrip().endswith("1 … 3")


def test_pairs_are_compared_on_demand(losses: Path) -> None:
    report = json.loads(run("ranks", losses, *LOSSES, "--json", "--pairwise").output)
    assert [(one["first"], one["second"]) for one in report["pairwise"]] == [
        ("ours", "[theirs]"),
        ("ours", "old"),
        ("[theirs]", "old"),
    ]
    against = json.loads(run("ranks", losses, *LOSSES, "--json", "--against", "old").output)["pairwise"]
    expected = compare_systems(read_loss_matrix(losses), reference="old")
    assert [one["adjusted"] for one in against] == [one.adjusted for one in expected]
    assert "p (Holm)" in run("ranks", losses, *LOSSES, "--pairwise").output


def test_a_metric_scores_predictions_and_chooses_the_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    path = tmp_path / "scores.csv"
    table = np.stack([y, y + rng.normal(0, 0.5, 200), y + rng.normal(0, 5, 200)], axis=1)
    np.savetxt(path, table, fmt="%.6f", delimiter=",", header="y,sharp,blunt", comments="")
    result = run(
        "ranks", path, "--kind", "predictions", "--labels-column", "y", "--metric", "auc", "--pairwise", "--json"
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["measure"] == "auc"
    assert [one["system"] for one in report["systems"]] == ["sharp", "blunt"]
    assert report["systems"][0]["score"] > 0.85
    assert report["pairwise"][0]["p_value"] < 1e-6


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_figures_are_written_in_the_format_of_their_name(losses: Path, tmp_path: Path, suffix: str) -> None:
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for command in ("ranks", "winner"):
        path = tmp_path / f"{command}.{suffix}"
        result = run(command, losses, *LOSSES, "--figure", path)
        assert result.exit_code == 0, result.output
        assert path.read_bytes().startswith(starts[suffix])


def test_a_figure_names_every_system_and_is_the_same_every_time(losses: Path, tmp_path: Path) -> None:
    pictures = []
    for name in ("a.svg", "b.svg"):
        run("ranks", losses, *LOSSES, "--figure", tmp_path / name)
        pictures.append((tmp_path / name).read_text())
    assert pictures[0] == pictures[1]
    text = "".join(ElementTree.fromstring(pictures[0]).itertext())
    assert all(system in text for system in FAILURES)


def test_a_figure_of_an_unknown_format_is_refused(losses: Path, tmp_path: Path) -> None:
    result = run("ranks", losses, *LOSSES, "--figure", tmp_path / "ranks.gif")
    assert result.exit_code == 2
    assert "ranks.gif: the name of a figure must end in .svg, .png, .pdf" in result.output


def test_the_winner_is_told_in_one_sentence(predictions: Path) -> None:
    options = ("--kind", "predictions", "--labels-column", "label")
    result = run("winner", predictions, *options)
    assert result.exit_code == 0, result.output
    estimate = winner_estimate(read_loss_matrix(predictions, kind="predictions", labels_column="label"))
    assert found_in(result).startswith(
        f"good won with accuracy {100 * (1 - estimate.naive):.2f} %. Corrected for being "
    )
    low, high = (100 * (1 - end) for end in reversed(estimate.interval))
    assert f"lies between {low:.2f} % and {high:.2f} % with 95 % confidence. Best guess: " in result.output
    report = json.loads(run("winner", predictions, *options, "--json").output)
    assert report["value"] == pytest.approx(1 - estimate.value)
    assert report["interval"] == pytest.approx([1 - estimate.interval[1], 1 - estimate.interval[0]])
    assert report["luck"] == pytest.approx(estimate.luck)
    assert report["system"] == "good"


@pytest.mark.parametrize(("items", "is_rough"), [(30, True), (3000, False)])
def test_a_winner_by_few_skewed_losses_is_told_with_care(tmp_path: Path, items: int, is_rough: bool) -> None:
    squared = np.random.default_rng(3).standard_normal((items, 3)) ** 2
    path = tmp_path / "squared.csv"
    path.write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in squared))
    assert ("Caution: a few large losses" in run("winner", path, *LOSSES).output) == is_rough
    assert json.loads(run("winner", path, *LOSSES, "--json").output)["is_rough"] == is_rough


@pytest.mark.parametrize("command", ["ranks", "winner"])
def test_bad_input_is_one_sentence_and_exit_code_two(command: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n0,1\n1,\n")
    result = run(command, path, *LOSSES)
    assert result.exit_code == 2
    assert result.output.startswith("Error: bad.csv, line 3, column 'b'")
    assert run(command, tmp_path / "absent.csv").exit_code == 2
    assert run(command, path, "--missing", "worst", "--confidence", 2).exit_code == 2


@pytest.mark.parametrize("command", ["ranks", "winner"])
def test_help_has_an_example(command: str) -> None:
    assert f"ladderboard {command} losses.csv" in run(command, "--help").output


def test_semeval_2018_from_its_file() -> None:
    path = shared_data("semeval2018_arct") / "predictions.csv.gz"
    options = ("--kind", "predictions", "--labels-column", "label")
    assert "2 of 23 systems could be first (s437952, s436419)" in run("ranks", path, *options).output
    assert found_in(run("winner", path, *options)).startswith("s437952 won with accuracy 71.17 %.")


def test_imagenet_from_its_npz_file() -> None:
    path = shared_data("imagenetv2") / "imagenetv2_3x10k_top1.npz"
    options = ("--kind", "predictions", "--labels-column", "v2_matched_label", "--table", "v2_matched_pred", "--json")
    result = run("ranks", path, *options)
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert len(report["systems"]) == 67
    assert {one["system"] for one in report["systems"] if one["could_be_best"]} == {
        "pnasnet_large_tf",
        "pnasnet5large",
        "nasnet_large_tf",
        "nasnetalarge",
    }


def test_one_system_is_compared_with_nothing(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a\n0\n1\n0\n")
    assert "There is only one system" in run("ranks", tmp_path / "one.csv", *LOSSES).output


def test_who_could_be_first_is_who_has_a_range_from_one() -> None:
    ranges = [RankRange("a", 0.1, 1, 1, 2, 1), RankRange("b", 0.2, 2, 1, 2, 1), RankRange("c", 0.3, 3, 3, 3, 2)]
    assert describe_top(ranges, confidence=0.95).startswith("2 of 3 systems could be first (a, b);")
    alone = [RankRange("a", 0.1, 1, 1, 1, 1), RankRange("b", 0.2, 2, 2, 2, 2)]
    assert describe_top(alone, confidence=0.95).startswith("a is the best of 2 systems;")


@pytest.mark.parametrize("seed", range(3))
def test_no_line_of_the_report_contradicts_a_range(tmp_path: Path, seed: int) -> None:
    # Boards on which the model confidence set is smaller than the set of ranges from 1 (a negative control below).
    rng = np.random.default_rng(seed)
    wrong = rng.random((400, 15)) < np.linspace(0.2, 0.35, 15)
    path = tmp_path / "board.npz"
    np.savez(path, losses=wrong.astype(float))
    report = json.loads(run("ranks", path, "--json").output)
    for one in report["systems"]:
        assert one["could_be_best"] == (one["best"] == 1)
    assert len(best_set(wrong)) < sum(one["best"] == 1 for one in report["systems"])


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Two systems on a small task that decides the mean over tasks, and on two large ones."""
    rng = np.random.default_rng(1)
    rates = {"code": (60, 0.05, 0.6), "law": (600, 0.3, 0.2), "news": (600, 0.3, 0.2)}
    rows = [
        f"{task},{int(rng.random() < ours)},{int(rng.random() < theirs)}\n"
        for task, (count, ours, theirs) in rates.items()
        for _ in range(count)
    ]
    (tmp_path / "tasks.csv").write_text("task,ours,theirs\n" + "".join(rows))
    return tmp_path / "tasks.csv"


TASK_OPTIONS = ("--kind", "losses", "--tasks-column", "task")


def test_the_aggregation_that_decides_is_said(tasks: Path) -> None:
    result = run("ranks", tasks, *TASK_OPTIONS, "--aggregate", "all")
    assert result.exit_code == 0, result.output
    assert "The aggregation decides the winner: theirs by mean over all items, mean rank over tasks" in result.output
    report = json.loads(run("ranks", tasks, *TASK_OPTIONS, "--aggregate", "all", "--json").output)
    assert [one["aggregate"] for one in report["aggregates"]] == ["items", "tasks", "mean_rank", "win_rate", "borda"]


@pytest.mark.parametrize(
    ("aggregate", "first", "measure"),
    [("items", "theirs", "loss"), ("tasks", "ours", "loss"), ("mean-rank", "theirs", "mean rank"),
     ("win-rate", "theirs", "win rate"), ("borda", "theirs", "Borda count")],
)  # fmt: skip
def test_systems_are_ranked_by_the_aggregation_chosen(tasks: Path, aggregate: str, first: str, measure: str) -> None:
    report = json.loads(run("ranks", tasks, *TASK_OPTIONS, "--aggregate", aggregate, "--json").output)
    assert (report["systems"][0]["system"], report["measure"]) == (first, measure)


def test_without_tasks_there_is_nothing_to_aggregate(losses: Path) -> None:
    result = run("ranks", losses, "--kind", "losses", "--aggregate", "tasks")
    assert result.exit_code == 2
    assert "--tasks-column" in result.output


@pytest.fixture
def battles(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    winners = rng.choice(["model_a", "model_b", "tie"], size=400, p=[0.6, 0.3, 0.1])
    rows = [f"q{row // 2},good,poor,{winner}\n" for row, winner in enumerate(winners)]
    (tmp_path / "battles.csv").write_text("question_id,model_a,model_b,winner\n" + "".join(rows))
    return tmp_path / "battles.csv"


def test_battles_are_ranked_by_strengths(battles: Path) -> None:
    result = run("ranks", battles)
    assert result.exit_code == 0, result.output
    assert "good is the best of 2 systems; with 95 % confidence" in result.output
    report = json.loads(run("ranks", battles, "--json").output)
    assert report["units"] == 200
    assert {one["system"]: one["could_be_best"] for one in report["systems"]} == {"good": True, "poor": False}


def test_options_without_effect_on_battles_are_refused(battles: Path) -> None:
    result = run("ranks", battles, "--pairwise")
    assert result.exit_code == 2
    assert "--pairwise has no effect on battles" in result.output


def test_unequal_repeats_are_a_result(tmp_path: Path) -> None:
    """Also where a system has one run of each item: its error is not divided, and that is said."""
    path = tmp_path / "long.csv"
    rng = np.random.default_rng(3)
    repeats = {"ours": 4, "theirs": 2, "once": 1}
    rows = [
        f"q{item},{system},{repeat},{int(rng.random() < 0.6)}"
        for item in range(40)
        for system, runs in repeats.items()
        for repeat in range(runs if item % 2 else 1)
    ]
    path.write_text("item,system,repeat,correct\n" + "\n".join(rows))
    result = run("ranks", path)
    assert result.exit_code == 0, result.output
    assert "each score is the mean of 1 to 4 runs" in result.output
    assert "Repeated runs: " in result.output
    assert "Of 1 of 3 systems there is one run of each item (once): not divided." in result.output
    found = json.loads(run("ranks", path, "--json").output)
    assert {one["system"] for one in found["errors"]} == {"ours", "theirs"}
    assert run("winner", path).exit_code == 0


def test_names_are_whole_in_a_pipe_and_else_cut_where_no_two_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    begin = "organisation/a-model-with-a-very-long-name-indeed-7b-instruct-v"
    names = [f"{begin}1", f"{begin}2", f"{begin[:20]}X{begin[20:]}1"]
    rows = "\n".join(f"q{item},{item % 2},{item % 3 % 2},{item % 5 % 2}" for item in range(30))
    path.write_text(f"id,{','.join(names)}\n{rows}\n")
    shown = found_in(run("ranks", path, *LOSSES))
    assert {line.split()[2] for line in shown.splitlines()[1:4]} == set(names)
    assert shorten_names(names[:2], 21) == ["organisati…nstruct-v1", "organisati…nstruct-v2"]
    assert shorten_names(names, 21) == [names[0], "organisati…nstruct-v2", names[2]]
