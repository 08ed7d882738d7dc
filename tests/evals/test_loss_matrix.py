"""Loss matrices: their labels, repeats and the shapes they refuse."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.errors import InputError

RUNS = np.array([[[0, 1, 1], [1, 1, 1]], [[0, 0, 0], [0, 1, 0]]], float)


def test_repeats_hold_the_variance_of_the_mean() -> None:
    repeats = lb.Repeats.of(RUNS)
    assert repeats.counts.tolist() == [[3, 3], [3, 3]]
    assert repeats.variances == pytest.approx(np.array([[1 / 9, 0], [0, 1 / 9]]))


def test_a_selection_keeps_groups_tasks_repeats_and_dates() -> None:
    matrix = lb.LossMatrix.of(
        RUNS.mean(axis=2),
        systems=["a", "b"],
        groups=["g", "g"],
        tasks=["t", "u"],
        repeats=lb.Repeats.of(RUNS),
        dates=["2025-01-01", "2025-02-01"],
        notes=["one sentence"],
    )
    chosen = matrix.select(["b"])
    assert (chosen.groups, chosen.tasks, chosen.dates) == (("g", "g"), ("t", "u"), ("2025-02-01",))
    assert chosen.repeats is not None
    assert chosen.repeats.variances == pytest.approx(np.array([[0], [1 / 9]]))
    assert chosen.notes == ("one sentence",)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"groups": ["g"]}, "1 group labels for 2 items"),
        ({"tasks": ["t", "u", "v"]}, "3 task labels for 2 items"),
        ({"dates": ["2025-01-01"]}, "1 date labels for 2 systems"),
        ({"repeats": lb.Repeats.of(RUNS).select([0])}, r"repeats have shape \(2, 1\)"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lb.LossMatrix.of([[0, 1], [1, 0]], **labels)  # type: ignore[arg-type]
