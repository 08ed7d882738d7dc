import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ladderboard.competition.solution.split import find_group_strata, is_public


def test_the_split_is_pinned_for_all_time() -> None:
    # Worked once and written down: a competition's split must be the same on every machine and after every upgrade.
    units = [str(i) for i in range(12)]
    public = is_public(units, np.array([0, 1] * 6), share=0.5, seed="pinned")
    assert [unit for unit, one in zip(units, public, strict=True) if one] == PINNED


PINNED = ["0", "5", "6", "7", "10", "11"]


@given(
    strata=st.lists(st.integers(0, 4), min_size=1, max_size=200),
    share=st.integers(1, 999).map(lambda thousandths: thousandths / 1000),
    seed=st.text(max_size=20),
)
def test_every_stratum_gives_its_share_to_within_one_unit(strata: list[int], share: float, seed: str) -> None:
    public = is_public([f"u{i}" for i in range(len(strata))], np.array(strata), share=share, seed=seed)
    assert abs(public.sum() - share * len(strata)) < 1 + 1e-9
    for stratum in set(strata):
        members = np.array(strata) == stratum
        assert abs(public[members].sum() - share * members.sum()) < 1 + 1e-9


def test_every_unit_may_be_public() -> None:
    counts = sum(
        is_public(["a", "b", "c", "d"], np.zeros(4, dtype=np.intp), share=0.25, seed=str(seed)).astype(int)
        for seed in range(400)
    )
    # Binomial(400, 1/4) has an sd of 8.7; 44 is five of them, and the seeds are fixed.
    assert np.all(np.abs(counts - 100) < 44)


def test_a_group_belongs_to_the_stratum_of_most_of_its_rows() -> None:
    group = np.array([0, 0, 0, 1, 1, 2, 2])
    strata = np.array([1, 1, 0, 0, 2, 2, 2])
    assert find_group_strata(group, strata).tolist() == [1, 0, 2]
