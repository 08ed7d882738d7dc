"""The competition model: rules, solution, and the public and private answer keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.competition.rules.times import find_zone
from ladderboard.competition.sample_file import STEM as SAMPLE_STEM
from ladderboard.competition.sample_file import SampleFile
from ladderboard.guard.leaderboard import Instances
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.scoring.code_rules import CodeRules
from ladderboard.scoring.file_scorer import FileScorer, ScorerSource
from ladderboard.scoring.programs import ProgramFormat, ProgramRunner
from ladderboard.scoring.scorer import Scorer, TableScorer
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.scoring.submission_file import find_format
from ladderboard.tabular import SubmissionFormat

Usage = Literal["Public", "Private", "Ignored"]
Visibility = Literal["public", "unlisted", "private"]
"""Listed for all; reachable for all who know the address; for signed-in members and organisers only."""


@dataclass(frozen=True)
class Limits:
    """Limits on submissions and information released. ``None``: no limit."""

    per_day: int | None = 5
    total: int | None = None
    leakage_bits: float | None = None
    """When the leakage meter of the whole board reaches this, the competition is spent."""
    max_file_bytes: int = 100 << 20


@dataclass(frozen=True)
class TeamRules:
    """The rules for teams. A person is in one team per competition, and leaving gives no fresh start."""

    largest: int = 5
    merging: bool = True
    merge_until: datetime | None = None


@dataclass(frozen=True)
class Rules:
    """The rules of a competition, from competition.toml. Quota days are counted in ``time_zone``."""

    slug: str
    title: str
    metric: str
    mechanism: str
    mechanism_parameters: dict[str, Any] = field(default_factory=dict)
    metric_options: dict[str, Any] = field(default_factory=dict)
    positive: str | int | float | bool | None = None
    """The positive class of two, where the metric has one: named in competition.toml, or known from the labels."""
    instances: Instances = "team"
    ranks: int = 20
    opens: datetime | None = None
    deadline: datetime | None = None
    time_zone: str = "UTC"
    limits: Limits = field(default_factory=Limits)
    finals: int = 2
    reveal: datetime | Literal["deadline", "by hand", "never"] = "by hand"
    """When the private board is shown: as soon as it is finalized after the deadline, at a time, by hand, or never."""
    late_submissions: bool = False
    publish_submissions: bool = False
    """An announced rule: after the reveal all submissions are published, so that anyone can replay every release."""
    publish_solution: bool = True
    """An announced rule: the reveal publishes labels and split, so that anyone can verify what was committed to."""
    visibility: Visibility = "public"
    teams: TeamRules = field(default_factory=TeamRules)
    summary: str = ""
    """One line for the list of competitions."""
    code: CodeRules | None = None
    """Of submitted programs; None: teams submit predictions."""

    def zone(self) -> tzinfo:
        return find_zone(self.time_zone)


def select_score_options(metric_options: Mapping[str, Any]) -> dict[str, Any]:
    """Select the options that change a metric's values: all but its limits and whether submissions wait for it."""
    return {key: value for key, value in metric_options.items() if key not in ("time_limit", "memory_mb", "queued")}


@dataclass(frozen=True)
class SolutionSettings:
    """How to read solution.csv; None and empty: found by column name. Secret, because of the seed."""

    file: str = "solution.csv"
    answers: str | None = None
    """The folder or file that a scorer of files compares with; None: the folder solution/, else ``file``."""
    id: str | None = None
    labels: tuple[str, ...] = ()
    usage: str | None = None
    group: str | None = None
    weight: str | None = None
    predictions: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """Every class of the labels, where an organiser vouches that they are classes; empty: found from the labels."""
    public_share: float | None = None
    split_seed: str | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution: one entry per row of solution.csv, in the order of the ids."""

    ids: npt.NDArray[np.str_] | npt.NDArray[np.int64]
    labels: npt.NDArray[Any]
    usage: npt.NDArray[np.str_]
    """Public, Private or Ignored. Ignored rows must be predicted like all others and count nowhere."""
    id_column: str
    label_columns: tuple[str, ...]
    weight: npt.NDArray[np.float64] | None = None
    group: npt.NDArray[Any] | None = None

    def rows(self, usage: Usage) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.usage == usage)


@dataclass(frozen=True, eq=False)
class Competition:
    """A competition, ready to serve. It holds secrets (labels, the split): only `rules` may be shown."""

    rules: Rules
    solution: Solution
    metric: Metric
    mechanism: Mechanism
    format: SubmissionFormat
    description: str = ""
    """description.md as it stands."""
    folder: Path | None = None
    metric_source: str = ""
    """The text of the folder's own metric, which runs as it was when the folder was read; empty where it has none."""
    solution_settings: SolutionSettings = field(default_factory=SolutionSettings, repr=False)
    scorer_source: ScorerSource | None = field(default=None, repr=False)
    """The organiser's scorer, where submissions are files that only it understands."""
    solution_files: SolutionFiles | None = field(default=None, repr=False)
    """What it compares them with."""
    sample: SampleFile | None = field(default=None, repr=False)
    """What they are like."""
    inputs: SolutionFiles | None = field(default=None, repr=False)
    """What submitted programs answer; hidden."""
    sample_inputs: SolutionFiles | None = field(default=None, repr=False)
    """Inputs like these that everybody may see."""
    rows_scorer: Scorer | None = field(default=None, repr=False)
    """What reads submissions whose rows a foreign function scores; bound to the solution, as is ``metric``."""
    rehearsal: str = ""
    """What a trial run of the scorer gave and took, for the organiser; empty where it was not read from a folder."""
    questions: tuple[str, ...] = ()
    """What the organiser must answer before the competition is served for the first time; may quote labels."""

    @property
    def slug(self) -> str:
        return self.rules.slug

    @cached_property
    def whole(self) -> AnswerKey:
        """The key of all rows, including ignored ones; checking predictions against it reveals no split."""
        return AnswerKey(self.solution.labels, self.metric, weight=self.solution.weight, group=self.solution.group)

    @cached_property
    def scorer(self) -> Scorer:
        """What reads submissions and scores their items."""
        if self.rows_scorer is not None:
            return self.rows_scorer
        if self.scorer_source is None:
            return TableScorer(self.format, self.whole)
        assert self.solution_files is not None and self.sample is not None, "they were read with it"  # noqa: PT018
        shape = find_format(
            self.sample.content,
            self.sample.name,
            [str(one) for one in self.solution.ids.tolist()],
            max_bytes=self.format.max_bytes,
            max_unpacked_bytes=self.format.max_unpacked_bytes,
        )
        return FileScorer(self.scorer_source, self.solution_files, shape, self.metric.bounds)

    @property
    def programs(self) -> ProgramFormat | None:
        """What submitted programs must be; None: teams submit predictions."""
        if self.rules.code is None:
            return None
        return ProgramFormat(self.rules.code.entry, self.format.max_bytes, self.format.max_unpacked_bytes)

    @property
    def runner(self) -> ProgramRunner:
        """What runs submitted programs."""
        assert self.rules.code is not None, "teams submit programs"
        name = self.sample.name if self.sample is not None else f"{SAMPLE_STEM}.csv"
        return ProgramRunner(self.rules.code, name, self.format.max_bytes, self.format.max_unpacked_bytes)

    @cached_property
    def public(self) -> AnswerKey:
        return self.whole.part(self.solution.rows("Public"))

    def find_published_baseline(self) -> float | None:
        """The baseline's score as the board shows it; None where no scores are shown."""
        if not self.mechanism.shows_scores:
            return None
        return self.public.yardstick.published_baseline(self.mechanism.grid_fraction())

    @cached_property
    def private(self) -> AnswerKey | None:
        """The key of the private rows; None if every counted row is public."""
        rows = self.solution.rows("Private")
        return self.whole.part(rows) if len(rows) else None
