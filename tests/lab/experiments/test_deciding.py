"""The error rate of verdicts: exact tests, checked against exact enumeration and under controls."""

import numpy as np
import pytest
from scipy.stats import binom

from ladderboard_lab.experiments.base import Verdict, check_claim
from ladderboard_lab.experiments.deciding import (
    MOST_PARTS,
    PART_LEVEL,
    VERDICT_LEVEL,
    Evidence,
    agrees,
    usually,
    usually_positive,
)


@pytest.mark.parametrize("trials", [2, 17, 40, 200])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_claim_at_the_boundary_is_decided_wrongly_no_more_often_than_the_level(trials: int, share: float) -> None:
    decisions = [Evidence(successes, trials, share).decision for successes in range(trials + 1)]
    weights = binom.pmf(np.arange(trials + 1), trials, share)
    for wrong in ("holds", "does not hold"):
        assert weights[[one == wrong for one in decisions]].sum() <= PART_LEVEL


def test_seventeen_repetitions_of_the_same_are_the_fewest_that_decide() -> None:
    assert Evidence(16, 16).decision == Evidence(0, 16).decision == "not decided"
    assert Evidence(17, 17).decision == "holds"
    assert Evidence(0, 17).decision == "does not hold"


@pytest.mark.parametrize(("share", "trials"), [(0.95, 39), (0.8, 127)])
def test_the_stated_number_of_repetitions_decides(share: float, trials: int) -> None:
    power = sum(
        binom.pmf(successes, trials, share)
        for successes in range(trials + 1)
        if Evidence(successes, trials).decision == "holds"
    )
    # The normal approximation promises .999; the lattice and the skewness take a little of it.
    assert power > 0.99


def test_the_parts_of_a_verdict_share_its_level() -> None:
    part = usually([True] * 20)
    assert pytest.approx(VERDICT_LEVEL) == MOST_PARTS * PART_LEVEL
    Verdict((check_claim("ten parts", [part] * MOST_PARTS),), "")
    with pytest.raises(ValueError, match="11 tests exceeds its level"):
        Verdict((check_claim("eleven parts", [part] * (MOST_PARTS + 1)),), "")


def test_a_verdict_is_no_better_than_its_worst_check_that_counts() -> None:
    yes, no, open_ = usually([True] * 20), usually([False] * 20), usually([True, False] * 10)
    assert check_claim("", [yes, open_]).decision == "not decided"
    assert check_claim("", [no, open_]).decision == "does not hold"
    holds, fails = check_claim("a", yes), check_claim("b", no)
    assert Verdict((holds, fails), "").decision == "does not hold"
    assert Verdict((holds, check_claim("b", open_)), "").decision == "not decided"
    assert Verdict((holds, check_claim("b", no, caveat="not reproduced on our stand-in")), "").holds
    assert Verdict((check_claim("b", yes, caveat="needs full size"),), "").decision == "not decided"
    with pytest.raises(ValueError, match="at least one check"):
        Verdict((), "")


def test_ties_do_not_support_a_claim() -> None:
    values = np.zeros(30)
    assert usually(values > 0).decision == "does not hold"
    assert usually_positive(values).decision == "not decided"
    assert usually_positive([*values, *[0.1] * 17]).decision == "holds"
    assert usually_positive([*values, *[-0.1] * 17]).decision == "does not hold"


def test_only_truth_values_by_repetition_are_evidence() -> None:
    with pytest.raises(ValueError, match="one truth value for each repetition"):
        usually(np.ones(5))
    with pytest.raises(ValueError, match="evidence, or one truth value"):
        check_claim("nothing", [])


def test_means_of_the_same_law_disagree_no_more_often_than_the_level() -> None:
    # 4,000 experiments of eight numbers: at a level of 1e-5 one that disagrees has a probability below .04.
    rng = np.random.default_rng(5)
    samples = rng.standard_normal((4000, 8, 12))
    distances = samples.mean(axis=2) / (samples.std(axis=2, ddof=1) / np.sqrt(12))
    assert sum(not agrees(one, degrees=11) for one in distances) <= 1
    assert not any(agrees(one + 30, degrees=11) for one in distances[:100])
