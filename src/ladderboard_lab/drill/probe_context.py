"""What a probe works on, and what it says."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
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
    """Whether a trick failed, and what was seen."""

    probe: str
    holds: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class ProbeContext:
    """A competition on a live server, as anybody sees it."""

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
        """A new account with a team of its own."""
        self._participants.append(
            sign_up(self.url, self.slug, self.briefing, name=name, requirements=self.requirements)
        )
        return self._participants[-1]

    def close(self) -> None:
        """Hang up for all participants."""
        while self._participants:
            self._participants.pop().close()

    def draw_guesses(self) -> Array:
        """Valid predictions without skill, another vector each time."""
        rows, classes = self.briefing.items, max(2, len(self.format.classes))
        if self.format.takes in ("classes", "two_classes"):
            return self.rng.integers(0, classes, rows)
        if self.format.takes == "probabilities":
            table = self.rng.dirichlet(np.ones(classes), rows)
            return table if len(self.format.prediction_columns) > 1 else table[:, 1]
        return self.rng.random(rows) + max(0.0, self.format.smallest)

    def choose_rows(self, count: int) -> list[int]:
        """Some rows, ``count`` of the public and as many of the private part where that is known."""
        return [int(row) for row in self.rng.permutation(self.briefing.items)[: 2 * count]]


@dataclass(frozen=True, eq=False)
class LocalProbeContext(ProbeContext):
    """A copy on a server of our own: labels and split are known, and other copies can be served beside it."""

    competition: Competition = field(kw_only=True)
    copy: Copy = field(kw_only=True)
    server: RunningServer = field(kw_only=True)
    folder: Path = field(kw_only=True)
    """For other copies."""
    quick: bool = field(kw_only=True, default=False)

    def draw_guesses(self) -> Array:
        """The labels in another order."""
        if self.format.takes in ("survival", "scores"):
            return self.rng.random(self.briefing.items)
        return self.to_predictions(self.rng.permutation(self.values))

    @property
    def values(self) -> Array:
        """The copy's labels as numbers: class codes where they are classes."""
        return np.asarray(self.competition.metric.kind.read_labels(self.copy.labels).values)

    @property
    def metric(self) -> "lb.Metric":
        """The competition's metric, for such values."""
        metric = self.competition.metric
        return metric.for_classes(metric.kind.read_labels(self.copy.labels).classes)

    def to_predictions(self, values: Array) -> Array:
        """Values such as labels have, as predictions; as scores they are never quite equal."""
        if self.format.takes in ("scores", "survival"):
            level = values if values.ndim == 1 else values[:, 0]
            return np.asarray(level + 0.5 * self.rng.random(len(level)))
        return np.asarray(self.metric.labels_as_predictions(values))

    def mix(self, share: float, values: Array, others: Array) -> Array:
        """Some rows of the one, the rest of the other, by chance."""
        chosen = self.rng.random(len(values)) < share
        return np.where(chosen if values.ndim == 1 else chosen[:, None], values, others)

    def choose_rows(self, count: int) -> list[int]:
        solution = self.competition.solution
        return [int(row) for usage in USAGES for row in solution.rows(usage)[:count]]

    @contextmanager
    def serve_copy(
        self, suffix: str, *, environment: dict[str, str] | None = None, **changes: str | int
    ) -> Iterator["LocalProbeContext"]:
        """Another copy with other rules, on a server process of its own with the same database."""
        slug = f"{self.slug[:50]}-{suffix}"
        copy = copy_competition(self.competition, self.folder / slug, self.copy.labels, slug=slug, **changes)
        given = UNLIMITED if environment is None else environment
        with run_server([copy.folder], self.server.data, database=self.server.database, environment=given) as server:
            context = LocalProbeContext(
                server.url,
                slug,
                self.briefing,
                self.format,
                self.rng,
                changes.get("board", self.competition.rules.instances) == "rank",
                self.requirements,
                competition=self.competition,
                copy=copy,
                server=server,
                folder=self.folder,
                quick=self.quick,
            )
            try:
                yield context
            finally:
                context.close()
