"""Points for a course, by a rule that the teacher writes: linear, by rank range, or by beating baselines.

    linear 0.6=0 0.9=100                a straight line between two scores, level beyond them
    ranks 1=100 5=80 rest=50            by the best rank that a team may truly have
    baselines "Majority class"=40 "Random forest"=80     the most of those it beats; nothing for none

A rule that gives more points for less is refused: it is a slip, such as a swapped score.
"""

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ladderboard.core.errors import ParameterError

MOST_POINTS = 100_000
LONGEST_RULE = 2000
DECIMALS = 2
EXAMPLE = 'write one such as: linear 0.6=0 0.9=100, ranks 1=100 5=80 rest=50, or baselines "Majority class"=40'


@dataclass(frozen=True)
class GradedScore:
    """What points are counted from: a team's final score, and the best rank it may truly have."""

    score: float | None
    best_rank: int | None


@dataclass(frozen=True)
class GradingBoard:
    """What a rule has to fit: the metric's direction, and the baselines' final scores."""

    lower_is_better: bool
    baselines: Mapping[str, float | None]


@dataclass(frozen=True)
class LinearPoints:
    """Points on a straight line between two scores."""

    scores: tuple[float, float]
    points: tuple[float, float]

    def count(self, standing: GradedScore, _board: GradingBoard) -> float:
        (a, b), (low, high) = self.scores, self.points
        if standing.score is None:
            return min(self.points)
        share = min(1.0, max(0.0, (standing.score - a) / (b - a)))
        return low + share * (high - low)

    @property
    def most(self) -> float:
        return max(self.points)

    def refuse_misfit(self, board: GradingBoard) -> None:
        (a, b), (low, high) = self.scores, self.points
        rises = (b - a) * (high - low) > 0
        if low != high and rises == board.lower_is_better:
            better = "lower" if board.lower_is_better else "higher"
            raise ParameterError(f"{better} scores are better here, but get fewer points by this rule; swap the two")


@dataclass(frozen=True)
class RankPoints:
    """Points for the ranks up to a limit; ``rest`` for the others, and for a team without a rank."""

    limits: tuple[tuple[int, float], ...]
    rest: float

    def count(self, standing: GradedScore, _board: GradingBoard) -> float:
        if standing.best_rank is None:
            return self.rest
        rank = standing.best_rank
        return next((points for limit, points in self.limits if rank <= limit), self.rest)

    @property
    def most(self) -> float:
        return self.limits[0][1]

    def refuse_misfit(self, _board: GradingBoard) -> None:
        """It fits every board."""


@dataclass(frozen=True)
class BaselinePoints:
    """Points for a better score than a baseline's: the most of those that are beaten."""

    points: tuple[tuple[str, float], ...]

    def count(self, standing: GradedScore, board: GradingBoard) -> float:
        beaten = (points for name, points in self.points if _is_better(standing.score, board.baselines[name], board))
        return max(beaten, default=0.0)

    @property
    def most(self) -> float:
        return max(points for _, points in self.points)

    def refuse_misfit(self, board: GradingBoard) -> None:
        for name, _points in self.points:
            if name not in board.baselines:
                known = ", ".join(sorted(board.baselines)) or "none"
                raise ParameterError(f"there is no baseline {name!r} here; the baselines are: {known}")
            if board.baselines[name] is None:
                raise ParameterError(f"the baseline {name!r} has no final score; leave it out of the rule")


Rule = LinearPoints | RankPoints | BaselinePoints


def read_rule(text: str) -> Rule:
    """Read a rule; raises `ParameterError` that says what is wrong with it.

    >>> read_rule("ranks 1=100 5=80 rest=50")
    RankPoints(limits=((1, 100.0), (5, 80.0)), rest=50.0)
    """
    if len(text) > LONGEST_RULE:
        raise ParameterError(f"this rule has {len(text):,} characters; {EXAMPLE}")
    try:
        kind, *words = shlex.split(text)
    except ValueError:  # an open quote, or nothing at all
        raise ParameterError(f"this rule for points cannot be read; {EXAMPLE}") from None
    if kind not in _READERS:
        raise ParameterError(f"there is no rule {kind[:40]!r} for points; {EXAMPLE}")
    pairs = [_read_pair(word) for word in words]
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ParameterError("this rule names something twice; give each its points once")
    return _READERS[kind](pairs)


def count_points(rule: Rule, standings: Sequence[GradedScore], board: GradingBoard) -> list[float]:
    """Count the points of standings; raises `ParameterError` where the rule does not fit the board."""
    rule.refuse_misfit(board)
    return [round(rule.count(one, board), DECIMALS) for one in standings]


Pairs = list[tuple[str, float]]


def _read_linear(pairs: Pairs) -> LinearPoints:
    if len(pairs) != 2:
        raise ParameterError(f"a linear rule has two scores, such as: linear 0.6=0 0.9=100; this one has {len(pairs)}")
    (first, low), (second, high) = ((_read_number(name, "score"), points) for name, points in pairs)
    if first == second:
        raise ParameterError("the two scores of a linear rule must differ")
    return LinearPoints((first, second), (low, high))


def _read_ranks(pairs: Pairs) -> RankPoints:
    rest = dict(pairs).get("rest", 0.0)
    limits = sorted((_read_rank(name), points) for name, points in pairs if name != "rest")
    if not limits:
        raise ParameterError("a rule by ranks needs a rank, such as: ranks 1=100 5=80 rest=50")
    given = [points for _, points in limits] + [rest]
    if given != sorted(given, reverse=True):
        raise ParameterError("this rule gives a worse rank more points; order them so that better ranks have more")
    return RankPoints(tuple(limits), rest)


def _read_baselines(pairs: Pairs) -> BaselinePoints:
    if not pairs:
        raise ParameterError('a rule by baselines names one, such as: baselines "Majority class"=40')
    return BaselinePoints(tuple(pairs))


_READERS: dict[str, Callable[[Pairs], Rule]] = {
    "linear": _read_linear,
    "ranks": _read_ranks,
    "baselines": _read_baselines,
}


def _read_pair(word: str) -> tuple[str, float]:
    name, sign, points = word.rpartition("=")
    if not sign or not name:
        raise ParameterError(f"{word[:40]!r} has no points; write it with an equals sign and no blanks, as in 0.9=100")
    number = _read_number(points, "number of points")
    if not 0 <= number <= MOST_POINTS:
        raise ParameterError(f"{points} points are not possible; give a number from 0 to {MOST_POINTS:,}")
    return name, number


def _read_rank(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 8 and int(text) > 0):
        raise ParameterError(f"{text[:40]!r} is not a rank; give a whole number, 1 or more, or the word rest")
    return int(text)


def _read_number(text: str, word: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{text[:40]!r} is not a {word}; write it with a point, as in 0.9")
    return number


def _is_better(score: float | None, other: float | None, board: GradingBoard) -> bool:
    if score is None or other is None:
        return False
    return score < other if board.lower_is_better else score > other
