"""The true AUC behind the best of many: coverage on simulated boards, and the law it inverts."""

import numpy as np
import pytest
from scipy.stats import binom

from ladderboard.core.errors import ParameterError
from ladderboard.inference.multiplicity.best_auc import BestAuc
from ladderboard.inference.multiplicity.roc_shapes import RocShape
from ladderboard.inference.multiplicity.sober_auc import SoberAuc
from tests.inference.multiplicity.test_roc_shapes import empirical_aucs


@pytest.mark.claim
@pytest.mark.parametrize(("auc", "shape", "positives"), [(0.85, 1.0, 50), (0.8, 0.5, 30), (0.9, 2.0, 20)])
def test_the_interval_covers_the_true_auc_of_equal_classifiers(auc: float, shape: float, positives: int) -> None:
    roc = RocShape(auc, shape, positives, 100)
    rng, boards = np.random.default_rng(11), 60
    covered = 0
    for _ in range(boards):
        best = min(float(empirical_aucs(roc, rng, 60).max()), 1 - 1e-9)
        sober = SoberAuc(best, 60, roc.positives, roc.negatives, (roc.shape,))
        covered += 0.025 <= sober.reached_by_luck(roc.auc)[0] <= 0.975
    # A coverage of .95 gives fewer than 48 of 60 once in 20,000 runs; one of .7, as of a plain interval, nearly always.
    assert covered > binom.ppf(5e-5, boards, 0.95)


def test_the_ends_are_where_the_law_of_the_best_has_its_tails() -> None:
    sober = SoberAuc(0.949, 500, 136, 2000, (1.0,))
    (estimate, _), (low, high) = sober.estimates, sober.interval(0.95)
    for auc, quantile in ((low, 0.975), (estimate, 0.5), (high, 0.025)):
        assert BestAuc(RocShape(auc, 1.0, 136, 2000), 500)._quantile(quantile) == pytest.approx(0.949, abs=2e-4)


def test_the_interval_of_one_classifier_is_near_the_logit_interval() -> None:
    roc = RocShape(0.9, 1.0, 200, 800)
    assert SoberAuc(0.9, 1, 200, 800, (1.0,)).interval() == pytest.approx(roc.interval(), abs=0.003)


def test_more_classifiers_make_the_estimate_more_sober() -> None:
    found = [SoberAuc(0.95, count, 60, 600, (1.0,)).estimates[0] for count in (1, 10, 1000)]
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize(("observed", "classifiers"), [(1.0, 10), (0.0, 10), (0.9, 0)])
def test_what_is_no_auc_or_count_is_refused(observed: float, classifiers: int) -> None:
    with pytest.raises(ParameterError):
        SoberAuc(observed, classifiers, 10, 10)
