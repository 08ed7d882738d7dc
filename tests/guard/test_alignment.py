"""Items by id: whatever carries ids is scored by them, and what could be misread is refused by name, uncharged."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ladderboard.core.errors import InputError, LabelsError, PredictionsError
from ladderboard.core.records import Release
from ladderboard.guard.holdout import Holdout
from tests.guard.guards import labels_of, with_errors

LABELS = labels_of()
GOOD = with_errors(LABELS, 120)
NAMES = [f"row {number}" for number in range(600)]
SHUFFLED = np.random.default_rng(1).permutation(600)
PLACES = np.random.default_rng(2).permutation(5000)[:600]
"""Whole numbers as the index of a test split has them."""


@pytest.fixture
def expected() -> Release:
    """What the predictions score in the holdout's order."""
    return Holdout(LABELS, path=":memory:", seed=3).score(GOOD)


def named_holdout(labels: Any, **options: Any) -> Holdout:
    return Holdout(labels, path=":memory:", seed=3, **options)


def shuffled_series(ids: Any = NAMES) -> pd.Series:
    return pd.Series(GOOD, index=ids).iloc[SHUFFLED]


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(LABELS, index=NAMES),
        dict(zip(NAMES, LABELS.tolist(), strict=True)),
        pl.DataFrame({"id": NAMES, "y": LABELS}),
        pd.DataFrame({"y": LABELS, "Item": NAMES}),
    ],
    ids=["series", "dict", "polars", "pandas frame"],
)
@pytest.mark.parametrize(
    ("predictions", "ids"),
    [
        (shuffled_series(), None),
        (shuffled_series().to_dict(), None),
        (GOOD[SHUFFLED], np.array(NAMES)[SHUFFLED]),
        (pl.DataFrame({"id": np.array(NAMES)[SHUFFLED], "p": GOOD[SHUFFLED]}), None),
        (GOOD, None),
        (GOOD.tolist(), None),
    ],
    ids=["series", "dict", "ids=", "polars", "array", "list"],
)
def test_predictions_are_scored_by_id_whatever_carries_them(
    labels: Any, predictions: Any, ids: Any, expected: Release
) -> None:
    assert named_holdout(labels).score(predictions, ids=ids) == expected


def test_the_numbers_of_a_test_split_are_ids(expected: Release) -> None:
    holdout = named_holdout(pd.Series(LABELS, index=PLACES))
    assert holdout.score(shuffled_series(PLACES)) == expected
    again = shuffled_series(PLACES)
    again.index = [str(place) for place in again.index]  # as a file would have them
    assert holdout.score(again).is_repeat
    again.index = again.index.astype(float)
    assert holdout.score(again).is_repeat


def test_a_shared_index_is_compared_once_and_still_aligned(expected: Release) -> None:
    holdout = named_holdout(pd.Series(LABELS, index=NAMES))
    first = shuffled_series()
    assert holdout.score(first) == expected
    worse = pd.Series(with_errors(LABELS, 200), index=NAMES).iloc[SHUFFLED].to_numpy()
    other = Holdout(LABELS, path=":memory:", seed=3)
    other.score(GOOD)
    assert holdout.score(pd.Series(worse, index=first.index)) == other.score(with_errors(LABELS, 200))


def test_rows_of_probabilities_are_aligned_as_a_whole() -> None:
    table = np.stack([1 - 0.8 * LABELS, 0.8 * LABELS], axis=1)
    by_position = Holdout(LABELS, "log_loss", path=":memory:", seed=3).score(table)
    frame = pd.DataFrame(table, index=NAMES).iloc[SHUFFLED]
    assert named_holdout(pd.Series(LABELS, index=NAMES), metric="log_loss").score(frame) == by_position


def test_weights_and_groups_are_aligned_too() -> None:
    weight, group = np.linspace(1, 1.5, 600), np.arange(600) // 2
    by_position = Holdout(LABELS, path=":memory:", seed=3, weight=weight, group=group).score(GOOD)
    holdout = named_holdout(
        pd.Series(LABELS, index=NAMES),
        weight=pd.Series(weight, index=NAMES).iloc[SHUFFLED],
        group=pd.Series(group, index=NAMES).iloc[::-1],
    )
    assert holdout.score(GOOD) == by_position
    with pytest.raises(LabelsError, match="there is no weight for item 'row 0'"):
        named_holdout(pd.Series(LABELS, index=NAMES), weight=pd.Series(weight[1:], index=NAMES[1:]))


REFUSED: list[tuple[str, Any, Any, Any, str]] = [
    ("missing", NAMES, shuffled_series().drop("row 7"), None, "there is no prediction for item 'row 7'"),
    ("unknown", NAMES, {**dict.fromkeys(NAMES, 0), "x": 1}, None, "a prediction for the unknown item 'x'"),
    ("twice", NAMES, pd.Series(GOOD, index=["row 0", *NAMES[:-1]]), None, "several predictions for item 'row 0'"),
    ("twice by ids=", NAMES, GOOD, ["row 0", *NAMES[:-1]], "several predictions for item 'row 0'"),
    ("many", NAMES, {"row 0": 1}, None, r"items 'row 1', .*, … \(599 in all\)"),
    ("two of ids", NAMES, shuffled_series(), NAMES, "ids= differs from the ids"),
    ("no id", NAMES, pd.Series(GOOD, index=[None, *NAMES[1:]]), None, "row 0: the prediction's id is missing"),
    ("not an id", NAMES, pd.Series(GOOD, index=[pd.NA, *NAMES[1:]]), None, "row 0: the prediction's id is missing"),
    ("default index", NAMES, pd.Series(GOOD), None, "pandas' default index .* such as row 0"),
    ("default for numbers", SHUFFLED, pd.Series(GOOD), None, "pandas' default index"),
    ("ids for none", None, shuffled_series(), None, "the holdout was made without"),
    ("a permutation for none", None, pd.Series(GOOD, index=SHUFFLED), None, "the holdout was made without"),
    ("dict for none", None, dict(zip(SHUFFLED.tolist(), GOOD, strict=True)), None, "the holdout was made without"),
    ("a bad value", NAMES, {**shuffled_series().to_dict(), "row 4": 7}, None, "item 'row 4': prediction 7 is not one"),
    ("too few by position", NAMES, GOOD[1:], None, "599 predictions for 600 items"),
]


@pytest.mark.parametrize(
    ("ids", "predictions", "given", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_could_be_misread_is_refused_by_name_and_costs_nothing(
    ids: Any, predictions: Any, given: Any, said: str
) -> None:
    holdout = named_holdout(LABELS, ids=ids)
    with pytest.raises(PredictionsError, match=said):
        holdout.score(predictions, ids=given)
    assert holdout.attempts == 0


def test_a_series_in_plain_order_needs_no_ids(expected: Release) -> None:
    """pandas' default index for a holdout from a list, a Series or an index that only counts."""
    for labels in (LABELS.tolist(), pd.Series(LABELS), pd.Series(LABELS, index=list(range(600)))):
        assert named_holdout(labels).score(pd.Series(GOOD)) == expected
        assert named_holdout(labels).score(pd.Series(GOOD, index=list(range(600)))) == expected


@pytest.mark.parametrize(
    ("ids", "said"),
    [(NAMES[:-1], "599 ids for 600 items"), (["row 0", *NAMES[:-1]], "several labels for item 'row 0'")],
)
def test_ids_of_a_holdout_are_one_for_each_item(ids: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        named_holdout(LABELS, ids=ids)


def test_a_pair_of_names_is_an_id(expected: Release) -> None:
    index = pd.MultiIndex.from_product([range(200), ["a", "b", "c"]])
    holdout = named_holdout(pd.Series(LABELS, index=index))
    assert holdout.score(shuffled_series(index)) == expected
