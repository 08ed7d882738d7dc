"""Two files with one system each: what is matched, and what is refused."""

from typing import Any

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import ACCURACY, LossMatrix, Repeats
from ladderboard.evals.joining import join_results


def results(system: str, items: list[str], losses: list[float] | None = None, **more: Any) -> LossMatrix:
    column = [float(row % 2) for row in range(len(items))] if losses is None else losses
    return LossMatrix.of(np.array(column)[:, None], systems=[system], items=items, measure=ACCURACY, **more)


def test_items_are_matched_by_name_in_any_order() -> None:
    joined = join_results(results("new", ["a", "b", "c"], [0, 1, 0]), results("old", ["c", "a", "b"], [1, 0, 0]))
    assert joined.systems == ("new", "old")
    assert dict(zip(joined.items, joined.losses.tolist(), strict=True)) == {"a": [0, 0], "b": [1, 0], "c": [0, 1]}
    assert "3 items matched by name" in joined.notes


def test_items_of_one_file_alone_are_refused_with_their_counts() -> None:
    new, old = results("new", ["a", "b", "c"]), results("old", ["b", "c", "d", "e"])
    with pytest.raises(InputError, match=r"2 items are in both results, 1 only in the new results, 2 only in the old"):
        join_results(new, old)


def test_items_left_out_are_said_with_how_well_they_went() -> None:
    new, old = results("new", ["a", "b", "c"], [0, 1, 1]), results("old", ["a", "b", "d"], [0, 0, 1])
    joined = join_results(new, old, missing="drop_items")
    assert joined.items == ("a", "b")
    assert "on the 1 items that only old has it scores 0.00 %; on the common ones 100.00 %" in joined.notes
    worst = join_results(new, old, missing="worst")
    assert dict(zip(worst.items, worst.losses.tolist(), strict=True))["c"] == [1, 1]


def test_the_same_name_in_both_files_is_kept_apart() -> None:
    joined = join_results(results("model", ["a", "b"]), results("model", ["a", "b"], [1, 0]))
    assert joined.systems == ("model (new)", "model (old)")


def test_runs_groups_and_tasks_are_kept() -> None:
    more: dict[str, Any] = {
        "groups": ["p", "p", "q"],
        "tasks": ["t", "t", "u"],
        "repeats": Repeats(np.full((3, 1), 4), np.ones((3, 1))),
    }
    joined = join_results(
        results("new", ["a", "b", "c"], **more),
        results("old", ["a", "b", "c"], groups=["p", "p", "q"], tasks=["t", "t", "u"]),
    )
    assert (joined.groups, joined.tasks) == (("p", "p", "q"), ("t", "t", "u"))
    assert joined.repeats is not None
    assert joined.repeats.counts.tolist() == [[4, 1]] * 3


@pytest.mark.parametrize(
    ("new", "old", "words"),
    [
        (results("n", ["a", "b"]), results("o", ["x", "y"]), "0 items have the same name in both results"),
        (
            results("n", ["1", "2"]),
            results("o", ["1", "2", "3"]),
            "the items have no names, and there are 2 in the new",
        ),
        (results("n", ["a", "b"], groups=["p", "q"]), results("o", ["a", "b"]), "only the new results have groups"),
        (
            results("n", ["a", "b"], tasks=["p", "q"]),
            results("o", ["a", "b"], tasks=["p", "r"]),
            "item 'b' is of task 'q' in the new results, of 'r' in the old",
        ),
        (LossMatrix.of([[0.5], [0.1]]), results("o", ["1", "2"]), "the new results are measured by loss"),
        (LossMatrix.of([[0, 1], [1, 0]]), results("o", ["1", "2"]), "the new results hold 2 systems"),
    ],
)
def test_what_cannot_be_matched_is_one_sentence(new: LossMatrix, old: LossMatrix, words: str) -> None:
    with pytest.raises(InputError, match=words):
        join_results(new, old)
