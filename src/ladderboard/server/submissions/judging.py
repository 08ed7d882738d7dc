"""The mechanism's decision: memory, candidate and incumbents in, the new memory and a release out."""

from collections.abc import Callable
from dataclasses import dataclass

from ladderboard.competition import limit_time
from ladderboard.core.records import Evaluation, Release, State
from ladderboard.mechanisms.rungs import RungBoard, find_state, step_rungs
from ladderboard.server.competitions.live_competition import LiveCompetition

Memory = State | RungBoard


@dataclass(frozen=True, eq=False)
class Judgement:
    """A decision and the memory it was made from: valid only while that memory is the present one."""

    candidate: Evaluation
    key: str
    state_version: int
    epoch: int
    before: Memory
    after: Memory
    release: Release

    @property
    def submission_id(self) -> str:
        return self.candidate.submission


def list_incumbents(memory: Memory) -> list[str]:
    """The submissions that a candidate is compared with: one, or one for each rung."""
    states = [rung.state for rung in memory.rungs] if isinstance(memory, RungBoard) else [memory]
    return [state.incumbent for state in states]


def judge(
    live: LiveCompetition,
    candidate: Evaluation,
    evaluation_of: Callable[[str], Evaluation],
    *,
    team_id: str,
    key: str,
    state_version: int,
    epoch: int,
    before: Memory,
) -> Judgement:
    """Let the mechanism decide. Raises `HoldoutSpentError` where its budget is used up."""
    rng = live.noise(epoch, key, team_id, before.attempts + 1)
    incumbents = [evaluation_of(name) for name in list_incumbents(before)]
    proven = evaluation_of(find_state(before, team_id).proof.submission)
    after: Memory
    with limit_time():  # the time limit of a competition's own metric is that of the whole attempt
        if isinstance(before, RungBoard):
            after, release = step_rungs(live.mechanism, before, candidate, incumbents, rng, team=team_id, proven=proven)
        else:
            after, release = live.mechanism.step(before, candidate, incumbents[0], rng, proven=proven)
    return Judgement(candidate, key, state_version, epoch, before, after, release)
