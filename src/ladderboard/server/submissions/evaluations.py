"""Evaluations of stored submissions: the recent ones remembered, the others read again from their original files."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from ladderboard.competition import Competition
from ladderboard.core.records import BASELINE, Evaluation
from ladderboard.metrics.inputs import Array
from ladderboard.server.db.files import Files
from ladderboard.tabular import read_predictions

REMEMBERED_BYTES = 64 << 20


class Evaluations:
    """What mechanisms see of submissions, on the public rows. Memory is bounded however many teams there are."""

    def __init__(self, competition: Competition, files: Files, *, remembered_bytes: int = REMEMBERED_BYTES) -> None:
        self._competition, self._files = competition, files
        self._remembered: OrderedDict[str, Evaluation] = OrderedDict()
        # Predictions, contributions, and the same again on the parts of a split: about four numbers for an item.
        each = max(1, 32 * len(competition.public))
        self._most = max(2, remembered_bytes // each)
        self._public_rows = competition.solution.rows("Public")
        self._guard = Lock()

    def read(self, content: bytes, name: str = "") -> Array:
        """A file's predictions for all rows, checked and in their one canonical form. Depends on no label."""
        predictions = read_predictions(content, self._competition.format, name=name)
        return self._competition.whole.read(predictions.values)

    def evaluate(self, submission_id: str, predictions: Array, *, training_score: float | None = None) -> Evaluation:
        """Predictions for all rows → the evaluation on the public ones."""
        public = predictions[self._public_rows]
        return self._competition.public.evaluate(public, submission=submission_id, training_score=training_score)

    def of(self, submission_id: str, file_of: Callable[[str], str]) -> Evaluation:
        """The evaluation of a stored submission, or of the baseline; ``file_of`` finds the digest of its file."""
        if submission_id == BASELINE:
            return self._competition.public.baseline
        with self._guard:
            if submission_id in self._remembered:
                self._remembered.move_to_end(submission_id)
                return self._remembered[submission_id]
        found = self.evaluate(submission_id, self.read(self._files.read(file_of(submission_id))))
        self.remember(found)
        return found

    def remember(self, evaluation: Evaluation) -> None:
        with self._guard:
            self._remembered[evaluation.submission] = evaluation
            while len(self._remembered) > self._most:
                self._remembered.popitem(last=False)
