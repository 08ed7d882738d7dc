"""Solutions with several labels or targets: read, refused by line and column, and proposed a metric by `new`."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import inspect_folder
from ladderboard.competition.scaffold import Request, make_folder
from ladderboard.competition.solution.digest import solution_digest
from ladderboard.competition.solution.kept import pack_solution, unpack_solution
from ladderboard.core.errors import CompetitionError

ROWS = 80
NAMES = ("sea", "boat", "sky")


def label_rows(seed: int = 0) -> list[list[object]]:
    table = np.random.default_rng(seed).integers(0, 2, (ROWS, 3))
    return [[number, *row] for number, row in enumerate(table.tolist())]


def write(path: Path, rows: list[list[object]], names: tuple[str, ...] = NAMES) -> Path:
    path.write_text("\n".join([",".join(("id", *names)), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_new_proposes_a_metric_of_several_labels_and_serves_them(tmp_path: Path) -> None:
    made = make_folder(tmp_path / "tags", Request(solution=write(tmp_path / "labels.csv", label_rows())))
    competition = made.competition
    assert (competition.metric.name, competition.format.prediction_columns) == ("mean_columnwise_auc", NAMES)
    assert competition.solution.labels.tolist() == [row[1:] for row in label_rows()]
    assert (tmp_path / "tags" / "sample_submission.csv").read_text().startswith("id,sea,boat,sky\n0,0,0,0\n")


def test_one_class_in_each_row_is_proposed_the_loss_of_probabilities(tmp_path: Path) -> None:
    rows: list[list[object]] = [[number, *np.eye(3, dtype=int)[number % 3].tolist()] for number in range(ROWS)]
    made = make_folder(tmp_path / "one", Request(solution=write(tmp_path / "labels.csv", rows)))
    assert made.competition.metric.name == "log_loss"


def test_targets_are_numbers_in_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows: list[list[object]] = [[number, *row] for number, row in enumerate(rng.normal(size=(ROWS, 2)).tolist())]
    path = write(tmp_path / "targets.csv", rows, ("height", "length"))
    made = make_folder(tmp_path / "targets", Request(solution=path, labels=("height", "length")))
    assert (made.competition.metric.name, made.competition.solution.labels.shape) == ("mean_columnwise_rmse", (ROWS, 2))


@pytest.mark.parametrize("metric", ["multilabel_micro_f1", "hamming_loss", "mean_columnwise_auc"])
def test_a_kept_solution_is_the_same_again(tmp_path: Path, metric: str) -> None:
    path = write(tmp_path / "labels.csv", label_rows())
    competition = make_folder(tmp_path / "tags", Request(solution=path, metric=metric)).competition
    again = unpack_solution(pack_solution(competition))
    assert solution_digest(again) == solution_digest(competition)
    assert again.format.to_wire() == competition.format.to_wire()


@pytest.mark.parametrize(
    ("row", "cells", "words"),
    [
        (3, [3, 1, 2, 0], "solution.csv:5: '2' in column 'boat' is neither 0 nor 1: a row has a label or has it not"),
        (3, [3, 1, "x", 0], "solution.csv:5: label 'x' in column 'boat' is not a number"),
        (3, [3, 1, "", 0], "solution.csv:5: no label in column 'boat'"),
    ],
)
def test_a_bad_label_is_named_by_line_and_column(tmp_path: Path, row: int, cells: list[object], words: str) -> None:
    rows = label_rows()
    rows[row] = cells
    with pytest.raises(CompetitionError, match=words):
        make_folder(
            tmp_path / "tags",
            Request(solution=write(tmp_path / "l.csv", rows), metric="hamming_loss", labels=NAMES),
        )


def test_a_label_that_all_rows_have_is_refused_by_name(tmp_path: Path) -> None:
    rows = [[number, sea, 1, sky] for number, sea, _, sky in label_rows()]
    with pytest.raises(CompetitionError, match="the labels in 'boat' are the same in every row"):
        make_folder(tmp_path / "tags", Request(solution=write(tmp_path / "l.csv", rows), metric="hamming_loss"))


def test_a_metric_of_one_column_refuses_several_targets(tmp_path: Path) -> None:
    rows: list[list[object]] = [[number, 0.5 + number, 2.5 * number] for number in range(ROWS)]
    path = write(tmp_path / "t.csv", rows, ("a", "b"))
    with pytest.raises(CompetitionError, match="2 label columns, but rmse takes one; name only one, or choose"):
        make_folder(tmp_path / "tags", Request(solution=path, metric="rmse", labels=("a", "b")))


def test_a_label_that_is_not_positive_has_its_line_with_mape(tmp_path: Path) -> None:
    rows: list[list[object]] = [[number, 1.5 + number] for number in range(ROWS)]
    rows[4][1] = 0
    path = write(tmp_path / "t.csv", rows, ("label",))
    with pytest.raises(CompetitionError, match=r"solution\.csv:6: label 0 in column 'label' is not positive"):
        make_folder(tmp_path / "p", Request(solution=path, metric="mape"))


def test_every_label_is_in_both_parts_of_a_drawn_split(tmp_path: Path) -> None:
    """A label that only ten rows have is on both sides with a share of it that is off by one at most."""
    rows: list[list[object]] = [[number, number % 2, int(number % 8 == 3)] for number in range(ROWS)]
    path = write(tmp_path / "t.csv", rows, ("common", "rare"))
    for attempt in range(5):
        folder = tmp_path / f"p{attempt}"
        make_folder(folder, Request(solution=path, metric="hamming_loss"))
        found = inspect_folder(folder).competition
        assert found is not None
        rare = found.solution.labels[found.solution.rows("Public"), 1].sum()
        assert 4 <= rare <= 6
