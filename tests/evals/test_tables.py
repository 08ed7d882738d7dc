"""Loss matrices and boards from files: what is read, and what is refused with which words."""

import gzip
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.evals import ACCURACY, LossMatrix, read_board, read_loss_matrix
from ladderboard.inference.multiplicity.multiplier import sota_from_losses
from ladderboard.metrics import find_metric
from ladderboard.metrics.mse import MeanSquaredError
from tests.shared_data import shared_data

PREDICTIONS = "item_id,label,ours,theirs\nq1,cat,cat,dog\nq2,dog,dog,dog\nq3,cat,dog,cat\n"


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_losses_are_taken_as_they_are(tmp_path: Path) -> None:
    matrix = read_loss_matrix(write(tmp_path, "a,b\n0.5,1\n2,3\n"))
    assert matrix.losses.tolist() == [[0.5, 1], [2, 3]]
    assert matrix.systems == ("a", "b")
    assert matrix.items == ("1", "2")
    assert matrix.scores.tolist() == [1.25, 2.0]


def test_correctness_becomes_a_loss_and_is_shown_as_accuracy(tmp_path: Path) -> None:
    matrix = read_loss_matrix(write(tmp_path, "id,a,b\nx,1,0\ny,0,0.25\n"), kind="correct")
    assert matrix.losses.tolist() == [[0, 1], [1, 0.75]]
    assert matrix.items == ("x", "y")
    assert matrix.scores.tolist() == [0.5, 0.125]


def test_predictions_are_compared_with_the_labels(tmp_path: Path) -> None:
    matrix = read_loss_matrix(write(tmp_path, PREDICTIONS), kind="predictions", labels_column="label")
    assert matrix.losses.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert matrix.items == ("q1", "q2", "q3")
    assert matrix.measure is ACCURACY


def test_a_metric_turns_predictions_into_its_losses(tmp_path: Path) -> None:
    path = write(tmp_path, "label,a,b\n1,1,2\n2,3,2\n3,3,1\n")
    matrix = read_loss_matrix(path, kind="predictions", labels_column="label", metric=MeanSquaredError())
    assert matrix.losses.tolist() == [[0, 1], [1, 0], [0, 4]]
    assert matrix.measure.lower_is_better


def test_auc_is_read_through_its_contributions_and_shown_as_auc(tmp_path: Path) -> None:
    rng = np.random.default_rng(51)
    labels = rng.integers(0, 2, 200)
    scores = {name: labels + rng.normal(0, spread, 200) for name, spread in (("sharp", 1.0), ("blunt", 3.0))}
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"label": labels, **scores}).write_parquet(path)
    matrix = read_loss_matrix(path, kind="predictions", labels_column="label", metric=find_metric("auc"))
    assert matrix.scores == pytest.approx([roc_auc_score(labels, values) for values in scores.values()])
    best = sota_from_losses(matrix)
    assert (best.best_system, best.measure.name) == ("sharp", "auc")
    assert best.adjusted_interval()[0] < best.true_best <= best.observed < best.adjusted_interval()[1]


def test_csv_gzip_tsv_parquet_and_npz_hold_the_same_matrix(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [0.0, 1.0, 1.0], "b": [1.0, 1.0, 0.0]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_csv(tmp_path / "t.tsv", separator="\t")
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    np.savez(tmp_path / "t.npz", losses=frame.to_numpy(), systems=np.array(["a", "b"]))
    for name in ["t.csv", "t.tsv", "t.parquet", "t.csv.gz", "t.npz"]:
        matrix = read_loss_matrix(tmp_path / name)
        assert matrix.systems == ("a", "b")
        np.testing.assert_array_equal(matrix, frame.to_numpy())


def test_an_npz_with_several_tables_asks_which(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", first=np.eye(3), second=1 - np.eye(3), y=np.arange(3))
    with pytest.raises(InputError, match="first, second"):
        read_loss_matrix(tmp_path / "t.npz")
    matrix = read_loss_matrix(tmp_path / "t.npz", table="second")
    assert matrix.systems == ("system 1", "system 2", "system 3")
    assert matrix.losses[0].tolist() == [0, 1, 1]
    with pytest.raises(InputError, match="has no array 'labels'"):
        read_loss_matrix(tmp_path / "t.npz", table="second", kind="predictions", labels_column="labels")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,a\n1,2\n3,4\n", "line 1: 2 columns are called 'a'"),
        ("a,b\n1,2\n1,4\n", "the same number in every row: 'a'"),
        ("a,b\n1,2\n", "table.csv: 1 item left; at least two"),
        ("a,b\n1,2\n3,\n", "line 3, column 'b': the cell is empty; fill it.*--missing drop-items"),
        ("a,b\n1,2\n3,\n,4\n", "line 3, column 'b': the cell is empty, and so is 1 more .*; fill it"),
        ("a,b\n1,2\n3,x\n", "line 3, column 'b': 'x' is not a number"),
        ("id,a\nq,2\nq,3\n", "column 'id' has 'q' twice; keep one of the rows"),
        ("id\nq\nr\n", "no system's column"),
        ("", "the file is empty"),
    ],
)
def test_a_table_no_analysis_can_use_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_loss_matrix(write(tmp_path, text))


def test_values_outside_the_bounds_are_refused_with_their_place(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n0,1\n1,87\n")
    with pytest.raises(InputError, match=r"line 3, column 'b': 87 is outside \[0, 1\]"):
        read_loss_matrix(path, kind="correct")
    with pytest.raises(InputError, match=r"line 3, column 'b': 87 is outside \[0, 10\]"):
        read_loss_matrix(path, bounds=(0, 10))


def test_missing_cells_drop_the_item_or_count_as_worst(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n0,1\n1,\n5,2\n2,2\n")
    dropped = read_loss_matrix(path, missing="drop_items")
    assert dropped.losses.tolist() == [[0, 1], [5, 2], [2, 2]]
    assert dropped.items == ("1", "3", "4")
    assert read_loss_matrix(path, missing="worst").losses[1].tolist() == [1, 5]
    assert read_loss_matrix(path, missing="worst", bounds=(0, 9)).losses[1].tolist() == [1, 9]


def test_a_missing_prediction_counts_as_wrong_when_asked_to(tmp_path: Path) -> None:
    path = write(tmp_path, "label,a,b\ncat,cat,dog\ndog,,dog\n")
    with pytest.raises(InputError, match="line 3, column 'a': the cell is empty"):
        read_loss_matrix(path, kind="predictions", labels_column="label")
    matrix = read_loss_matrix(path, kind="predictions", labels_column="label", missing="worst")
    assert matrix.losses.tolist() == [[0, 1], [1, 0]]


def test_labels_must_be_there_and_of_the_predictions_type(tmp_path: Path) -> None:
    path = write(tmp_path, "label,a\n1,cat\n2,dog\n")
    with pytest.raises(InputError, match="column 'a' holds text, the labels are numbers"):
        read_loss_matrix(path, kind="predictions", labels_column="label")
    with pytest.raises(InputError, match="has no column 'truth'; it has label, a"):
        read_loss_matrix(path, kind="predictions", labels_column="truth")
    with pytest.raises(ParameterError, match="need labels_column"):
        read_loss_matrix(path, kind="predictions")
    hole = write(tmp_path, "label,a\n1,1\n,2\n3,3\n")
    with pytest.raises(InputError, match="line 3: the label is missing"):
        read_loss_matrix(hole, kind="predictions", labels_column="label")


def test_unknown_options_and_files_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n3,4\n")
    with pytest.raises(ParameterError, match="kind is 'loss'"):
        read_loss_matrix(path, kind="loss")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="missing is 'skip'"):
        read_loss_matrix(path, missing="skip")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there is no file"):
        read_loss_matrix(tmp_path / "absent.csv")
    with zipfile.ZipFile(tmp_path / "table.xlsx", "w") as workbook:
        workbook.writestr("[Content_Types].xml", "")
    with pytest.raises(InputError, match=r"table.xlsx: this is an Excel workbook; save it as CSV"):
        read_loss_matrix(tmp_path / "table.xlsx")
    with pytest.raises(InputError, match="not an NPZ file"):
        read_loss_matrix(write(tmp_path, "no archive", "t.npz"))


def test_an_even_system_is_admitted_when_it_is_meant() -> None:
    even = [[0.5, 1], [0.5, 0]]
    with pytest.raises(InputError, match="'system 1'"):
        LossMatrix.of(even)
    assert LossMatrix.of(even, constant=True).means.tolist() == [0.5, 0.5]


def test_all_right_and_all_wrong_are_systems_and_a_constant_on_another_scale_is_not() -> None:
    assert LossMatrix.of([[0, 1, 1], [0, 1, 0]]).means.tolist() == [0, 1, 0.5]
    with pytest.raises(InputError, match="'system 1'"):
        LossMatrix.of([[0, 3.5], [0, 2.5]])


def test_systems_can_be_selected_by_name() -> None:
    matrix = LossMatrix.of([[0, 1, 2], [1, 0, 4]], systems=["a", "b", "c"])
    assert matrix.select(["c", "a"]).losses.tolist() == [[2, 0], [4, 1]]
    with pytest.raises(InputError, match="no system is called 'd'"):
        matrix.select(["d"])


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="item '2', system 'b': the loss is nan"):
        LossMatrix.of([[0.0, 1.0], [1.0, np.nan]], systems=["a", "b"])


def test_a_board_is_sorted_by_time_and_ties_keep_the_files_order(tmp_path: Path) -> None:
    path = write(tmp_path, "team,day,score\nA,2024-03-01,0.8\nB,2023-01-05,0.7\nC,2024-03-01,0.9\n")
    board = read_board(path, "score", team_column="team", order_column="day")
    assert board.teams == ("B", "A", "C")
    assert board.scores.tolist() == [0.7, 0.8, 0.9]
    assert board.order == (date(2023, 1, 5), date(2024, 3, 1), date(2024, 3, 1))


def test_a_boards_gaps_percentages_and_unreadable_times_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "team,day,score\nA,soon,80\nB,later,\n")
    with pytest.raises(InputError, match="line 3: no score in column 'score'"):
        read_board(path, "score")
    with pytest.raises(InputError, match=r"80 is outside .* are the scores percentages"):
        read_board(path, "score", bounds=(0, 1), missing="drop")
    with pytest.raises(InputError, match="'soon' is neither a number nor a date"):
        read_board(path, "score", order_column="day", missing="drop")


def test_the_semeval_predictions_give_the_published_accuracies() -> None:
    folder = shared_data("semeval2018_arct")
    matrix = read_loss_matrix(folder / "predictions.csv.gz", kind="predictions", labels_column="label")
    published = pl.read_csv(folder / "submissions.csv")
    assert matrix.losses.shape == (444, 23)
    expected = dict(zip(published["submission_id"], published["accuracy"], strict=True))
    found = dict(zip((int(name[1:]) for name in matrix.systems), matrix.scores, strict=True))
    assert found == pytest.approx(expected)


def test_the_cifar_archive_gives_the_published_accuracy() -> None:
    path = shared_data("cifar10") / "cifar10_30models.npz"
    matrix = read_loss_matrix(path, kind="predictions", table="cifar10_pred", labels_column="cifar10_label")
    best = int(matrix.means.argmin())
    assert matrix.systems[best] == "shake_shake_26_2x64d_SSI_cutout16"
    assert matrix.scores[best] == pytest.approx(0.9711)


def test_the_msmarco_board_has_twenty_running_records() -> None:
    path = shared_data("msmarco_doc") / "leaderboard.csv"
    board = read_board(path, "mrr_eval", team_column="team", order_column="date", bounds=(0, 1))
    assert len(board) == 117
    records = np.flatnonzero(np.diff(np.maximum.accumulate(np.concatenate([[0], board.scores]))))
    assert len(records) == 20
    assert len(read_board(path, "mrr_dev", missing="drop")) == 96
