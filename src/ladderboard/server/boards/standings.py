"""Ranks and plausible ranks on the public board, from released numbers only.

Equal values share a rank (1, 2, 2, 4); time orders the display only. Baselines are shown in their places and have no
rank. Teams that are withdrawn, disqualified or merged are not on the board, nor are teams without a number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.mechanisms.base import Mechanism
from ladderboard.server.boards import sql as standings
from ladderboard.server.boards.plausible_ranks import Reaches
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.submissions.records import RankRangeBody
from ladderboard.server.teams.records import TeamRecord


@dataclass(frozen=True)
class Place:
    """A rank, and the ranks that are plausible; None where there is no number yet."""

    rank: int | None
    rank_range: RankRangeBody | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"rank": self.rank, "rank_range": None if self.rank_range is None else vars(self.rank_range)}


NOWHERE = Place(None)


def find_place(connection: Connection, live: LiveCompetition, team: TeamRecord) -> Place:
    """Find the place of a team on the board as this connection sees it."""
    if team.board_order is None or team.board_value is None or team.kind != "team" or team.status != "active":
        return NOWHERE
    return Ranks.read(connection, live).place(team.board_order, team.board_value, team.standard_error)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Every place of a board at one moment: the ranks of a whole page from one statement."""

    orders: FloatArray
    """What ranks are counted by, ascending, each as often as there are teams with it."""
    reaches: Reaches
    """How far from the numbers shown the true scores may lie."""

    @classmethod
    def read(cls, connection: Connection, live: LiveCompetition) -> "Ranks":
        """Read the places as this connection sees them."""
        # Released numbers lie on coarse grids, so there are far fewer different ones than teams.
        groups = standings.count_standings(connection, live.slug)
        orders, values, errors, counts = zip(*groups, strict=True) if groups else ((), (), (), ())
        plausibility = live.plausibility(sum(counts))
        return cls(
            orders=np.repeat(np.array(orders, dtype=np.float64), counts),
            reaches=Reaches.compute(plausibility, list(zip(values, errors, strict=True)), counts),
        )

    @property
    def teams(self) -> int:
        """How many teams have a number."""
        return len(self.orders)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism whose numbers these are."""
        return self.reaches.plausibility.mechanism

    @property
    def has_ranges(self) -> bool:
        """Whether the plausible ranks of any team are known."""
        return self.reaches.has_any

    def place(self, order: float, value: float, standard_error: float | None) -> Place:
        """The place of a team with these numbers; where ranks are the instances, the rung has the last word."""
        rank = 1 + int(np.searchsorted(self.orders, order, side="left"))
        reach = self.reaches.plausibility.find_reach(value, standard_error)
        if reach is None:
            return Place(rank)
        best = 1 + self.reaches.count_better(reach)
        worst = self.teams - self.reaches.count_worse(reach)
        return Place(rank, RankRangeBody(min(best, rank), max(worst, rank)))

    def is_tied(self, order: float) -> bool:
        """Whether several teams share the rank."""
        first, last = (np.searchsorted(self.orders, order, side=side) for side in ("left", "right"))
        return bool(last - first > 1)

    def count_possible_winners(self) -> int:
        """Count the teams that have 1 among their plausible ranks, those without a range included."""
        return self.reaches.count_possible_winners()
