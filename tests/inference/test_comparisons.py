import numpy as np
import pytest
from scipy import stats

from ladderboard.core.errors import ParameterError
from ladderboard.inference.comparisons import compare_systems
from ladderboard.inference.holm import holm
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.auc import Auc
from ladderboard.metrics.inputs import Array
from tests.inference.real_boards import semeval


def test_failures_are_compared_by_the_exact_binomial_test() -> None:
    wrong = np.random.default_rng(1).random((400, 6)) < [0.1, 0.1, 0.12, 0.2, 0.5, 0.5]
    comparisons = compare_systems(wrong)
    assert len(comparisons) == 15
    for one in comparisons:
        i, j = int(one.first[-1]) - 1, int(one.second[-1]) - 1
        first_only, second_only = (int((wrong[:, a] & ~wrong[:, b]).sum()) for a, b in ((i, j), (j, i)))
        peer = stats.binomtest(first_only, first_only + second_only, 0.5).pvalue
        assert one.p_value == pytest.approx(peer, rel=1e-9)
        assert one.difference == pytest.approx((first_only - second_only) / 400)
    assert [one.adjusted for one in comparisons] == holm([one.p_value for one in comparisons]).tolist()


def test_real_losses_are_compared_by_students_paired_t() -> None:
    losses = np.random.default_rng(2).normal(size=(100, 3)) + np.array([0, 0.1, 0.4])
    for one in compare_systems(losses):
        i, j = int(one.first[-1]) - 1, int(one.second[-1]) - 1
        peer = stats.ttest_rel(losses[:, i], losses[:, j]).pvalue
        assert one.p_value == pytest.approx(peer, rel=1e-8)


def test_delongs_test_is_the_normal_test_of_auc_contributions() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    key = AnswerKey(y, Auc())
    scores = [y + rng.normal(0, sd, 300) for sd in (1.0, 1.5)]
    evaluations = [key.evaluate(key.read(score)) for score in scores]
    [comparison] = compare_systems(np.stack([one.losses for one in evaluations], axis=1), test="z")
    assert comparison.difference == pytest.approx(evaluations[0].loss - evaluations[1].loss)
    z = _delong(y == 1, *scores) * np.sqrt(299 / 300)  # the variance of contributions has one n − 1 for both classes
    assert comparison.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-9)


def _delong(positive: Array, first: Array, second: Array) -> float:
    """DeLong, DeLong & Clarke-Pearson 1988, by the definition: O(n²)."""
    placements = []
    for score in (first, second):
        above = np.sign(score[positive][:, None] - score[~positive][None, :]) / 2 + 0.5
        placements.append((above.mean(axis=1), above.mean(axis=0)))
    (p1, n1), (p2, n2) = placements
    variance = np.var(p1 - p2, ddof=1) / len(p1) + np.var(n1 - n2, ddof=1) / len(n1)
    return float(abs(p1.mean() - p2.mean()) / np.sqrt(variance))


def test_a_reference_is_compared_with_every_other_system_by_name_or_column() -> None:
    board = semeval()
    by_name = compare_systems(board, reference="s437952")
    assert len(by_name) == 22
    assert {one.second for one in by_name} == {"s437952"}
    assert by_name == compare_systems(board, reference=board.systems.index("s437952"))
    # The winner differs from every other entry even after the correction for 22 comparisons.
    assert all(one.adjusted < 0.01 and one.difference > 0 for one in by_name)


def test_systems_that_never_differ_have_a_p_value_of_one() -> None:
    wrong = np.random.default_rng(4).random((100, 1)) < 0.3
    for test in ("mcnemar", "t", "z"):
        [one] = compare_systems(np.hstack([wrong, wrong]), test=test)
        assert one.p_value == 1


def test_a_constant_difference_is_believed_with_thirty_items() -> None:
    assert compare_systems([[0.5, 1.0]] * 30)[0].p_value == 0
    assert compare_systems([[0.5, 1.0]] * 29)[0].p_value == 1


def test_mcnemar_refuses_real_losses_and_an_unknown_reference_is_named() -> None:
    with pytest.raises(ParameterError, match="0 and 1"):
        compare_systems([[0.5, 1.0], [0.1, 0.2]], test="mcnemar")
    with pytest.raises(ParameterError, match="'ours'"):
        compare_systems([[0.5, 1.0], [0.1, 0.2]], reference="ours")
    with pytest.raises(ParameterError, match="column 2"):
        compare_systems([[0.5, 1.0], [0.1, 0.2]], reference=2)
