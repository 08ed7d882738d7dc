"""A competition that is being served: its folder, its row in the database, and what both imply."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import cached_property
from threading import Lock

import numpy as np

from ladderboard.competition import Competition, Rules, rules_to_json
from ladderboard.core.randomness import derive_generator
from ladderboard.core.records import BASELINE, Evaluation, Leakage, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.rungs import RungBoard, rungs_leakage, start_rungs
from ladderboard.metrics.answer_key import fingerprint
from ladderboard.metrics.inputs import Array
from ladderboard.scoring.scorer import Answers, ItemScores
from ladderboard.server.boards.plausible_ranks import Plausibility, round_up_to_power_of_two
from ladderboard.server.db.files import Files
from ladderboard.server.db.rows.instances import LATE
from ladderboard.server.moderation.sketches import Sketcher
from ladderboard.server.submissions.records import EntryKind, OwnScores, StoredAnswers
from ladderboard.tabular import sample_submission

log = logging.getLogger("ladderboard.scoring")
REMEMBERED_BYTES = 64 << 20
SAMPLE = "sample_submission.csv"


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

    def read(self, content: bytes, name: str = "") -> Answers:
        """A file's answers, checked. Depends on no label."""
        return self._competition.scorer.read(content, name)

    def receive(self, content: bytes, name: str = "") -> Answers:
        """What was submitted, checked: a file's answers, or a program that will give some."""
        programs = self._competition.programs
        if programs is None:
            return self.read(content, name)
        programs.check(content, name)
        return Answers(content, name)

    def score(self, answers: Answers) -> ItemScores:
        """The values of all items; it may take long. How a scorer failed is for the organiser's log alone."""
        scores = self._competition.scorer.score(answers)
        if scores.report and np.isnan(scores.values).any():
            log.warning("competition=%s file=%r has no score: %s", self._competition.slug, answers.name, scores.report)
        return scores

    def recall(self, stored: StoredAnswers, *, content: bytes | None = None, answers: Answers | None = None) -> Array:
        """The values of a stored submission; ``content``, ``answers``: of its file, where they are at hand.

        Item scores that are kept are taken as they are, unless a correction has changed what they depend on.
        """
        if stored.scores is not None:
            kept = ItemScores.unpack(self._files.read(stored.scores), self._competition.scorer.digest)
            if kept is not None:
                return kept.values
        if answers is None:
            answers = self.read(self._files.read(stored.file) if content is None else content)
        return self.score(answers).values

    def evaluate(self, submission_id: str, values: Array, *, training_score: float | None = None) -> Evaluation:
        """The values of all items → the evaluation on the public ones."""
        public = values[self._public_rows]
        return self._competition.public.evaluate(public, submission=submission_id, training_score=training_score)

    def of(self, submission_id: str, find_stored: Callable[[str], StoredAnswers]) -> Evaluation:
        """The evaluation of a stored submission, or of the baseline."""
        if submission_id == BASELINE:
            return self._competition.public.baseline
        with self._guard:
            if submission_id in self._remembered:
                self._remembered.move_to_end(submission_id)
                return self._remembered[submission_id]
        found = self.evaluate(submission_id, self.recall(find_stored(submission_id)))
        self.remember(found)
        return found

    def remember(self, evaluation: Evaluation) -> None:
        with self._guard:
            self._remembered[evaluation.submission] = evaluation
            while len(self._remembered) > self._most:
                self._remembered.popitem(last=False)


UNCHANGED = ("yardstick", "baseline_value", "sample_submission", "sketcher", "_plausibilities")
"""What was computed from labels, ids and mechanism, and holds when the rules change."""
BOARD = "board"
"""The key of the one instance where ranks are the instances."""


@dataclass(frozen=True, eq=False)
class LiveCompetition:
    """What the referee needs of one competition. Never shown, never logged: it holds the labels and the secret."""

    competition: Competition
    secret: bytes = field(repr=False)
    files: Files
    scoring_version: int = 1

    @property
    def slug(self) -> str:
        return self.competition.slug

    @property
    def rules(self) -> Rules:
        return self.competition.rules

    @cached_property
    def rules_text(self) -> str:
        """The rules as they stand in the competition's row, for as long as nobody has changed them there."""
        return rules_to_json(self.rules)

    @property
    def mechanism(self) -> Mechanism:
        return self.competition.mechanism

    @property
    def is_ranked(self) -> bool:
        """One instance per rank, and not one per team."""
        return self.rules.instances == "rank"

    @property
    def runs_programs(self) -> bool:
        """Whether teams submit programs instead of predictions."""
        return self.rules.code is not None

    @property
    def is_queued(self) -> bool:
        """Whether scoring takes longer than a request should, so that submissions are scored in their turn."""
        scorer = self.competition.scorer
        return self.runs_programs or scorer.queued or self.rules.metric_options.get("queued") is True

    @cached_property
    def yardstick(self) -> Yardstick:
        return self.competition.public.yardstick

    @cached_property
    def evaluations(self) -> Evaluations:
        return Evaluations(self.competition, self.files)

    @cached_property
    def own_scores(self) -> dict[str, OwnScores]:
        """Submission → its scores, of those that somebody has asked for after the reveal."""
        return {}

    @cached_property
    def sketcher(self) -> Sketcher:
        return Sketcher(len(self.competition.solution.ids), self.secret)

    def plausibility(self, teams: int) -> Plausibility:
        """What released numbers say of true scores on a board of so many teams."""
        size = round_up_to_power_of_two(teams)
        return self._plausibilities.setdefault(size, Plausibility(self.yardstick, self.mechanism, size))

    @cached_property
    def _plausibilities(self) -> dict[int, Plausibility]:
        return {}

    @cached_property
    def baseline_value(self) -> float | None:
        """The baseline's score as it is published; None where no scores are shown."""
        return self.competition.find_published_baseline()

    @cached_property
    def score_format(self) -> ScoreFormat:
        """How people read the scores of its public board."""
        return self.mechanism.score_format(self.yardstick)

    @property
    def sample_name(self) -> str:
        """What the sample submission is called."""
        return SAMPLE if self.competition.sample is None else self.competition.sample.name

    @cached_property
    def sample_submission(self) -> bytes:
        """A valid file with the same prediction in each row; writing one of a million rows takes a while."""
        if self.competition.sample is not None:
            return self.competition.sample.content
        return sample_submission(self.competition.format)

    def with_competition(self, changed: Competition) -> "LiveCompetition":
        """The same under changed rules or with another description, with what does not depend on them."""
        live = replace(self, competition=changed)
        vars(live).update({name: vars(self)[name] for name in UNCHANGED if name in vars(self)})
        return live

    # -- the mechanism's memory ---------------------------------------------------------------------------------------

    def instance_key(self, team_id: str, kind: EntryKind) -> str:
        """The key of the memory a submission uses: its team's, or the board's where ranks are the instances."""
        key = BOARD if self.is_ranked and kind != "baseline" else team_id
        return key + LATE if kind == "late" else key

    def memory(self, key: str, text: str | None) -> State | RungBoard:
        """The memory as it was stored; None: before the first attempt, with the same secret split for every team."""
        baseline = self.competition.public.baseline
        if key.removesuffix(LATE) == BOARD:
            start = start_rungs(self.mechanism, baseline, self._setup_rng(), ranks=self.rules.ranks)
            return start if text is None else RungBoard.from_json(text)
        return self.mechanism.start(baseline, self._setup_rng()) if text is None else State.from_json(text)

    def leakage(self, memory: State | RungBoard) -> Leakage:
        if isinstance(memory, RungBoard):
            return rungs_leakage(self.mechanism, memory, self.yardstick)
        return self.mechanism.leakage(memory, self.yardstick)

    def is_spent(self, memory: State | RungBoard) -> bool:
        """Whether the mechanism's budget is used up: that of a team, or of the board where ranks are the instances."""
        if isinstance(memory, State):
            return self.mechanism.is_spent(memory)
        states = (replace(one.state, attempts=memory.attempts, accepts=memory.accepts) for one in memory.rungs)
        return any(self.mechanism.is_spent(state) for state in states)

    def noise(self, epoch: int, instance: str, team_id: str, attempt: int) -> np.random.Generator:
        """The random generator of an attempt, which the organiser can replay and no participant can predict."""
        return derive_generator(self.secret, "noise", epoch, instance, team_id, attempt)

    def fingerprint(self, answers: Answers) -> str:
        """A keyed hash of canonical predictions, the ignored rows too; else of the file, or the program."""
        values = np.frombuffer(answers.content, np.uint8) if answers.values is None else answers.values
        return fingerprint(values, self.secret[:32]).hex()

    # -- time ---------------------------------------------------------------------------------------------------------

    def day(self, moment: datetime) -> date:
        """The calendar day of the quota, in the competition's zone."""
        return moment.astimezone(self.rules.zone()).date()

    def begin_of_day(self, moment: datetime) -> datetime:
        """When the calendar day began, in the competition's zone."""
        return datetime.combine(self.day(moment), time(), self.rules.zone()).astimezone(UTC)

    def entry_kind(self, received: datetime) -> EntryKind | None:
        """The kind of a participant's submission that arrives then; None before the competition opens."""
        if self.rules.opens is not None and received < self.rules.opens:
            return None
        if self.rules.deadline is not None and received > self.rules.deadline:
            return "late"
        return "live"

    def _setup_rng(self) -> np.random.Generator:
        return derive_generator(self.secret, "split")
