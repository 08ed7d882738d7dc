"""Frames of class probabilities: columns are read by their names, and names that say nothing are refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ladderboard.core.errors import PredictionsError
from ladderboard.guard.alignment import list_with_ids
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.leaderboard import Leaderboard

CLASSES = ["ant", "bee", "cat"]
CODES = np.random.default_rng(0).integers(0, 3, 300)
LABELS = np.array(CLASSES)[CODES]
GOOD = np.where(np.arange(3) == CODES[:, None], 0.8, 0.1)
TURNED = ["cat", "ant", "bee"]


def make_frame(kind: str, columns: list[Any]) -> Any:
    pandas = pd.DataFrame(GOOD, columns=columns)
    return pandas if kind == "pandas" else pl.DataFrame(GOOD, schema=[*map(str, columns)])


def make_holdout() -> Holdout:
    return Holdout(LABELS, "log_loss", path=":memory:", seed=1)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("prefix", ["", "P_"])
def test_columns_are_read_by_the_class_they_are_called_after(kind: str, prefix: str) -> None:
    holdout = make_holdout()
    expected = holdout.score(GOOD)
    frame = make_frame(kind, [prefix + name for name in CLASSES])[[prefix + name for name in TURNED]]
    assert holdout.score(frame).is_repeat  # the very same predictions
    assert Leaderboard(LABELS, "log_loss", seed=1).submit("we", frame).value == expected.value
    assert list_with_ids(frame, classes=CLASSES)[0] == GOOD.tolist()


@pytest.mark.parametrize("columns", [[0, 1, 2], ["column_0", "column_1", "column_2"]])
def test_columns_that_nobody_named_are_in_the_order_of_the_classes(columns: list[Any]) -> None:
    holdout = make_holdout()
    holdout.score(GOOD)
    assert holdout.score(make_frame("pandas", columns)).is_repeat


def test_columns_beside_an_id_column_are_read_by_name_too() -> None:
    names = [f"row {number}" for number in range(300)]
    holdout = Holdout(LABELS, "log_loss", path=":memory:", seed=1, ids=names)
    holdout.score(GOOD)
    frame = make_frame("pandas", CLASSES)[TURNED].assign(id=names)
    assert holdout.score(frame.iloc[::-1]).is_repeat


def test_names_that_are_no_classes_are_refused() -> None:
    holdout = make_holdout()
    refusal = r"the columns x, y, z are not called like ant, bee, cat; rename them, or give an array"
    with pytest.raises(PredictionsError, match=refusal):
        holdout.score(make_frame("pandas", ["x", "y", "z"]))
    assert holdout.attempts == 0


def test_the_columns_of_a_numbered_class_may_be_numbers() -> None:
    labels = np.arange(600) % 2 * 1.0
    chance = np.where(labels == 1, 0.9, 0.1)
    holdout = Holdout(labels, "log_loss", path=":memory:", seed=1)
    holdout.score(chance)
    assert holdout.score(pd.DataFrame({1: chance, 0: 1 - chance})).is_repeat


def test_a_leaderboard_reads_weights_by_id() -> None:
    names = [f"row {number}" for number in range(300)]
    labels, weight = pd.Series(LABELS, index=names), pd.Series(1.0 + np.arange(300), index=names)
    board = Leaderboard(labels, "log_loss", seed=1, weight=weight.to_numpy())
    shuffled = Leaderboard(labels, "log_loss", seed=1, weight=weight.sample(frac=1, random_state=0))
    assert board.submit("we", GOOD) == shuffled.submit("we", GOOD)


# -- several labels of an item -----------------------------------------------------------------------------------------

TAGS = np.random.default_rng(1).integers(0, 2, (300, 3))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_columns_of_labels_are_matched_by_name(library: Any) -> None:
    labels = library({name: TAGS[:, at] for at, name in enumerate(CLASSES)})
    holdout = Holdout(labels, "hamming_loss", path=":memory:", seed=1)
    first = holdout.score(np.where(np.arange(300)[:, None] % 5 == 0, 1 - TAGS, TAGS))
    turned = library(dict(zip(TURNED, TAGS.T[[2, 0, 1]], strict=True)))
    assert first.value == pytest.approx(0.2, abs=0.01)
    assert holdout.score(turned).value == 0
    assert Leaderboard(labels, "hamming_loss", seed=1).submit("we", turned).value == 0


def test_columns_that_are_called_otherwise_than_the_labels_are_refused() -> None:
    holdout = Holdout(pd.DataFrame(TAGS, columns=CLASSES), "hamming_loss", path=":memory:", seed=1)
    with pytest.raises(PredictionsError, match="the columns ant, bee, dog are not called like ant, bee, cat"):
        holdout.score(pd.DataFrame(TAGS, columns=["ant", "bee", "dog"]))
    with pytest.raises(PredictionsError, match="2 columns of predictions, but there are 3 columns of labels"):
        holdout.score(pd.DataFrame(TAGS[:, :2], columns=["ant", "bee"]))
    assert holdout.attempts == 0


def test_labels_without_names_are_read_in_their_order() -> None:
    holdout = Holdout(TAGS, "hamming_loss", path=":memory:", seed=1)
    assert holdout.class_columns == ()
    assert holdout.score(pd.DataFrame(TAGS, columns=CLASSES)).value == 0
