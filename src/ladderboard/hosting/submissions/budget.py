"""What is left of a team's own budget, where the mechanism has one: told in advance, as far as releases tell it."""

from datetime import datetime

from ladderboard.core.records import Budget, State
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.store import attempts
from ladderboard.store.database import Connection
from ladderboard.store.records import TeamRecord


def budget_of(connection: Connection, live: LiveCompetition, team: TeamRecord, *, now: datetime) -> Budget | None:
    """The budget of a team at a moment; None where there is none of its own.

    Where ranks are the instances, all teams use one budget, and the competition's status says when it is spent.
    """
    if live.is_ranked or not live.mechanism.has_budget:
        return None
    key = live.instance_key(team.id, live.phase(now))
    position = attempts.read_position(connection, live.slug, key, team.id)
    memory = live.memory(key, position.state)
    assert isinstance(memory, State), "each team has a memory of its own"
    return live.mechanism.budget_told(memory)
