"""Ranks and plausible ranks on the public board, from released numbers only.

Equal values share a rank (1, 2, 2, 4); time orders the display only. Baselines are shown in their places and have no
rank. Who is withdrawn, disqualified or merged is not on the board, nor is a team without a number.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Row

from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.plausible import Limits, Plausibility, power_of_two
from ladderboard.records import FloatArray, IntArray
from ladderboard.store import standings


@dataclass(frozen=True)
class Place:
    """A rank, and the ranks that are plausible; None where there is no number yet."""

    rank: int | None
    best: int | None = None
    worst: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"rank": self.rank, "rank_range": self.rank_range}

    @property
    def rank_range(self) -> dict[str, int] | None:
        if self.best is None or self.worst is None:
            return None
        return {"best": self.best, "worst": self.worst}


NOWHERE = Place(None)


def place_of(connection: Connection, hosted: Hosted, team: Row[Any], *, number: int | None = None) -> Place:
    """Where a team stands: a few counts over an index. ``number``: of the latest submission, where it is known."""
    if team.board_order is None or team.kind != "team" or team.status != "active":
        return NOWHERE
    if hosted.is_ranked:
        return Ranks.read(connection, hosted).place(team.board_order, team.board_value)
    limits = _plausibility(hosted, _teams_at_most(connection, hosted, number)).limits(team.board_value)
    # Three neighbouring stretches of the index, so that no part of it is counted twice.
    bounds = (-np.inf, limits.better, team.board_order, float(np.nextafter(limits.worse, np.inf)))
    better, above, others = standings.count_between(connection, hosted.slug, bounds)
    return Place(1 + better + above, 1 + better, better + above + others)


def place_of_attempt(
    connection: Connection, hosted: Hosted, team: Row[Any], phase: str, *, number: int | None = None
) -> Place:
    """Where a team stands after an attempt; a late one stands apart and has no place."""
    return NOWHERE if phase == "late" else place_of(connection, hosted, team, number=number)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Every place of a board at one moment: ranks of a whole page without asking the database again."""

    plausibility: Plausibility
    orders: FloatArray
    """What ranks are counted by, ascending, each once."""
    counts: IntArray
    losses: FloatArray
    """The values as losses, ascending, each as often as there are teams with it."""
    shown: int
    """How many rows the board has: teams and baselines."""

    @classmethod
    def read(cls, connection: Connection, hosted: Hosted) -> "Ranks":
        """The places as this connection sees them."""
        found = standings.orders_of(connection, hosted.slug)
        orders = np.array([order for order, kind, _ in found if kind == "team"], dtype=np.float64)
        counts = np.array([count for _, kind, count in found if kind == "team"], dtype=np.intp)
        if hosted.is_ranked:
            losses = np.sort([hosted.yardstick.loss(value) for value in standings.values_of(connection, hosted.slug)])
        else:
            losses = np.repeat(orders, counts)
        plausibility = _plausibility(hosted, int(counts.sum()))
        return cls(plausibility, orders, counts, losses, sum(count for *_, count in found))

    @classmethod
    def remembered(cls, connection: Connection, hosted: Hosted) -> "Ranks":
        """The same, counted once for each version of the board.

        Only where nothing is written (`Database.reading`): a transaction sees a version of which others may never hear,
        and that number may come to stand for another board.
        """
        version = standings.version_of(connection, hosted.slug).board_version
        known = _last_read.get(hosted)
        if known is None or known[0] != version:
            known = _last_read[hosted] = version, cls.read(connection, hosted)
        return known[1]

    @cached_property
    def teams(self) -> int:
        """How many teams have a number."""
        return int(self.counts.sum())

    def place(self, order: float, value: float) -> Place:
        """The place of a team with this order and value; where ranks are the instances, the rung has the last word."""
        if (order, value) not in self._places:  # values lie on a grid: a page has many teams and few places
            self._places[order, value] = self._place(order, value)
        return self._places[order, value]

    def _place(self, order: float, value: float) -> Place:
        rank = 1 + int(self._before[np.searchsorted(self.orders, order)])
        limits: Limits = self.plausibility.limits(value)
        best = 1 + int(np.searchsorted(self.losses, limits.better, side="left"))
        worst = int(np.searchsorted(self.losses, limits.worse, side="right"))
        return Place(rank, min(best, rank), max(worst, rank))

    def is_tied(self, order: float) -> bool:
        """Whether several teams share the rank."""
        return bool(self.counts[np.searchsorted(self.orders, order)] > 1)

    @cached_property
    def _places(self) -> dict[tuple[float, float], Place]:
        return {}

    @cached_property
    def _before(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self.counts)])


_last_read: WeakKeyDictionary[Hosted, tuple[int, Ranks]] = WeakKeyDictionary()
"""For each competition that is being served, as long as it is."""


_plausibilities: WeakKeyDictionary[Hosted, Plausibility] = WeakKeyDictionary()


def _plausibility(hosted: Hosted, teams: int) -> Plausibility:
    """The one for so many teams, which holds for years: only passing a power of two makes another."""
    most, known = power_of_two(teams), _plausibilities.get(hosted)
    if known is None or known.teams != most:
        known = _plausibilities[hosted] = Plausibility(hosted.yardstick, hosted.mechanism, most)
    return known


@dataclass
class _Crowd:
    teams: int
    at_number: int


_crowds: WeakKeyDictionary[Hosted, _Crowd] = WeakKeyDictionary()


def _teams_at_most(connection: Connection, hosted: Hosted, number: int | None) -> int:
    """As many teams as have a number, up to the next power of two, without counting them at every submission.

    A submission gives at most one more team a number. While that cannot lead past the power of two, the last count will
    do; teams that left since make the ranges a little wider than they need be until the next count.
    """
    number = standings.last_number_of(connection, hosted.slug) if number is None else number
    known = _crowds.get(hosted)
    if known is not None and number >= known.at_number:
        most = power_of_two(known.teams)
        if known.teams + number - known.at_number <= most:
            return most
    counted = standings.count_teams(connection, hosted.slug)
    _crowds[hosted] = _Crowd(counted, number)
    return power_of_two(counted)
