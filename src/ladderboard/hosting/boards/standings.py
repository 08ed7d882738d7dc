"""Ranks and plausible ranks on the public board, from released numbers only.

Equal values share a rank (1, 2, 2, 4); time orders the display only. Baselines are shown in their places and have no
rank. Teams that are withdrawn, disqualified or merged are not on the board, nor are teams without a number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import FloatArray, Yardstick
from ladderboard.hosting.boards.plausible_ranks import Plausibility
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.store import standings
from ladderboard.store.database import Connection
from ladderboard.store.records import TeamRecord


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


def find_place(connection: Connection, live: LiveCompetition, team: TeamRecord) -> Place:
    """Find the place of a team on the board as this connection sees it."""
    if team.board_order is None or team.board_value is None or team.kind != "team" or team.status != "active":
        return NOWHERE
    return Ranks.read(connection, live).place(team.board_order, team.board_value)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Every place of a board at one moment: the ranks of a whole page from one statement."""

    yardstick: Yardstick
    plausibility: Plausibility
    orders: FloatArray
    """What ranks are counted by, ascending, each as often as there are teams with it."""
    losses: FloatArray
    """The values as losses, likewise; the same as the orders where teams are the instances."""

    @classmethod
    def read(cls, connection: Connection, live: LiveCompetition) -> "Ranks":
        """Read the places as this connection sees them."""
        counts = standings.count_orders(connection, live.slug)
        each = np.array([order for order, _ in counts], dtype=np.float64)
        orders = losses = np.repeat(each, [count for _, count in counts])
        if live.is_ranked:
            losses = np.sort([live.yardstick.loss(value) for value in standings.list_values(connection, live.slug)])
        plausibility = Plausibility(live.yardstick, live.mechanism, len(orders))
        return cls(live.yardstick, plausibility, orders, losses)

    @property
    def teams(self) -> int:
        """How many teams have a number."""
        return len(self.orders)

    def place(self, order: float, value: float) -> Place:
        """The place of a team with this order and value; where ranks are the instances, the rung has the last word."""
        rank = 1 + int(np.searchsorted(self.orders, order, side="left"))
        limits = self.plausibility.limits(value)
        best = 1 + int(np.searchsorted(self.losses, limits.better, side="left"))
        worst = int(np.searchsorted(self.losses, limits.worse, side="right"))
        return Place(rank, min(best, rank), max(worst, rank))

    def is_tied(self, order: float) -> bool:
        """Whether several teams share the rank."""
        first, last = (np.searchsorted(self.orders, order, side=side) for side in ("left", "right"))
        return bool(last - first > 1)

    def count_possible_winners(self) -> int:
        """Count the teams that have 1 among their plausible ranks.

        The ends of intervals are monotone in the value, so bisection finds the last such team.
        """
        low, high = 0, len(self.losses)
        while low < high:
            middle = (low + high) // 2
            if self.plausibility.limits(self.yardstick.score(float(self.losses[middle]))).better <= self.losses[0]:
                low = middle + 1
            else:
                high = middle
        return max(low, 1)
