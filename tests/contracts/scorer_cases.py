"""One case of each kind of scorer, for the contract suite."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.scoring.custom_metric import metric_from_source
from ladderboard.scoring.scorer import Scorer, TableScorer
from ladderboard.tabular import SubmissionFormat

N = 40
OWN = "def score(labels, predictions):\n    return float(abs(labels - predictions).mean())\n"


@dataclass(frozen=True)
class Judge:
    """A scorer, and the answer key that evaluates what it makes."""

    scorer: Scorer
    key: AnswerKey

    def compute_score(self, content: bytes) -> float:
        return self.key.evaluate(self.scorer.score(self.scorer.read(content)).values).score


@dataclass(frozen=True)
class ScorerCase:
    """A kind of scorer with a good and a bad file; ``make`` draws the labels with a seed."""

    name: str
    make: Callable[[int], Judge]
    good: bytes
    bad: bytes
    items: int = N


def _table(seed: int, metric: Metric) -> Judge:
    labels = np.random.default_rng(seed).normal(size=N)
    key = AnswerKey(labels, metric)
    return Judge(TableScorer(SubmissionFormat("id", np.arange(N), ("y",), "numbers"), key), key)


def _own(seed: int) -> Judge:
    options = {"lower_is_better": True, "bounds": [0, "inf"]}
    return _table(seed, metric_from_source(OWN, options, name="own", folder=None))


ROWS = b"id,y\n" + b"".join(b"%d,%d\n" % (n, n % 3) for n in range(N))
CASES = (
    ScorerCase("built-in metric", lambda seed: _table(seed, METRICS["mae"]), ROWS, ROWS[:-5]),
    ScorerCase("own function", _own, ROWS, ROWS + b"1,2\n"),
)
