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

from ladderboard.core.records import FloatArray
from ladderboard.hosting.boards.plausible_ranks import Limits, Plausibility, power_of_two
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.store import standings
from ladderboard.store.records import TeamRecord
from ladderboard.store.standings import Version


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


def place_of(
    connection: Connection,
    live: LiveCompetition,
    team: TeamRecord | Row[Any],
    *,
    version: Version | None = None,
    number: int | None = None,
) -> Place:
    """Where a team stands: found in what is known of the board, else a few counts over an index.

    ``version`` of the board and ``number`` of the latest submission, where they are at hand. A transaction that has
    changed the board asks only after it has written its new version.
    """
    if team.board_order is None or team.board_value is None or team.kind != "team" or team.status != "active":
        return NOWHERE
    if live.is_ranked:
        return Ranks.read(connection, live).place(team.board_order, team.board_value)
    known = _known_or_far_behind(connection, live, version)
    if known is not None:
        return known.place(team.board_order, team.board_value)
    limits = _plausibility(live, _teams_at_most(connection, live, number)).limits(team.board_value)
    # Three neighbouring stretches of the index, so that no part of it is counted twice.
    bounds = (-np.inf, limits.better, team.board_order, float(np.nextafter(limits.worse, np.inf)))
    better, above, others = standings.count_between(connection, live.slug, bounds)
    return Place(1 + better + above, 1 + better, better + above + others)


def place_of_attempt(
    connection: Connection,
    live: LiveCompetition,
    team: TeamRecord | Row[Any],
    phase: str,
    *,
    version: Version | None = None,
    number: int | None = None,
) -> Place:
    """Where a team stands after an attempt; a late one stands apart and has no place."""
    return NOWHERE if phase == "late" else place_of(connection, live, team, version=version, number=number)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Every place of a board at one moment: ranks of a whole page without asking the database again."""

    plausibility: Plausibility
    orders: FloatArray
    """What ranks are counted by, ascending, each as often as there are teams with it."""
    losses: FloatArray
    """The values as losses, likewise; the same as the orders where teams are the instances."""
    shown: int
    """How many rows the board has: teams and baselines."""

    @classmethod
    def read(cls, connection: Connection, live: LiveCompetition) -> "Ranks":
        """The places as this connection sees them."""
        found = standings.orders_of(connection, live.slug)
        each = np.array([order for order, kind, _ in found if kind == "team"], dtype=np.float64)
        orders = np.repeat(each, [count for _, kind, count in found if kind == "team"])
        losses = orders
        if live.is_ranked:
            losses = np.sort([live.yardstick.loss(value) for value in standings.values_of(connection, live.slug)])
        return cls(_plausibility(live, len(orders)), orders, losses, sum(count for *_, count in found))

    @classmethod
    def remembered(cls, connection: Connection, live: LiveCompetition) -> "Ranks":
        """The same, counted once for each version of the board."""
        version = standings.board_version(connection, live.slug)
        return _known(live, version) or _keep(live, version, cls.read(connection, live))

    @property
    def teams(self) -> int:
        """How many teams have a number."""
        return len(self.orders)

    def place(self, order: float, value: float) -> Place:
        """The place of a team with this order and value; where ranks are the instances, the rung has the last word."""
        if (order, value) not in self._places:  # values lie on a grid: a page has many teams and few places
            self._places[order, value] = self._place(order, value)
        return self._places[order, value]

    def _place(self, order: float, value: float) -> Place:
        rank = 1 + int(np.searchsorted(self.orders, order, side="left"))
        limits: Limits = self.plausibility.limits(value)
        best = 1 + int(np.searchsorted(self.losses, limits.better, side="left"))
        worst = int(np.searchsorted(self.losses, limits.worse, side="right"))
        return Place(rank, min(best, rank), max(worst, rank))

    def is_tied(self, order: float) -> bool:
        """Whether several teams share the rank."""
        first, last = (np.searchsorted(self.orders, order, side=side) for side in ("left", "right"))
        return bool(last - first > 1)

    @cached_property
    def _places(self) -> dict[tuple[float, float], Place]:
        return {}


# -- what is known of a board -----------------------------------------------------------------------------------------

FAR_BEHIND = 64
"""Versions. Where other processes change a board too, it is read again after so many of them, or for a page."""

_kept: WeakKeyDictionary[LiveCompetition, tuple[tuple[Version, Ranks], ...]] = WeakKeyDictionary()
"""The last two versions of each competition that is being served: one that is being written, and the one before."""


def follow(live: LiveCompetition, old: Version, new: Version, *, before: Any, after: Any) -> None:
    """Carry what is known of a board over to the next version, where nothing but one team's row has changed.

    ``before`` and ``after`` are that row. It is right to call this before the commit: what comes of it is found only by
    who sees the new version.
    """
    known = None if live.is_ranked else _known(live, old)
    if known is None:
        return
    orders, was, now = known.orders, _order(before), _order(after)
    if after.kind == "team" and was != now:
        if was is not None:
            place = int(np.searchsorted(orders, was))
            if place == len(orders) or orders[place] != was:
                return  # not the board that was meant
            orders = np.delete(orders, place)
        if now is not None:
            orders = np.insert(orders, int(np.searchsorted(orders, now)), now)
    shown = known.shown + (now is not None) - (was is not None)
    _keep(live, new, Ranks(_plausibility(live, len(orders)), orders, orders, shown))


def _order(team: Any) -> float | None:
    return float(team.board_order) if team.status == "active" and team.board_order is not None else None


def _known(live: LiveCompetition, version: Version) -> Ranks | None:
    return next((ranks for known, ranks in _kept.get(live, ()) if known == version), None)


def _keep(live: LiveCompetition, version: Version, ranks: Ranks) -> Ranks:
    _kept[live] = ((version, ranks), *_kept.get(live, ())[:1])
    return ranks


def _known_or_far_behind(connection: Connection, live: LiveCompetition, version: Version | None) -> Ranks | None:
    """What is known of this very version; read where what is known is old. None: not known, and counting is cheaper."""
    version = standings.board_version(connection, live.slug) if version is None else version
    known, newest = _known(live, version), _kept.get(live)
    if known is None and (newest is None or abs(version.number - newest[0][0].number) >= FAR_BEHIND):
        return _keep(live, version, Ranks.read(connection, live))
    return known


_plausibilities: WeakKeyDictionary[LiveCompetition, Plausibility] = WeakKeyDictionary()


def _plausibility(live: LiveCompetition, teams: int) -> Plausibility:
    """The one for so many teams, which holds for years: only passing a power of two makes another."""
    most, known = power_of_two(teams), _plausibilities.get(live)
    if known is None or known.teams != most:
        known = _plausibilities[live] = Plausibility(live.yardstick, live.mechanism, most)
    return known


@dataclass
class _Crowd:
    teams: int
    at_number: int


_crowds: WeakKeyDictionary[LiveCompetition, _Crowd] = WeakKeyDictionary()


def _teams_at_most(connection: Connection, live: LiveCompetition, number: int | None) -> int:
    """As many teams as have a number, up to the next power of two, without counting them at every submission.

    A submission gives at most one more team a number. While that cannot lead past the power of two, the last count will
    do; teams that left since make the ranges a little wider than they need be until the next count.
    """
    number = standings.last_number_of(connection, live.slug) if number is None else number
    known = _crowds.get(live)
    if known is not None and number >= known.at_number:
        most = power_of_two(known.teams)
        if known.teams + number - known.at_number <= most:
            return most
    counted = standings.count_teams(connection, live.slug)
    _crowds[live] = _Crowd(counted, number)
    return power_of_two(counted)
