"""Where a team stands, from released numbers only."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from ladderboard.hosting.hosted import Hosted
from ladderboard.store.schema import teams


@dataclass(frozen=True)
class Place:
    """A rank; None where there is no number yet."""

    rank: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"rank": self.rank}


def place_of(connection: Connection, hosted: Hosted, team: Row[Any]) -> Place:
    """The rank of a team: one more than there are better ones. Equal values share it."""
    if team.board_order is None or team.kind != "team":
        return Place(None)
    better = (
        (teams.c.competition == hosted.slug)
        & (teams.c.status == "active")
        & (teams.c.kind == "team")
        & (teams.c.board_order < team.board_order)
    )
    return Place(1 + int(connection.scalar(select(func.count()).select_from(teams).where(better)) or 0))
