"""Scorers by a function of pandas frames: Kaggle's ``score(solution, submission, row_id_column_name, **options)``.

What is wrong with a file is said without labels: by its columns and ids, and by the function's own
``ParticipantVisibleError`` where it is raised at a solution that holds no label (docs/decisions/kaggle-metrics.md).
"""

from dataclasses import dataclass, field

from ladderboard.core.records import IntArray
from ladderboard.metrics.inputs import Array
from ladderboard.scoring.frame_child import FrameChild
from ladderboard.scoring.frame_process import VISIBLE
from ladderboard.scoring.frame_table import FrameFormat, make_matrix
from ladderboard.scoring.scorer import Answers, ItemScores
from ladderboard.tabular.problems import Problems


@dataclass(frozen=True, eq=False)
class FrameAnswers(Answers):
    """The rows of a table, of any types; ``values`` where all are numbers."""

    rows: Array = field(kw_only=True, repr=False)


@dataclass(frozen=True, eq=False)
class FrameScorer:
    """The scorer of tables that a function of frames judges. ``places``: of the ids in the solution's file."""

    format: FrameFormat
    child: FrameChild
    places: IntArray
    asks: bool
    """Whether the function has something to say to participants."""
    queued = False
    digest = ""

    def read(self, content: bytes, name: str = "") -> FrameAnswers:
        rows = self.format.read(content, name)
        said = self.child.find_refusal(self.places, rows) if self.asks else None
        if said is not None:
            Problems(name).stop("refused_by_metric", said)
        return FrameAnswers(content, name, make_matrix(rows), rows=rows)

    def score(self, answers: Answers) -> ItemScores:
        assert isinstance(answers, FrameAnswers), "it was read here"
        return ItemScores(answers.rows)

    def close(self) -> None:
        """End the process; the next submission starts it again."""
        self.child.close()


def has_words_for_participants(source: str) -> bool:
    """Whether a metric's text can raise an error whose words are meant for participants."""
    return VISIBLE in source or "kaggle_metric_utilities" in source
