"""Three situations in which a statement is made: a first submission, an incumbent after sixty tries, a board."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from benchmarks.coverage.models import COVERED, Data, Items, draw_items, predict, true_score
from ladderboard.core.errors import LadderboardError
from ladderboard.core.records import BASELINE, Release, State
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.boards.plausible_ranks import Plausibility, Reaches

Situation = Literal["first", "incumbent", "board"]
SITUATIONS: tuple[Situation, ...] = get_args(Situation)
PROMISED = 0.93
TRIES = 60
TEAMS = 8
WORST_BLUR, BEST_BLUR, JITTER = 1.0, 0.4, 0.15
"""Sixty honest tries become better, with ups and downs. Equal teams have the worst of these blurs: most of what their
scores differ by is then their own."""


@dataclass(frozen=True)
class Cell:
    """Of ``runs`` test sets: how often a statement was made, how often it was true, and how wide it was.

    ``width`` is the mean one of the intervals, in standard errors of the entry's own score; the usual interval has 3.9.
    """

    runs: int
    made: int
    true: int
    width: float

    @property
    def share(self) -> float:
        return self.true / max(1, self.made)


def measure_coverage(
    situation: Situation,
    metric: str,
    data: Data,
    n: int,
    *,
    repetitions: int,
    mechanism: Mechanism | None = None,
) -> Cell:
    """Repeat a situation on fresh test sets of n items."""
    run, rng = _RUNS[situation], np.random.default_rng([n, len(metric), len(data)])
    verdicts = []
    for _ in range(repetitions):
        items = draw_items(metric, data, n, rng)
        try:
            desk = _Desk(metric, data, items, mechanism or WitnessLadder(), rng)
        except LadderboardError:
            continue  # too few of a class for the metric to have a value on both halves: refused beforehand
        verdicts.append(run(desk))
    made = [verdict for verdict in verdicts if verdict is not None]
    width = float(np.mean([one.width for one in made])) if made else math.nan
    return Cell(len(verdicts), len(made), sum(one.is_true for one in made), width)


class Verdict(NamedTuple):
    """Whether a statement is true, and its width."""

    is_true: bool
    width: float


class _Desk:
    """A test set under a mechanism, for models of a given blur."""

    def __init__(self, metric: str, data: Data, items: Items, mechanism: Mechanism, rng: np.random.Generator) -> None:
        self.metric, self.data, self.items, self.mechanism, self.rng = metric, data, items, mechanism, rng
        labels, _ = predict(metric, items, 0.0, rng)
        self.key = AnswerKey(labels, COVERED[metric])
        self.start = mechanism.start(self.key.baseline, rng)
        self.known = {BASELINE: self.key.baseline}

    def submit(self, state: State, name: str, blur: float) -> tuple[State, Release]:
        _, predictions = predict(self.metric, self.items, blur, self.rng)
        self.known[name] = self.key.evaluate(self.key.read(predictions), submission=name)
        incumbent, proven = self.known[state.incumbent], self.known[state.proof.submission]
        return self.mechanism.step(state, self.known[name], incumbent, self.rng, proven=proven)

    def judge(self, name: str, interval: tuple[float, float] | None, blur: float) -> Verdict | None:
        """Whether the interval holds the true score of that submission; None where there is none."""
        if interval is None:
            return None
        low, high = interval
        truth = true_score(self.metric, self.data, blur)
        return Verdict(low <= truth <= high, (high - low) / self.own_error(name))

    def own_error(self, name: str) -> float:
        """The standard error that the submission's own losses suggest."""
        return self.known[name].spread / math.sqrt(self.key.yardstick.units)


def _judge_first_interval(desk: _Desk) -> Verdict | None:
    """A first submission's interval; None where it was not accepted or has none."""
    _, release = desk.submit(desk.start, "first", BEST_BLUR)
    return desk.judge("first", release.interval, BEST_BLUR) if release.accepted else None


def _judge_incumbents_interval(desk: _Desk) -> Verdict | None:
    """The interval of the entry that stands on the board after sixty honest tries."""
    state, blurs = desk.start, {}
    for number in range(TRIES):
        trend = WORST_BLUR + (BEST_BLUR - WORST_BLUR) * number / (TRIES - 1)
        blurs[str(number)] = float(np.clip(trend + JITTER * desk.rng.normal(), 0.0, 1.2))
        state, _ = desk.submit(state, str(number), blurs[str(number)])
    if state.accepts == 0:
        return None
    interval = desk.mechanism.tell_interval(state, desk.key.yardstick)
    return desk.judge(state.incumbent, interval, blurs[state.incumbent])


def _judge_board(desk: _Desk) -> Verdict | None:
    """A board of eight equal teams: no two of those that have an entry may be told apart.

    The width is that of the intervals by which they are compared.
    """
    found = Plausibility(desk.key.yardstick, desk.mechanism, TEAMS)
    shown, widths = [], []
    for team in range(TEAMS):
        _, release = desk.submit(desk.start, f"team {team}", WORST_BLUR)
        if release.accepted and release.board_value is not None:
            reach = found.find_reach(release.board_value, release.standard_error)
            if reach is not None:
                shown.append((release.board_value, release.standard_error))
                widths.append((reach.below + reach.above) / desk.own_error(f"team {team}"))
    if len(shown) < 2:
        return None
    reaches = Reaches.compute(found, shown, [1] * len(shown))
    return Verdict(reaches.count_possible_winners() == len(shown), float(np.mean(widths)))


_RUNS = {"first": _judge_first_interval, "incumbent": _judge_incumbents_interval, "board": _judge_board}
