"""Ids are found in any order and writing, and a column that is not all of them, each once, is never taken for it."""

import unicodedata
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.tabular import make_ids
from ladderboard.tabular.ids import FORMS, IdIndex, TextIds, WholeIds, id_index
from ladderboard.tabular.key_table import UNKNOWN, KeyTable

WHOLE = st.one_of(st.integers(0, 40), st.integers(-(2**63), 2**63 - 1))
TEXTS = st.text("ab01é", min_size=1, max_size=3)


def places(index: IdIndex, given: list[object]) -> list[int]:
    """As typed keys and as text: the same."""
    typed = index.find_keys(index.make_keys(pl.Series(given)))
    found = list(range(len(index.ids))[typed]) if isinstance(typed, slice) else typed.tolist()
    assert found == index.places([str(one) for one in given]).tolist()
    return found


@given(st.one_of(st.lists(WHOLE, min_size=1, unique=True), st.lists(TEXTS, min_size=1, unique=True)), st.randoms())
@settings(deadline=None)
def test_every_order_of_the_ids_is_found(ids: list[object], chance: object) -> None:
    shuffled = list(ids)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    for order in (ids, shuffled):
        assert places(id_index(np.array(ids)), order) == [ids.index(one) for one in order]


@given(st.lists(WHOLE, min_size=2, unique=True), st.data())
@settings(deadline=None)
def test_a_foreign_id_is_not_found(ids: list[int], data: st.DataObject) -> None:
    other = data.draw(WHOLE.filter(lambda one: one not in ids))
    assert places(id_index(np.array(ids)), [*ids[1:], other]) == [*range(1, len(ids)), UNKNOWN]
    texts = [f"p{one}" for one in ids]
    assert places(id_index(np.array(texts)), [*texts[1:], f"p{other}"]) == [*range(1, len(ids)), UNKNOWN]


def test_a_large_permutation_is_found_and_one_wrong_id_is_seen() -> None:
    rng = np.random.default_rng(0)
    keys = rng.choice(10**12, 100_000, replace=False)
    order = rng.permutation(len(keys))
    assert np.array_equal(np.asarray(WholeIds(keys).find_keys(keys[order])), order)
    wrong = keys[order]
    wrong[7] += 1
    assert np.flatnonzero(WholeIds(keys).find_keys(wrong) == UNKNOWN).tolist() == [7]


@given(st.lists(st.sampled_from(range(-50, 50)), unique=True), st.lists(st.integers(-60, 60)))
@settings(deadline=None)
def test_a_table_of_keys_finds_each_at_its_place(keys: list[int], wanted: list[int]) -> None:
    found = KeyTable(np.array(keys, dtype=np.int64)).find(np.array(wanted, dtype=np.int64))
    assert found.tolist() == [keys.index(one) if one in keys else UNKNOWN for one in wanted]


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


@pytest.mark.parametrize("ids", [["Ångström", "ñu"], ["A\u030angstro\u0308m", "n\u0303u"]], ids=FORMS)
def test_letters_may_be_composed_otherwise(ids: list[str]) -> None:
    text = TextIds(np.array(ids))
    given = ["n\u0303u", "Ångstro\u0308m", "\u212bngström", "nu", "ñ", "ñu\u0301"]
    assert text.places(given).tolist() == [1, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN]


def test_the_accents_of_what_is_too_long_for_an_id_are_never_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """To sort a megabyte of accents takes minutes: its time grows with the square of their number."""
    longest = 0
    normalize = unicodedata.normalize

    def note(form: Literal["NFC", "NFD"], text: str) -> str:
        nonlocal longest
        longest = max(longest, *map(len, text.split("\0")))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", note)
    text = TextIds(np.array(["Ångström", "ñu"]))
    assert text.places(["n\u0303u", "a" + "\u0301\u0323" * 1000, "é"]).tolist() == [1, UNKNOWN, UNKNOWN]
    assert longest == 3
