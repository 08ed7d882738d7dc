"""That intervals and plausible ranks are true, on a part of the table of `benchmarks.coverage`.

Each cell fails below the .001 quantile of Binomial(statements made, .93). The runs are seeded; without a seed, and
with a coverage of just .93, one run in 25 would have a cell that fails by chance.
"""

import pytest

from benchmarks.coverage.models import SLOW, WITHOUT_MODEL, Data
from benchmarks.coverage.situations import PROMISED, Situation, measure_coverage
from ladderboard.core.records import Yardstick
from ladderboard.metrics import METRICS
from tests.claims.sizes import least, sized

QUICK = [name for name in METRICS if name not in (*SLOW, *WITHOUT_MODEL)]
CELLS: list[tuple[Situation, str, Data, int]] = [
    *(("first", name, "well-behaved", 300) for name in QUICK),
    *(("first", name, "skewed", 200) for name in ("mse", "rmse", "log_loss", "mae")),
    *(("first", name, "t5", 200) for name in ("mse", "pearson", "spearman")),
    *(("first", name, "imbalanced", 1000) for name in ("auc", "average_precision")),
    *(("board", name, "well-behaved", 200) for name in ("error_rate", "log_loss", "rmse")),
    *(("board", name, "t5", 200) for name in ("rmse", "brier")),
    *(("incumbent", name, "well-behaved", 200) for name in ("error_rate", "log_loss")),
    ("incumbent", "mse", "skewed", 300),
    *(("first", "mean_score", data, 200) for data in ("well-behaved", "skewed", "imbalanced")),
    ("incumbent", "mean_score", "well-behaved", 200),
    ("board", "mean_score", "skewed", 200),
]
REPETITIONS = {"first": 3, "incumbent": 1, "board": 1}
"""How many make one of ``runs``."""


@pytest.mark.claim
@sized(20, 40)
@pytest.mark.parametrize(("situation", "metric", "data", "n"), CELLS)
def test_what_is_said_is_true(situation: Situation, metric: str, data: Data, n: int, runs: int) -> None:
    cell = measure_coverage(situation, metric, data, n, repetitions=runs * REPETITIONS[situation])
    assert cell.made >= 0.75 * runs
    assert cell.share >= least(PROMISED, cell.made), cell


@pytest.mark.claim
@sized(20, 40)
@pytest.mark.parametrize(("situation", "data", "n"), [("first", "skewed", 200), ("board", "well-behaved", 1000)])
def test_intervals_from_the_baselines_standard_error_would_fail(
    situation: Situation, data: Data, n: int, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: the first version's intervals fail the same check."""

    def of_old(self: Yardstick, value: float, *_: object, z: float, **__: object) -> tuple[float, float]:
        grid = self.grid(1.0)
        return grid.shift(value, -z), grid.shift(value, z)

    monkeypatch.setattr(Yardstick, "interval", of_old)
    cell = measure_coverage(situation, "log_loss", data, n, repetitions=runs * REPETITIONS[situation])
    assert cell.share < least(PROMISED, cell.made)
