"""That the 95 % interval of a first submission covers, on a part of `interval_coverage`'s table.

Each cell fails below the .001 quantile of Binomial(shown, .93): where coverage is just .93, one run in 25 would have a
cell that fails by chance, if it were not seeded; the measured coverage is .96 and more.
"""

import pytest
from scipy.stats import binom

from ladderboard.core.records import Yardstick
from tests.claims.interval_coverage import COVERED, PROMISED, coverage

REPETITIONS = 120
CELLS = [
    *((name, "well-behaved", 200) for name in COVERED if name not in ("kendall", "c_index")),
    *((name, "skewed", 200) for name in ("mse", "rmse", "log_loss", "brier", "mae", "r2", "auc")),
    *((name, "t5", 200) for name in ("mse", "mae", "pearson", "spearman", "smape")),
    *((name, "imbalanced", 1000) for name in ("auc", "average_precision", "f1", "mcc", "rmse")),
]


def least(shown: int) -> float:
    return float(binom.ppf(0.001, shown, PROMISED))


@pytest.mark.claim
@pytest.mark.parametrize(("metric", "data", "n"), CELLS)
def test_an_interval_covers(metric: str, data: str, n: int) -> None:
    cell = coverage(metric, data, n, repetitions=REPETITIONS)
    assert cell.shown >= 40
    assert cell.covered >= least(cell.shown), cell


@pytest.mark.claim
def test_intervals_from_the_baselines_standard_error_would_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the first version's intervals fail the same check."""

    def of_old(self: Yardstick, value: float, *_: object, **__: object) -> tuple[float, float]:
        grid = self.grid(1.0)
        return grid.shift(value, -1.96), grid.shift(value, 1.96)

    monkeypatch.setattr(Yardstick, "interval", of_old)
    cell = coverage("rmse", "skewed", 200, repetitions=REPETITIONS)
    assert cell.covered < least(cell.shown)
