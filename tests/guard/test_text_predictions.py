"""A guard of lists, masks and texts: kept in its file, on the command line, and refused by item."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.main import cli

N = 120
LABELS: dict[str, list[list[str]]] = {
    "map": [[f"d{at} e{at}"] for at in range(N)],
    "iou": [[f"{1 + at % 50} 20", "10", "10"] for at in range(N)],
    "chrf": [[f"{at * 7919 % 1000} {at * 31}", ""] for at in range(N)],
}
metrics = pytest.mark.parametrize("metric", LABELS)


def guess(metric: str, right: int) -> list[str]:
    """Of so many items the label, of the others nothing that is right."""
    wrong = {"map": "x", "iou": "100 1", "chrf": "zzz"}[metric]
    return [label[0] if at < right else wrong for at, label in enumerate(LABELS[metric])]


@metrics
def test_a_file_keeps_what_it_needs_to_compare_with(metric: str, tmp_path: Path) -> None:
    for right, improved in ((60, True), (20, False), (115, True)):
        with lb.Holdout(LABELS[metric], metric=metric, path=tmp_path / "guard.db") as holdout:
            assert holdout.score(guess(metric, right)).improved == improved
    with lb.Holdout(LABELS[metric], metric=metric, path=tmp_path / "guard.db") as holdout:
        assert holdout.score(guess(metric, 115)).is_repeat


@metrics
def test_labels_and_predictions_may_be_matched_by_id(metric: str) -> None:
    ids = [f"i{at}" for at in range(N)]
    holdout = lb.Holdout(LABELS[metric], metric=metric, ids=ids, path=":memory:")
    given = dict(zip(ids, guess(metric, N), strict=True))
    assert holdout.score(dict(reversed(given.items()))).improved
    with pytest.raises(lb.PredictionsError, match="item 'i3': prediction None is not text"):
        holdout.score(given | {"i3": None})


def run(*words: object) -> str:
    done = CliRunner().invoke(cli, ["holdout", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_files_of_texts_are_read_as_they_are_written(tmp_path: Path) -> None:
    """Answers that look like numbers are texts, and a reference may be left out."""
    labels, predictions, guard = (tmp_path / name for name in ("labels.csv", "predictions.csv", "guard.db"))
    labels.write_text("id,answer,other\n" + "".join(f"{at},{1900 + at},{'0' * (at % 2)}{at}\n" for at in range(N)))
    columns = ("--column", "answer", "--column", "other")
    run("init", labels, "--to", guard, "--id", "id", *columns, "--metric", "exact_match")
    predictions.write_text("id,answer\n" + "".join(f"{at},{1900 + at}\n" for at in range(N)))
    assert "improved" in run("score", guard, predictions, "--labels", labels).lower()
