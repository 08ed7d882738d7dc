"""The summary of a competition for `ladderboard check`: rows, metric, mechanism, gains, limits."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np

from ladderboard.competition.model import Competition
from ladderboard.core.records import Proof, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.words import pluralise
from ladderboard.guard.gains import estimate_gains
from ladderboard.mechanisms.outcomes import format_gain
from ladderboard.metrics.inputs import Classes, Probabilities, Scores, Survival
from ladderboard.planning.detectable import list_detectable_gains
from ladderboard.planning.ordering import describe_fair_size
from ladderboard.scoring.file_scorer import FileScorer
from ladderboard.scoring.frame_scorer import FrameScorer
from ladderboard.scoring.platform_program import ProgramScorer

HIDDEN = "; participants are not told the classes (--write-sample writes a sample that shows them)"


@dataclass(frozen=True)
class CompetitionSummary:
    """The summary of a competition for its organiser only: it quotes the baseline and the split."""

    slug: str
    title: str
    public_rows: int
    private_rows: int
    ignored_rows: int
    groups: int | None
    labels: str
    """What the labels were taken for."""
    metric: str
    lower_is_better: bool
    positive: str | int | float | bool | None
    """The positive class of two, where the metric has one."""
    baseline: float | None
    """As it is published; None where no scores are shown."""
    score_format: ScoreFormat
    mechanism: str
    parameters: dict[str, Any]
    promise: str
    shows_scores: bool
    board: str
    visible_improvements: dict[int, float | None]
    """Attempt → the smallest improvement over the baseline that is seen with 80 % power, in score units."""
    later_gain: float | None
    """A gain over the entry on the board that is shown with 80 % power, once there is one."""
    later_proven_gain: float | None
    """The same for the word "improved"."""
    ordering: str | None
    """From how many public rows on the board orders honest teams as well as plain scores would."""
    columns: tuple[str, ...]
    """Of a submission."""
    tells_classes: bool
    """False where predictions are classes that no sample submission shows."""
    files: str
    """What submissions are like where they are programs, or files that only the scorer understands; else empty."""
    rehearsal: str
    """What a trial run of the organiser's scorer or program gave and took; empty where there is none."""
    per_day: int | None
    total: int | None
    opens: datetime | None
    deadline: datetime | None
    time_zone: str

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        times = {
            key: None if at is None else at.isoformat()
            for key, at in (("opens", self.opens), ("deadline", self.deadline))
        }
        return {**asdict(self), **times}

    def lines(self) -> list[tuple[str, str]]:
        """The summary as pairs of a heading and a text."""
        return [
            ("rows", self._rows()),
            ("metric", self._metric()),
            *([] if self.positive is None else [("positive", f"{self.positive!r}, as participants are told")]),
            ("mechanism", f"{self.mechanism}, one instance per {self.board}: {self.promise}"),
            ("gains", self._describe_gains()),
            *([] if self.ordering is None else [("order", self.ordering)]),
            ("submission", self.files or f"columns {', '.join(self.columns)}{'' if self.tells_classes else HIDDEN}"),
            *([("trial", self.rehearsal)] if self.rehearsal else []),
            ("limits", f"{_count(self.per_day)} per team and day, {_count(self.total)} in all"),
            ("times", self._times()),
        ]  # fmt: skip

    @property
    def understanding(self) -> str:
        """What was understood of the solution, in one sentence."""
        rows = self.public_rows + self.private_rows + self.ignored_rows
        positive = "" if self.positive is None else f", {self.positive} is positive"
        seen = [found for found in self.visible_improvements.values() if found is not None][:1]
        gains = f"; first gains of about {format_gain(seen[0])} over the baseline are shown" if seen else ""
        return f"{rows:,} rows, {self.labels}{positive}, {self.public_rows:,} public{gains}."

    def _metric(self) -> str:
        better = "lower" if self.lower_is_better else "higher"
        baseline = "" if self.baseline is None else f"; baseline {self.score_format.write(self.baseline)}"
        return f"{self.metric}, {better} is better{baseline}"

    def _rows(self) -> str:
        total = self.public_rows + self.private_rows + self.ignored_rows
        parts = f"{self.public_rows:,} public, {self.private_rows:,} private, {self.ignored_rows:,} ignored"
        return f"{total:,}: {parts}" + ("" if self.groups is None else f"; in {self.groups:,} groups")

    def _describe_gains(self) -> str:
        if not self.shows_scores:
            return "no scores are shown before the reveal"
        seen = {attempt: found for attempt, found in self.visible_improvements.items() if found is not None}
        if not seen:
            return "not even a perfect first submission would be shown with 80 % power: too few public rows"
        if len(self.visible_improvements) == 1:
            return f"an improvement over the baseline of {seen[1]:.3g} would be significant at 5 %, with 80 % power"
        shown = ", ".join(f"{format_gain(found)} at attempt {attempt}" for attempt, found in seen.items())
        return f"gains over the baseline of {shown} are shown{self._describe_later()} (80 % power)"

    def _describe_later(self) -> str:
        if self.later_gain is None:
            return ""
        later = f"; then gains of about {format_gain(self.later_gain)}"
        proven = self.later_proven_gain
        return later if proven is None else f"{later}, and of about {format_gain(proven)} are proven"

    def _times(self) -> str:
        opens = "open at once" if self.opens is None else f"opens {self.opens:%Y-%m-%d %H:%M}"
        deadline = "no deadline" if self.deadline is None else f"deadline {self.deadline:%Y-%m-%d %H:%M}"
        return f"{opens}, {deadline} ({self.time_zone})"


def summarise(competition: Competition) -> CompetitionSummary:
    """The facts of a competition that was found to be sound."""
    rules, solution, yardstick = competition.rules, competition.solution, competition.public.yardstick
    group = solution.group
    later = estimate_gains(competition.mechanism, yardstick, _imagine_first_entry(yardstick))
    return CompetitionSummary(
        slug=rules.slug,
        title=rules.title,
        public_rows=len(solution.rows("Public")),
        private_rows=len(solution.rows("Private")),
        ignored_rows=len(solution.rows("Ignored")),
        groups=None if group is None else int(group.max()) + 1,
        labels=_describe_labels(competition),
        metric=competition.metric.name,
        lower_is_better=competition.metric.lower_is_better,
        positive=rules.positive,
        baseline=competition.find_published_baseline(),
        score_format=competition.mechanism.score_format(yardstick),
        mechanism=competition.mechanism.name,
        parameters=competition.mechanism.parameters(),
        promise=competition.mechanism.promise,
        shows_scores=competition.mechanism.shows_scores,
        board=rules.instances,
        visible_improvements={
            gain.attempt: gain.improvement
            for gain in list_detectable_gains(competition.mechanism, competition.public.baseline)
        },
        later_gain=later.shown,
        later_proven_gain=later.proven,
        ordering=None if rules.instances == "rank" else describe_fair_size(competition.mechanism, yardstick),
        columns=(competition.format.id_column, *competition.format.prediction_columns),
        tells_classes=competition.format.shows_classes or not competition.format.takes_classes,
        files=_describe_files(competition),
        rehearsal=competition.rehearsal,
        per_day=rules.limits.per_day,
        total=rules.limits.total,
        opens=rules.opens,
        deadline=rules.deadline,
        time_zone=rules.time_zone,
    )


def _describe_files(competition: Competition) -> str:
    if competition.programs is not None:
        return competition.programs.sentence
    scorer = competition.scorer
    if isinstance(scorer, ProgramScorer):
        return scorer.sentence
    return scorer.format.sentence if isinstance(scorer, FileScorer | FrameScorer) else ""


def _describe_labels(competition: Competition) -> str:
    """What the labels were taken for, in words."""
    columns, kind = competition.solution.label_columns, competition.metric.kind
    if isinstance(kind, Classes | Scores | Probabilities) and competition.solution.labels.ndim == 1:
        number = len(np.unique(competition.solution.labels))
        return "two classes" if number == 2 else pluralise("one class", "{n} classes", number)
    if isinstance(kind, Survival):
        return "a time and an event for each row"
    if not columns:
        return "graded by your scorer"
    return "numbers" if len(columns) == 1 else f"{len(columns)} columns of labels"


def _imagine_first_entry(yardstick: Yardstick) -> State:
    """A proven entry whose score and standard error are those of the baseline: the careful side."""
    score = yardstick.baseline_score
    return State(1, 1, released=score, standard_error=yardstick.null_standard_error, proof=Proof("first", score, 1))


def _count(limit: int | None) -> str:
    return "as many as they like" if limit is None else f"{limit:,}"
