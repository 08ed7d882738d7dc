"""What is asked of an organiser: which class is positive, whether labels are classes, whether classes are public."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.competition import inspect_folder, load_competition, solution_digest
from tests.competition.folders import errors, inspect, solution_csv, write_folder

AUC = 'title = "Whales"\nslug = "whales"\nmetric = "auc"\n'
SICK = solution_csv().replace(",0,", ",diseased,").replace(",1,", ",healthy,")
BY_CLASS = "sample_submission.csv: submissions have a column for each class, so the names of all classes are public"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def texts(rows: int = 300) -> str:
    usage = ["Public", "Private"] * (rows // 2)
    return "\n".join(["id,summary,Usage", *(f"{i},summary of text {i},{use}" for i, use in enumerate(usage))])


@pytest.mark.parametrize("metric", ["auc", "average_precision", "f1", "log_loss", "brier"])
def test_which_of_two_words_is_positive_is_asked(tmp_path: Path, metric: str) -> None:
    [problem] = errors(inspect(tmp_path, AUC.replace("auc", metric), SICK))
    assert problem == (
        f"competition.toml:3: which class is positive, 'diseased' or 'healthy'? {metric} needs to know: write "
        'positive = "diseased" or positive = "healthy" below metric in competition.toml (`new` takes --positive)'
    )


@pytest.mark.parametrize(
    "words", ['metric = "auc"\npositive = "diseased"', '[metric]\nname = "auc"\npositive = "diseased"']
)
def test_it_is_a_key_beside_the_metric_or_in_its_table(tmp_path: Path, words: str) -> None:
    found = inspect(tmp_path, AUC.replace('metric = "auc"', words), SICK)
    assert not errors(found)
    assert found.competition is not None
    assert (found.competition.rules.positive, found.competition.format.positive) == ("diseased", "diseased")
    assert found.competition.rules.metric_options == {}
    labels = found.competition.solution.labels
    chances = (labels == "diseased").astype(float)[found.competition.solution.rows("Public")]
    assert found.competition.public.evaluate(found.competition.public.read(chances)).score == 1.0


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (
            AUC + 'positive = "ill"\n',
            "positive is 'ill', but the classes are 'diseased' and 'healthy'; name one of them",
        ),
        (AUC.replace("auc", "accuracy") + 'positive = "diseased"\n', "accuracy has no positive class"),
        (AUC + "positive = []\n", "positive is []; it must be a text in quotes, a number, or true or false"),
    ],
)
def test_a_positive_class_that_cannot_be_is_refused(tmp_path: Path, toml: str, words: str) -> None:
    assert [problem for problem in errors(inspect(tmp_path, toml, SICK)) if f"competition.toml:4: {words}" in problem]


def test_of_zeros_and_ones_nothing_is_asked_and_the_class_is_told(tmp_path: Path) -> None:
    found = inspect(tmp_path, AUC)
    assert not found.findings
    assert found.competition is not None
    assert found.competition.rules.positive == 1


def test_check_says_the_positive_class_and_the_baseline_as_the_board_shows_it(tmp_path: Path) -> None:
    write_folder(tmp_path, AUC.replace("auc", "f1") + 'positive = "diseased"\n', SICK)
    competition = load_competition(tmp_path)
    told = run("check", tmp_path)
    shown = competition.find_published_baseline()
    assert shown is not None
    assert shown != competition.public.yardstick.baseline_score, "the board shows a rounded score"
    assert f"f1, higher is better; baseline {shown}" in told.output
    assert "positive   'diseased', as participants are told" in told.output
    summary = json.loads(run("check", tmp_path, "--json").output)["summary"]
    assert (summary["positive"], summary["baseline"]) == ("diseased", shown)


def test_new_asks_for_it_and_writes_it(tmp_path: Path) -> None:
    given = tmp_path / "solution.csv"
    given.write_text(SICK)
    refused = run("new", tmp_path / "whales", "--solution", given)
    assert "which class is positive, 'diseased' or 'healthy'?" in refused.output
    assert not (tmp_path / "whales").exists()
    made = run("new", tmp_path / "whales", "--solution", given, "--positive", "diseased")
    assert made.exit_code == 0, made.output
    assert '\npositive = "diseased"\n' in (tmp_path / "whales" / "competition.toml").read_text()
    assert load_competition(tmp_path / "whales").rules.positive == "diseased"


def test_the_commitment_is_the_same_where_the_class_in_force_is_named(tmp_path: Path) -> None:
    """Competitions of earlier versions took the greater label, and their digest says nothing of it."""
    folders = {
        name: write_folder(tmp_path / name, AUC + (f'positive = "{name}"\n' if name != "none" else ""), SICK)
        for name in ("none", "healthy", "diseased")
    }
    none, healthy, diseased = (solution_digest(load_competition(folder)) for folder in folders.values())
    assert none == healthy
    assert diseased != none


def test_the_split_does_not_depend_on_it(tmp_path: Path) -> None:
    solution = "\n".join(line.rpartition(",")[0] for line in SICK.splitlines())
    drawn = '\n[solution]\npublic_share = 0.5\nsplit_seed = "0123456789abcdef"\n'
    first, second = (
        load_competition(write_folder(tmp_path / name, f'{AUC}positive = "{name}"\n{drawn}', solution)).solution.usage
        for name in ("healthy", "diseased")
    )
    assert np.array_equal(first, second)


@pytest.mark.parametrize(("positive", "is_refused"), [("diseased", True), ("healthy", False)])
def test_a_function_that_takes_the_other_class_for_positive_is_refused(
    tmp_path: Path, positive: str, is_refused: bool
) -> None:
    """scikit-learn's AUC takes the greater label for the positive one, whatever the rules say."""
    toml = (
        f'title = "Whales"\nslug = "whales"\n[metric]\nfile = "metric.py"\npositive = "{positive}"\ntakes = "scores"\n'
        "lower_is_better = false\nbounds = [0, 1]\nbaseline = 0.5\n"
    )
    own = "from sklearn.metrics import roc_auc_score as score\n"
    problems = errors(inspect(tmp_path, toml, SICK, metric__py=own))
    told = "competition.toml:3: the metric is better where scores are higher for 'healthy', but the positive class is"
    assert [problem.startswith(told) for problem in problems] == [True] * is_refused


# -- labels that are no classes ---------------------------------------------------------------------------------------


def test_texts_are_asked_about(tmp_path: Path) -> None:
    toml = AUC.replace("auc", "accuracy")
    [problem] = errors(inspect(tmp_path, toml, texts()))
    assert problem.startswith(
        "solution.csv: the labels in column 'summary' hardly repeat (300 different ones in 300 rows)"
    )
    assert 'list every one of them in [solution]: classes = ["…", "…"]' in problem
    listed = json.dumps([f"summary of text {i}" for i in range(300)])
    assert not errors(inspect(tmp_path, f"{toml}[solution]\nclasses = {listed}\n", texts()))


def test_listed_classes_are_those_of_the_labels(tmp_path: Path) -> None:
    toml = AUC.replace("auc", "accuracy") + '[solution]\nclasses = ["diseased", "dead"]\n'
    assert errors(inspect(tmp_path, toml, SICK)) == [
        "competition.toml:5: classes does not list 'healthy', a label of the solution",
        "competition.toml:5: classes lists 'dead', but no label is that; remove it",
    ]


def test_new_refuses_texts_as_classes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    given = tmp_path / "solution.csv"
    given.write_text(texts())
    refused = run("new", tmp_path / "texts", "--solution", given, "--metric", "accuracy")
    assert refused.exit_code != 0
    assert "the labels in column 'summary' hardly repeat" in refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["solution.csv"]


def test_measurements_are_no_classes(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{i * 0.37:.3f},{'Public' if i % 3 else 'Private'}" for i in range(600))
    [problem] = errors(inspect(tmp_path, AUC.replace("auc", "accuracy"), f"id,label,Usage\n{rows}"))
    assert problem == (
        "solution.csv: the labels in column 'label' are 600 different numbers in 600 rows: accuracy would take each "
        "for a class and count exact matches. Name a metric of numbers, such as rmse or mae; if these are classes, "
        'list every one of them in [solution]: classes = ["…", "…"]'
    )


# -- the sample submission -------------------------------------------------------------------------------------------


def test_classes_are_told_only_where_the_sample_shows_all_of_them(tmp_path: Path) -> None:
    toml, ids = AUC.replace("auc", "accuracy"), range(2000)
    for shown, is_shown in (("", False), ("diseased", False), ("diseased healthy", True)):
        words = shown.split()
        rows = "\n".join(f"{i},{words[i % len(words)]}" for i in ids) if words else ""
        sample = {"sample_submission__csv": f"id,label\n{rows}\n"} if words else {}
        found = inspect(tmp_path, toml, SICK, **sample)
        assert not errors(found)
        assert found.competition is not None
        assert found.competition.format.shows_classes == is_shown, shown
        assert found.competition.format.to_wire()["classes"] == (["diseased", "healthy"] if is_shown else [])


def test_a_column_for_each_class_needs_a_sample_that_says_so(tmp_path: Path) -> None:
    solution = solution_csv().replace(",0,", ",a,", 1)
    toml = AUC.replace("auc", "log_loss")
    [problem] = errors(inspect(tmp_path, toml, solution.replace("\n7,", "\n7,a,Public\n9999,")))
    assert problem.startswith(BY_CLASS)
    assert run("check", tmp_path, "--write-sample").exit_code == 0
    assert (tmp_path / "sample_submission.csv").read_text().startswith("id,0,1,a\n")
    (tmp_path / "sample_submission.csv").unlink()
    (tmp_path / "competition.toml").write_text(toml + '[solution]\npredictions = ["p0", "p1", "p2"]\n')
    assert not errors(inspect_folder(tmp_path))


def test_a_sample_of_another_metric_is_written_anew_by_one_command(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text(SICK)
    made = run("new", tmp_path / "clicks", "--solution", tmp_path / "solution.csv", "--positive", "diseased")
    assert made.exit_code == 0, made.output
    rules = tmp_path / "clicks" / "competition.toml"
    rules.write_text(rules.read_text().replace('metric = "auc"', 'metric = "accuracy"').replace("\npositive", "\n#"))
    told = run("check", tmp_path / "clicks")
    assert "sample_submission.csv: warning: it does not fit the metric and the solution" in told.output
    assert "`ladderboard check --write-sample` writes one that does" in told.output
    again = run("check", tmp_path / "clicks", "--write-sample")
    assert again.exit_code == 0, again.output
    assert "sample_submission.csv" not in again.output
    assert load_competition(tmp_path / "clicks").format.shows_classes


def test_no_sample_is_written_that_would_show_texts(tmp_path: Path) -> None:
    write_folder(tmp_path, AUC.replace("auc", "accuracy"), texts())
    assert run("check", tmp_path, "--write-sample").exit_code == 1
    assert not (tmp_path / "sample_submission.csv").exists()
