"""Every metric and every mechanism, served from a folder: what the referee releases is what the core computes.

The grids are pairwise here and full in `make slow`.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from ladderboard.competition import Competition, load_competition
from ladderboard.core.errors import CompetitionError, SubmissionError
from ladderboard.core.randomness import derive_generator
from ladderboard.core.records import BASELINE, Evaluation, Release, State
from ladderboard.guard.leaderboard import Leaderboard
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.rungs import start_rungs, step_rungs
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Survival
from ladderboard.metrics.text_inputs import TextCells
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import submissions, teams
from tests.contracts.mechanism_cases import fitted, problem_of
from tests.hosting.hosts import Stage, on_sqlite

ROWS = 240
Array = np.ndarray[Any, Any]

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
OF_BOARDS = [name for name, made in MECHANISMS.items() if not made.certifies]
BOARDS = ("team", "rank")
every_mechanism = pytest.mark.parametrize("mechanism", OF_BOARDS)
per_team_and_per_rank = pytest.mark.parametrize("board", BOARDS)
pytestmark = on_sqlite
"""The statements are tried on both databases elsewhere; what differs here is arithmetic."""


@dataclass
class Problem:
    """A metric's labels, and predictions for a level of noise between 0 and 1."""

    metric: Metric
    labels: Array
    predict: Callable[[float], Array]
    group: Array | None = None
    weight: Array | None = None

    @property
    def columns(self) -> dict[str, Array]:
        """The solution, column by column; every other pair of rows is public, so that groups of two stay together."""
        labels = {"label": self.labels}
        if isinstance(self.metric.kind, Survival):
            labels = {"time": self.labels[:, 0], "event": self.labels[:, 1].astype(int)}
        elif isinstance(self.metric.kind, TextCells) and self.labels.ndim == 2:
            labels = dict(zip(("mask", "height", "width"), self.labels.T, strict=True))
        elif self.metric.kind.has_columns:
            labels = {f"target {at}": column for at, column in enumerate(self.labels.T)}
        usage = np.where(np.arange(ROWS) // 2 % 2 == 0, "Public", "Private")
        extra = {"patient": self.group, "importance": self.weight}
        return {"id": np.arange(ROWS), **labels, "Usage": usage, **{k: v for k, v in extra.items() if v is not None}}

    @property
    def settings(self) -> str:
        """The table [solution]."""
        names = [name for name in self.columns if name not in ("id", "Usage", "patient", "importance")]
        group = "" if self.group is None else 'group = "patient"\n'
        weight = "" if self.weight is None else 'weight = "importance"\n'
        return f"[solution]\nlabel = {names}\n{group}{weight}".replace("'", '"')


@dataclass
class Board:
    """The competition being served, and beside it the core on the public rows, with the same secret."""

    stage: Stage
    problem: Problem
    core: "Core"

    def send(self, team: str, predictions: Array, **more: Any) -> Release:
        """Submit; the release must be the core's, and the answer's number that of the store."""
        answer = self.stage.send_file(team, csv_of(self.fill(predictions)), **more)
        assert answer.status == 201
        release = Release.from_dict(answer.content["release"])
        assert release == self.core.submit(f"id-{team}", answer.content["id"], predictions, **more)
        return release

    def fill(self, predictions: Array) -> dict[str, Array]:
        """The columns of a submission."""
        names = self.stage.competition.format.prediction_columns
        columns = predictions.T if predictions.ndim == 2 else [predictions]
        return {"id": np.arange(ROWS), **dict(zip(names, columns, strict=True))}

    @property
    def needs_training_score(self) -> bool:
        return self.stage.live.mechanism.name == "thresholdout"

    def count(self) -> int:
        with self.stage.database.reading() as connection:
            return connection.scalar(select(func.count()).select_from(submissions)) or 0


class Core:
    """Metric and mechanism without any hosting: an answer key of the public rows alone, and its own bookkeeping."""

    def __init__(self, stage: Stage, problem: Problem) -> None:
        self._live, self._mechanism = stage.live, stage.live.mechanism
        self._public = np.flatnonzero(problem.columns["Usage"] == "Public")
        group, weight = (None if one is None else one[self._public] for one in (problem.group, problem.weight))
        self.key = AnswerKey(problem.labels[self._public], problem.metric, group=group, weight=weight)
        self._evaluations: dict[str, Evaluation] = {BASELINE: self.key.baseline}
        self._start = self._mechanism.start(self.key.baseline, self._split())
        self._states: dict[str, State] = {}
        if self._live.is_ranked:
            ranks = self._live.rules.ranks
            self._rungs = start_rungs(self._mechanism, self.key.baseline, self._split(), ranks=ranks)

    def submit(self, team: str, name: str, predictions: Array, *, training_score: float | None = None) -> Release:
        values = self.key.read(predictions[self._public])
        candidate = self.key.evaluate(values, submission=name, training_score=training_score)
        self._evaluations[name] = candidate
        if self._live.is_ranked:
            held = [self._evaluations[rung.state.incumbent] for rung in self._rungs.rungs]
            rng = self._noise("board", team, self._rungs.attempts + 1)
            proven = self._evaluations[self._rungs.find_proof(team).submission]
            self._rungs, release = step_rungs(
                self._mechanism, self._rungs, candidate, held, rng, team=team, proven=proven
            )
            return release
        state = self._states.get(team, self._start)
        rng = self._noise(team, team, state.attempts + 1)
        incumbent = self._evaluations[state.incumbent]
        self._states[team], release = self._mechanism.step(
            state, candidate, incumbent, rng, proven=self._evaluations[state.proof.submission]
        )
        return release

    def _split(self) -> np.random.Generator:
        return derive_generator(self._live.secret, "split")

    def _noise(self, instance: str, team: str, attempt: int) -> np.random.Generator:
        return derive_generator(self._live.secret, "noise", 0, instance, team, attempt)


Serve = Callable[..., Board]


@pytest.fixture
def serve(database: Database, tmp_path: Path) -> Iterator[Serve]:
    """Writes a folder, loads it and serves it."""
    stages: list[Stage] = []

    def open_board(problem: Problem, mechanism: str = "witness_ladder", board: str = "team", top: str = "") -> Board:
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "solution.csv").write_bytes(csv_of(problem.columns))
        (folder / "competition.toml").write_text(toml_of(problem, mechanism, board, top))
        (folder / "description.md").write_text("Every metric, every mechanism.")
        competition: Competition = load_competition(folder)
        stages.append(Stage(database, tmp_path / "data", competition))
        return Board(stages[-1], problem, Core(stages[-1], problem))

    yield open_board
    for stage in stages:
        stage.services.close()


def problem(metric: Metric, *, with_columns: bool = False) -> Problem:
    rng = np.random.default_rng(5)
    labels, predict = problem_of(metric, ROWS, rng)
    # As text, as a CSV has it: units are numbered in the order of their names.
    group = (np.arange(ROWS) // 2).astype(str) if with_columns else None
    weight = rng.integers(1, 4, ROWS) if with_columns else None
    return Problem(metric, labels, predict, group, weight)


def toml_of(problem: Problem, mechanism: str, board: str, top: str) -> str:
    made: Mechanism = fitted(MECHANISMS[mechanism](), problem.metric)
    usual = MECHANISMS[mechanism]()
    parameters = {key: value for key, value in vars(made).items() if value != getattr(usual, key)}
    listed = "".join(f"{key} = {value}\n" for key, value in parameters.items())
    return (
        f'title = "All"\nslug = "all"\nmetric = "{problem.metric.name}"\nboard = "{board}"\nranks = 3\n{top}\n'
        f'[mechanism]\nname = "{mechanism}"\n{listed}[limits]\nper_day = "none"\n{problem.settings}'
    )


def csv_of(columns: dict[str, Array]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return text.getvalue().encode()


def play(board: Board) -> tuple[Release, Release, Release]:
    """A weak submission, a far better one, and a hopeless one; then what costs nothing: a bad file, a repetition."""
    predict = board.problem.predict
    weak, better, hopeless = predict(0.8), predict(0.02), predict(0.97)
    more = {"training_score": board.core.key.baseline.score} if board.needs_training_score else {}
    releases = tuple(
        board.send(team, predictions, **more)
        for team, predictions in (("ours", weak), ("theirs", hopeless), ("ours", better))
    )
    stage, before, good = board.stage, board.count(), board.fill(better)
    for bad in (
        b"",
        csv_of({**good, "id": np.arange(1, ROWS + 1)}),
        csv_of({name: values[:-1] for name, values in good.items()}),
    ):
        with pytest.raises(SubmissionError):
            stage.send_file("ours", bad)
    shuffled = np.random.default_rng(1).permutation(ROWS)
    again = stage.send_file("ours", csv_of({key: values[shuffled] for key, values in good.items()}), **more)
    assert (again.status, again.content["duplicate"]) == (200, True)
    assert Release.from_dict(again.content["release"]) == releases[2]
    assert again.content["quota"]["used"] == 2
    assert board.count() == before == 3
    return releases[0], releases[1], releases[2]


def pairwise(names: str, *values: Iterable[str]) -> pytest.MarkDecorator:
    """All combinations, every other one of them slow: of three lists, two with two values, each pair is tried."""
    grid = product(*(enumerate(each) for each in values))
    return pytest.mark.parametrize(
        names.split(),
        [
            pytest.param(*(value for _, value in point), marks=[pytest.mark.slow] * (sum(at for at, _ in point) % 2))
            for point in grid
        ],
    )


@pairwise("metric board", METRICS, BOARDS)
def test_every_metric_is_served_and_releases_what_the_core_computes(metric: str, board: str, serve: Serve) -> None:
    weak, _, better = play(serve(problem(METRICS[metric]), board=board))
    assert better.improved
    assert better.board_value is not None
    assert math.isfinite(better.board_value)
    assert weak.attempt == 1


@every_metric
def test_every_metric_is_served_with_groups_and_weights(metric: Metric, serve: Serve) -> None:
    board = serve(problem(metric, with_columns=True))
    assert board.stage.competition.public.units == ROWS / 4
    assert play(board)[2].accepted


@pairwise("mechanism board metric", OF_BOARDS, BOARDS, ["accuracy", "rmse"])
def test_every_mechanism_is_served_and_releases_what_the_core_computes(
    mechanism: str, board: str, metric: str, serve: Serve
) -> None:
    shows_scores = MECHANISMS[mechanism].shows_scores
    if board == "rank" and not shows_scores:
        with pytest.raises(CompetitionError, match="no ranks to hold"):
            serve(problem(METRICS[metric]), mechanism, board)
        return
    weak, hopeless, better = play(serve(problem(METRICS[metric]), mechanism, board))
    # Some need a larger step than others; all that show scores take one of the two for an improvement.
    assert (weak.accepted or better.accepted) == shows_scores
    assert hopeless.attempt == (1 if board == "team" else 2)


@every_mechanism
def test_every_mechanism_is_served_with_groups_and_weights(mechanism: str, serve: Serve) -> None:
    weak, _, better = play(serve(problem(METRICS["auc"], with_columns=True), mechanism))
    assert (weak.accepted or better.accepted) == MECHANISMS[mechanism].shows_scores


@per_team_and_per_rank
def test_a_training_score_reaches_the_mechanism_that_compares_with_it(board: str, serve: Serve) -> None:
    served = serve(problem(METRICS["accuracy"]), "thresholdout", board)
    predictions = served.problem.predict(0.1)
    public = np.flatnonzero(served.problem.columns["Usage"] == "Public")
    right = float((predictions == served.problem.labels)[public].mean())
    assert served.send("honest", predictions, training_score=right).attempt == 1
    assert served.send("boasting", predictions, training_score=0.5).attempt >= 1


@every_metric
def test_a_served_board_shows_the_numbers_of_a_leaderboard_in_memory(metric: Metric, serve: Serve) -> None:
    """With a mechanism that draws nothing, not even the secret matters."""
    served = serve(problem(metric), "significance_ladder")
    public = np.flatnonzero(served.problem.columns["Usage"] == "Public")
    memory = Leaderboard(served.problem.labels[public], metric, "significance_ladder")
    for team, noise in (("a", 0.9), ("b", 0.5), ("a", 0.2), ("c", 0.97), ("b", 0.1), ("c", 0.05)):
        predictions = served.problem.predict(noise)
        assert served.send(team, predictions) == memory.submit(team, predictions[public])
    shown = {row.name: row.board_value for row in served.stage.rows(teams) if row.board_value is not None}
    assert shown == {standing.team: standing.value for standing in memory.standings()}
