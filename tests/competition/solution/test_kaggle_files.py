"""Solutions and submissions in the forms that Kaggle's multi-class competitions have: taken as they are, or refused."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import load_competition
from ladderboard.competition.scaffold import Request, make_folder
from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.tabular import read_predictions
from tests.competition.folders import errors, inspect

CLASSES = ("EAP", "HPL", "MWS")
ROWS = 600


def one_hot(*, rows: int = ROWS, spoil: dict[int, str] | None = None, classes: tuple[str, ...] = CLASSES) -> str:
    """A solution with a column for each class; ``spoil``: other cells for some rows."""
    lines = ["id," + ",".join(classes) + ",Usage"]
    for row in range(rows):
        mine = label(row, len(classes))
        cells = ",".join("1" if place == mine else "0" for place in range(len(classes)))
        lines.append(f"id{row:04},{(spoil or {}).get(row, cells)},{'Public' if row * 37 % 101 % 2 else 'Private'}")
    return "\n".join(lines) + "\n"


def label(row: int, classes: int) -> int:
    return (row * row * 7 + row // 3) % 11 % classes


def make(tmp_path: Path, solution: str, metric: str | None = None) -> Path:
    (tmp_path / "solution.csv").write_text(solution)
    return make_folder(tmp_path / "made", Request(tmp_path / "solution.csv", metric)).folder


def submission(header: str, *, classes: int = 3) -> bytes:
    cells = ",".join([f"{1 / classes}"] * classes)
    return (header + "\n" + "".join(f"id{row:04},{cells}\n" for row in range(ROWS))).encode()


def test_a_column_for_each_class_is_a_label_and_so_are_its_submissions(tmp_path: Path) -> None:
    competition = load_competition(make(tmp_path, one_hot()))
    assert (competition.rules.metric, competition.format.prediction_columns) == ("log_loss", CLASSES)
    wanted = [CLASSES[label(row, 3)] for row in range(ROWS)]
    assert competition.solution.labels.tolist() == wanted, "ids sort as the rows do"
    read = read_predictions(submission("id,HPL,MWS,EAP"), competition.format)
    assert read.values.shape == (ROWS, 3)


def test_the_same_labels_score_the_same_in_one_column_and_in_three(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    single = "id,author,Usage\n" + "".join(
        f"{line.split(',')[0]},{CLASSES[label(row, 3)]},{line.split(',')[-1]}\n"
        for row, line in enumerate(one_hot().splitlines()[1:])
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    both = [
        load_competition(make(tmp_path / "a", one_hot())),
        load_competition(make(tmp_path / "b", single, metric="log_loss")),
    ]
    guess = rng.dirichlet([1, 1, 1], ROWS)
    scores = {one.whole.evaluate(one.whole.read(guess)).score for one in both}
    assert len(scores) == 1


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ({7: "1,1,0"}, ["solution.csv:9", "2 columns are 1", "choose a metric of several labels"]),
        ({7: "0,0,0"}, ["solution.csv:9", "no column is 1"]),
        (
            {row: "1,0,0" for row in range(ROWS) if label(row, 3) == 2},
            ["no row is of class 'MWS'", "remove that column"],
        ),
    ],
)
def test_rows_without_exactly_one_class_are_refused(tmp_path: Path, spoil: dict[int, str], words: list[str]) -> None:
    found = errors(inspect(tmp_path / "x", 'title = "X"\nmetric = "log_loss"\n', one_hot(spoil=spoil)))
    assert len(found) == 1
    for word in words:
        assert word in found[0]


def test_a_class_that_is_no_number_is_refused_by_line(tmp_path: Path) -> None:
    toml = 'title = "X"\nmetric = "log_loss"\n[solution]\nlabel = ["EAP", "HPL", "MWS"]\n'
    found = errors(inspect(tmp_path / "x", toml, one_hot(spoil={7: "1,yes,0"})))
    assert found == [
        "solution.csv:9: 'yes' in column 'HPL' is neither 0 nor 1: of several label columns, each is a class"
    ]


@pytest.mark.parametrize("header", ["id,class_0,class_1,class_2", "id,y_2,y_0,y_1", "id;class_0;class_1;class_2"])
def test_columns_of_classes_may_have_one_word_before_them(tmp_path: Path, header: str) -> None:
    solution = "id,y,Usage\n" + "".join(
        f"id{row:04},{label(row, 3)},{'Public' if row * 37 % 101 % 2 else 'Private'}\n" for row in range(ROWS)
    )
    shape = load_competition(make(tmp_path, solution, metric="log_loss")).format
    content = submission(header.replace(";", ","))
    if ";" in header:
        content = content.replace(b",", b";")
    values = content.decode().replace("0.3333333333333333", "{}").format(*np.tile([0.2, 0.3, 0.5], ROWS)).encode()
    read = read_predictions(values, shape).values
    names = header.replace(";", ",").split(",")[1:]
    order = [int(name[-1]) for name in names]
    assert read[5, order].tolist() == [0.2, 0.3, 0.5]


def test_columns_of_other_classes_are_not_guessed(tmp_path: Path) -> None:
    competition = load_competition(make(tmp_path, one_hot()))
    for header in ("id,class_0,class_1,class_2", "id,p_EAP,q_HPL,p_MWS", "id,xEAP,xHPL,xMWS"):
        with pytest.raises(SubmissionError) as refused:
            read_predictions(submission(header), competition.format)
        assert refused.value.total == 1, header
        assert "the columns should be 'id', 'EAP', 'HPL', 'MWS'" in str(refused.value)


def test_a_header_with_twenty_wrong_columns_is_one_problem(tmp_path: Path) -> None:
    competition = load_competition(make(tmp_path, one_hot()))
    header = "id," + ",".join(f"column{place}" for place in range(20))
    with pytest.raises(SubmissionError) as refused:
        read_predictions(submission(header, classes=20), competition.format)
    assert (refused.value.total, refused.value.problems[0].kind) == (1, "missing_column")


def test_probabilities_where_classes_are_wanted_are_told_what_to_do(tmp_path: Path) -> None:
    competition = load_competition(make(tmp_path, one_hot(), metric="accuracy"))
    assert competition.format.prediction_columns == ("label",)
    with pytest.raises(SubmissionError, match="write the likeliest into a column 'label'"):
        read_predictions(submission("id,EAP,HPL,MWS"), competition.format)


def test_run_length_encoded_masks_are_refused_with_what_to_do(tmp_path: Path) -> None:
    masks = ["4 2 90 11", "1 3", "", "-1"]
    solution = "ImageId,EncodedPixels,Usage\n" + "".join(
        f"{row}.jpg,{masks[row % 4]},{'Public' if row % 2 else 'Private'}\n" for row in range(400)
    )
    for metric in (None, "accuracy"):
        with pytest.raises(InputError, match="height and the width"):
            make(tmp_path, solution, metric)
    ignored = solution.replace(",,", ",1 1,")
    found = errors(inspect(tmp_path / "x", 'title = "X"\nmetric = "accuracy"\n', ignored))
    assert len(found) == 1
    assert "run-length encoded masks" in found[0]


@pytest.mark.parametrize("text", ["1", "10 Downing Street", "3.5 2", "2 x"])
def test_other_labels_are_not_taken_for_masks(tmp_path: Path, text: str) -> None:
    solution = "id,label,Usage\n" + "".join(
        f"{row},{text if label(row, 2) else 'other 1'},{'Public' if row * 37 % 101 % 2 else 'Private'}\n"
        for row in range(ROWS)
    )
    assert errors(inspect(tmp_path / "x", 'title = "X"\nmetric = "accuracy"\n', solution)) == []
