"""The context and the result of a probe."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition
from ladderboard.tabular import SubmissionFormat
from ladderboard_lab.drill.http_participants import EntryRequirements, HttpParticipant, sign_up
from ladderboard_lab.drill.servers import UNLIMITED, RunningServer, run_server
from ladderboard_lab.drill.throwaway import Copy, copy_competition
from ladderboard_lab.participant import Array, Briefing

USAGES: tuple[Literal["Public", "Private"], ...] = ("Public", "Private")


@dataclass(frozen=True)
class ProbeResult:
    """The result of a probe: whether the server held, and what was observed."""

    probe: str
    holds: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


TEXTS = {"ranking": ["a", "b", "c"], "mask": ["", "1 1", "2 1"], "text": ["yes", "no", ""]}
"""Valid cells without skill, where predictions are texts."""


@dataclass(frozen=True, eq=False)
class ProbeContext:
    """A competition on a live server, as a participant sees it."""

    url: str
    slug: str
    briefing: Briefing
    format: SubmissionFormat
    rng: np.random.Generator
    ranked: bool = False
    """One instance per rank: attempts are counted for the whole board."""
    requirements: EntryRequirements = field(default=EntryRequirements(), repr=False)
    _participants: list[HttpParticipant] = field(default_factory=list, repr=False)

    def sign_up(self, name: str) -> HttpParticipant:
        """Sign up a new account with its own team."""
        self._participants.append(
            sign_up(self.url, self.slug, self.briefing, name=name, requirements=self.requirements)
        )
        return self._participants[-1]

    def close(self) -> None:
        """Close the connections of all participants."""
        while self._participants:
            self._participants.pop().close()

    def draw_guesses(self) -> Array:
        """Draw valid predictions without skill."""
        rows, classes = self.briefing.items, max(2, len(self.format.classes))
        if self.format.is_table:
            shape = (rows, len(self.format.prediction_columns))
            return self.rng.integers(0, 2, shape) if self.format.takes == "labels" else self.rng.random(shape)
        if self.format.takes_texts:
            return self.rng.choice(TEXTS[self.format.takes], rows)
        if self.format.takes in ("classes", "two_classes"):
            return self.rng.integers(0, classes, rows)
        if self.format.takes == "probabilities":
            table = self.rng.dirichlet(np.ones(classes), rows)
            return table if len(self.format.prediction_columns) > 1 else table[:, 1]
        return self.rng.random(rows) + max(0.0, self.format.smallest)

    def choose_rows(self, count: int) -> list[int]:
        """Choose rows: ``count`` public and as many private ones, if the split is known."""
        return [int(row) for row in self.rng.permutation(self.briefing.items)[: 2 * count]]


@dataclass(frozen=True, eq=False)
class LocalProbeContext(ProbeContext):
    """A throw-away copy on a local server, with known labels and split."""

    competition: Competition = field(kw_only=True)
    copy: Copy = field(kw_only=True)
    server: RunningServer = field(kw_only=True)
    folder: Path = field(kw_only=True)
    """For other copies."""
    quick: bool = field(kw_only=True, default=False)

    def draw_guesses(self) -> Array:
        """Draw the labels in a random order."""
        if self.format.takes in ("survival", "scores") and not self.format.is_table:
            return self.rng.random(self.briefing.items)
        return self.to_predictions(self.rng.permutation(self.values))

    @property
    def values(self) -> Array:
        """The copy's labels as numbers; classes as class codes."""
        return np.asarray(self.competition.metric.kind.read_labels(self.copy.labels).values)

    @property
    def metric(self) -> "lb.Metric":
        """The competition's metric, for these values."""
        metric = self.competition.metric
        return metric.for_classes(metric.kind.read_labels(self.copy.labels).classes)

    def to_predictions(self, values: Array) -> Array:
        """Convert label values to predictions; scores are made slightly different from each other."""
        if self.format.takes in ("scores", "survival"):
            level = values[:, 0] if self.format.takes == "survival" else values
            return np.asarray(level + 0.5 * self.rng.random(level.shape))
        return np.asarray(self.metric.labels_as_predictions(values))

    def mix(self, share: float, values: Array, others: Array) -> Array:
        """Mix two vectors at random, ``share`` of the rows from the first."""
        chosen = self.rng.random(len(values)) < share
        return np.where(chosen if values.ndim == 1 else chosen[:, None], values, others)

    def choose_rows(self, count: int) -> list[int]:
        solution = self.competition.solution
        return [int(row) for usage in USAGES for row in solution.rows(usage)[:count]]

    @contextmanager
    def serve_copy(
        self, suffix: str, *, environment: dict[str, str] | None = None, **changes: str | int
    ) -> Iterator["LocalProbeContext"]:
        """Serve another copy with other rules, in its own server process with the same database."""
        slug = f"{self.slug[:50]}-{suffix}"
        copy = copy_competition(self.competition, self.folder / slug, self.copy.labels, slug=slug, **changes)
        given = UNLIMITED if environment is None else environment
        with run_server([copy.folder], self.server.data, database=self.server.database, environment=given) as server:
            ranked = changes.get("board", self.competition.rules.instances) == "rank"
            with closing(
                replace(self, url=server.url, slug=slug, ranked=ranked, copy=copy, server=server, _participants=[])
            ) as context:
                yield context
