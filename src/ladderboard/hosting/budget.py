"""What is left of a team's own budget, where the mechanism has one: told in advance, as far as releases tell it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.hosting.hosted import Hosted
from ladderboard.records import Budget, State
from ladderboard.store import turns


def budget_of(connection: Connection, hosted: Hosted, team: Row[Any], *, now: datetime) -> Budget | None:
    """The budget of a team at a moment; None where there is none of its own.

    Where ranks are the instances, all teams use one budget, and the competition's status says when it is spent.
    """
    if hosted.is_ranked or not hosted.mechanism.has_budget:
        return None
    key = hosted.instance_key(team.id, hosted.phase(now))
    position = turns.read_position(connection, hosted.slug, key, team.id)
    memory = hosted.memory(key, position.state)
    assert isinstance(memory, State), "each team has a memory of its own"
    return hosted.mechanism.budget_told(memory)
