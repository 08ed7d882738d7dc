"""Ids are found in any order and writing, and a column that is not all of them, each once, is never taken for it."""

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.tabular import make_ids
from ladderboard.tabular.ids import UNKNOWN, IdIndex, TextIds, WholeIds, id_index

WHOLE = st.one_of(st.integers(0, 40), st.integers(-(2**63), 2**63 - 1))
TEXTS = st.text("ab01é", min_size=1, max_size=3)


def rows(index: IdIndex, given: list[object]) -> list[int] | None:
    found = index.find_rows(index.make_keys(pl.Series(given)))
    return None if found is None else np.arange(len(given))[found].tolist()


@given(st.one_of(st.lists(WHOLE, min_size=1, unique=True), st.lists(TEXTS, min_size=1, unique=True)), st.randoms())
@settings(deadline=None)
def test_every_order_of_the_ids_is_found(ids: list[object], chance: object) -> None:
    shuffled = list(ids)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rows(id_index(np.array(ids)), shuffled) == [shuffled.index(one) for one in ids]


@given(st.lists(WHOLE, min_size=2, unique=True), st.data())
@settings(deadline=None)
def test_a_column_with_a_repeated_missing_or_foreign_id_is_not_taken(ids: list[int], data: st.DataObject) -> None:
    changed: list[object] = list(ids)
    at = data.draw(st.integers(0, len(ids) - 1))
    changed[at] = data.draw(st.one_of(WHOLE, st.sampled_from(ids)).filter(lambda one: one != ids[at]))
    assert rows(id_index(np.array(ids)), changed) is None
    assert rows(id_index(np.array(ids)), list(ids[:-1])) is None
    assert rows(id_index(np.array([f"p{one}" for one in ids])), [f"p{one}" for one in changed]) is None


def test_a_large_permutation_is_found_and_one_wrong_id_is_seen() -> None:
    rng = np.random.default_rng(0)
    keys = rng.choice(10**12, 100_000, replace=False)
    order = rng.permutation(len(keys))
    known = WholeIds(keys)
    found = known.find_rows(keys[order])
    assert found is not None
    assert np.array_equal(keys[order][found], keys)
    wrong = keys[order]
    wrong[7] += 1
    assert known.find_rows(wrong) is None


def test_ids_are_integers_only_where_all_are_written_so() -> None:
    assert make_ids(["7", "-12", "0"]).dtype == np.int64
    for texts in (["7", "007"], ["7", "-0"], ["7", "+8"], ["7", "8.0"], ["7", "x"], ["7", str(2**63)], ["7", " 8"]):
        assert make_ids(texts).tolist() == texts


def test_single_ids_are_found_in_every_writing_and_strangers_are_not() -> None:
    whole = WholeIds(np.array([5, -3, 12]))
    assert whole.places(["12", " 5.0", "-03", '"12"', "1.2e1"]).tolist() == [2, 0, 1, 2, 2]
    assert set(whole.places(["5.5", "", "x", "9" * 40, "1e400", "5_0", "٥"]).tolist()) == {UNKNOWN}
    text = TextIds(np.array(["a b", "07", "7", "9", '"q"']))
    given = ["a b", " a b ", "7", "07", "007", "9.0", "009", '"q"', "a", "a b c d e f", ""]
    assert text.places(given).tolist() == [0, 0, 2, 1, UNKNOWN, 3, 3, 4, UNKNOWN, UNKNOWN, UNKNOWN]
