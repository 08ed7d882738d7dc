"""One case of each kind of scorer, for the contract suite."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.scoring.custom_metric import metric_from_source
from ladderboard.scoring.frame_child import FrameChild, FrameSource, FrameTables
from ladderboard.scoring.frame_metric import make_rows_metric
from ladderboard.scoring.frame_scorer import FrameScorer
from ladderboard.scoring.frame_table import FrameFormat, join_columns
from ladderboard.scoring.scorer import Scorer, TableScorer
from ladderboard.tabular import SubmissionFormat

N = 40
FRAMES = (
    "def score(solution, submission, row_id_column_name):\n"
    "    return float((solution['y'] - submission['y']).abs().mean())\n"
)
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


@cache
def _frames(seed: int) -> Judge:
    """A function of pandas frames; its process is kept, since it takes a second to start."""
    labels = np.random.default_rng(seed).normal(size=N)
    sample = join_columns({"y": np.zeros(N)}, N)
    tables = FrameTables(
        b"id,y\n" + b"".join(f"{n},{one!r}\n".encode() for n, one in enumerate(labels.tolist())),
        "id",
        ("id", "y"),
        sample,
    )
    child = FrameChild(FrameSource(FRAMES, "metric.py", "score"), tables)
    metric = make_rows_metric({"lower_is_better": True, "bounds": [0, "inf"]}, name="frames")
    bound = metric.bound_to(child, np.arange(N), sample=sample, perfect=None, secret=b"secret")
    shape = FrameFormat(SubmissionFormat("id", np.arange(N), ("y",), "numbers"), ("id", "y"))
    return Judge(FrameScorer(shape, child, np.arange(N), asks=True), AnswerKey(labels, bound))


ROWS = b"id,y\n" + b"".join(b"%d,%d\n" % (n, n % 3) for n in range(N))
CASES = (
    ScorerCase("built-in metric", lambda seed: _table(seed, METRICS["mae"]), ROWS, ROWS[:-5]),
    ScorerCase("function of frames", _frames, ROWS, ROWS.replace(b"\n1,", b"\none,")),
    ScorerCase("own function", _own, ROWS, ROWS + b"1,2\n"),
)
