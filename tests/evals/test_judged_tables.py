"""A table with a judge's and human scores, and every way in which one of them can be missing."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_results
from ladderboard.inference.judges import correct_judge
from tests.evals.readers.written import write_swe_report

BOTH = {"judge_column": "judge", "human_column": "human"}


def write(path: Path, *, labelled: int = 30, tasks: bool = False) -> tuple[Path, np.ndarray, np.ndarray]:
    """Two systems on 90 items; the judge is fond of the second."""
    rng = np.random.default_rng(5)
    human = (rng.random((90, 2)) < 0.6).astype(float)
    judged = np.round(np.clip(human * 0.5 + [0.1, 0.4] + rng.normal(0, 0.1, human.shape), 0, 1), 3)
    rows = ["item,system,judge,human" + ",task" * tasks]
    for item in range(90):
        for column, system in enumerate("ab"):
            label = f"{human[item, column]:.0f}" if item < labelled else ""
            task = f",t{item % 2}" if tasks else ""
            rows.append(f"q{item},{system},{judged[item, column]},{label}{task}")
    path.write_text("\n".join(rows) + "\n")
    human[labelled:] = np.nan
    return path, judged, human


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


@pytest.mark.parametrize("tasks", [False, True])
def test_a_table_is_corrected_by_its_human_scores(tmp_path: Path, tasks: bool) -> None:
    path, judged, human = write(tmp_path / "long.csv", tasks=tasks)
    matrix = read(path, kind="correct", **BOTH)
    expected = correct_judge(judged, 1 - human).losses.mean(axis=0)
    assert matrix.means == pytest.approx(expected)
    assert matrix.measure.name == "accuracy"
    assert any("is corrected by 30 human scores of each system in 'human'" in note for note in matrix.notes)
    assert matrix.left_out == ()


def test_a_judge_without_human_labels_is_refused_with_the_option(tmp_path: Path) -> None:
    path, *_ = write(tmp_path / "long.csv")
    with pytest.raises(InputError, match=r"how far the judge in 'judge' is off; .*\(--human-column\).*--metric judge"):
        read(path, judge_column="judge")
    with pytest.raises(InputError, match=r"--human-column corrects a judge's scores.*\(--judge-column\)"):
        read(path, human_column="human")


def test_the_direction_of_the_human_scores_has_to_be_known(tmp_path: Path) -> None:
    path, *_ = write(tmp_path / "long.csv")
    with pytest.raises(InputError, match=r"holds only 0 and 1 \(human\).*--kind correct"):
        read(path, **BOTH)


def test_too_few_human_scores_are_named_with_the_system(tmp_path: Path) -> None:
    path, *_ = write(tmp_path / "long.csv", labelled=12)
    with pytest.raises(InputError, match=r"a has 12, b has 12 human scores in 'human'; at least 20 of each"):
        read(path, kind="correct", **BOTH)


def test_other_forms_have_no_judge_column(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    wide.write_text("id,a,b\nq1,1,0\nq2,0,1\n")
    with pytest.raises(InputError, match=r"--judge-column needs a row for each item and system"):
        read(wide, kind="correct", **BOTH)
    write_swe_report(tmp_path / "runs", "one", ["a", "b"], ["c"])
    with pytest.raises(InputError, match=r"holds SWE-bench reports; --judge-column and --human-column are columns"):
        read(tmp_path / "runs", **BOTH)
