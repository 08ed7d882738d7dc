import math
import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import skew

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix
from ladderboard.inference import covariance
from ladderboard.inference.covariance import paired_means


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float32, np.float64])
def test_the_covariance_of_the_means_is_numpys_divided_by_n(
    kind: npt.DTypeLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(covariance, "_CELLS_PER_BLOCK", 1000)  # several blocks, the last one partly filled
    losses = (np.random.default_rng(1).random((777, 5)) < [0.1, 0.3, 0.3, 0.5, 0.9]).astype(kind)
    paired = paired_means(losses)
    np.testing.assert_allclose(paired.covariance, np.cov(losses.astype(float).T) / 777, rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(paired.means, losses.astype(float).mean(axis=0), rtol=1e-14)
    assert (paired.is_binary, paired.spacing) == (True, 1 / 777)


def test_a_large_offset_does_not_spoil_the_covariance() -> None:
    losses = np.random.default_rng(2).normal(size=(500, 3))
    far = paired_means(losses + 1e8).covariance
    np.testing.assert_allclose(far, paired_means(losses).covariance, rtol=1e-6)


def test_the_skewness_of_each_system_is_scipys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covariance, "_CELLS_PER_BLOCK", 1000)
    losses = np.random.default_rng(4).exponential(size=(777, 5)) * [1e-9, 1, -1, 1e9, 0]
    paired = paired_means(losses)
    np.testing.assert_allclose(paired.skewness[:4], skew(losses[:, :4]), rtol=1e-9)
    assert paired.skewness[4] == 0
    assert paired.of([3, 1]).skewness.tolist() == paired.skewness[[3, 1]].tolist()


def test_lattices_are_recognised() -> None:
    assert paired_means([[0.0, 2.0], [1.0, 1.0]]).spacing == 0.5
    assert not paired_means([[0.0, 2.0], [1.0, 1.0]]).is_binary
    assert paired_means([[0.0, 0.5], [1.0, 1.0]]).spacing == 0.25  # two runs of two items
    assert not paired_means([[0.0, 0.5], [1.0, 1.0]]).is_binary
    assert paired_means([[0.0, math.sqrt(0.5)], [1.0, 1.0]]).spacing == 0
    assert not paired_means([[0, -1], [1, 1]]).is_binary


def test_systems_that_never_differ_have_a_difference_of_variance_zero() -> None:
    losses = np.random.default_rng(3).normal(0.1, 0.01, size=(1000, 3))
    losses[:, 2] = losses[:, 0]
    variances = paired_means(losses).difference_variances
    assert variances[0, 2] == 0 == variances[1, 1]
    assert variances[0, 1] == pytest.approx(np.var(losses[:, 0] - losses[:, 1], ddof=1) / 1000)


def test_one_item_in_a_million_still_makes_a_difference() -> None:
    losses = np.zeros((1_000_000, 2), dtype=np.int8)
    losses[:500_000] = 1
    losses[0, 0] = 0
    assert paired_means(losses).difference_variances[0, 1] == pytest.approx(1e-12, rel=1e-3)


def test_the_statistic_is_mcnemars_for_failures() -> None:
    losses = np.random.default_rng(4).random((300, 2)) < [0.2, 0.3]
    first_only = int((losses[:, 0] & ~losses[:, 1]).sum())
    second_only = int((~losses[:, 0] & losses[:, 1]).sum())
    mcnemar = (first_only - second_only) / np.sqrt(first_only + second_only)
    statistics = paired_means(losses).statistics()
    assert statistics[0, 1] == pytest.approx(mcnemar, rel=2e-3)  # n against n − 1 in the variance
    assert statistics[1, 0] == -statistics[0, 1]


def test_the_statistic_of_a_constant_difference_is_at_most_the_root_of_the_number_of_items() -> None:
    assert paired_means([[0, 1]] * 36).statistics()[1, 0] == pytest.approx(6)
    assert (paired_means([[0, 1]] * 29).statistics() == 0).all()  # too few items to believe it
    assert (paired_means([[1, 1]] * 36).statistics() == 0).all()


def test_a_constant_is_a_constant_in_every_unit() -> None:
    paired = paired_means(np.full((1000, 2), [7.1, 7.1 + 1 / 3]))
    assert (paired.variances == 0).all()
    assert (paired.difference_variances == 0).all()


def test_names_come_from_the_matrix_or_its_columns() -> None:
    polars = pytest.importorskip("polars")
    matrix = LossMatrix.of([[0, 1], [1, 0]], systems=["ours", "theirs"])
    frame = polars.DataFrame({"a": [0, 1], "b": [1, 0]})
    assert paired_means(matrix).systems == ("ours", "theirs")
    assert paired_means(frame).systems == ("a", "b")
    assert paired_means([[0, 1], [1, 0]]).systems == ("system 1", "system 2")


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([[0.1, 0.2], [0.3, np.nan]], "row 1: loss nan is not a finite number"),
        ([[0.1, 0.2], [np.inf, 0.4]], "row 1: loss inf is not a finite number"),
        ([[np.inf, 0.2], [-np.inf, 0.4]], "row 0: loss inf is not a finite number, and so in 1 more row$"),
        ([[1e308, 0.2], [1e308, 0.4]], "overflows"),
        ([[1e200, 0.2], [-1e200, 0.4]], "overflows"),
        ([[0.1, 0.2]], "1 items; at least two"),
        ([["a", "b"], ["c", "d"]], "row 0: loss 'a' is not a number"),
        (np.zeros((3, 0)), "no system's column"),
        (np.zeros((2, 2, 2)), "shape"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(losses: npt.ArrayLike, message: str) -> None:
    with pytest.raises(InputError, match=message):
        paired_means(losses)


def test_memory_stays_far_below_a_copy_in_floating_point() -> None:
    losses = np.zeros((400_000, 50), dtype=np.int8)  # as float64: 160 MB
    tracemalloc.start()
    paired_means(losses)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6
