"""The mechanism's memories: how an attempt is judged from one, how two become one, and how they grow along a ledger.

A replay and a correction walk along a ledger: the memories start empty and grow as they did on the server, with the
ledger's merges, its epochs of noise, and the rules that were in force at each entry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ladderboard.competition import limit_time
from ladderboard.core.records import LINEAR_ARMS, Evaluation, Proof, Release, State, Yardstick
from ladderboard.mechanisms.rungs import Rung, RungBoard, find_state, step_rungs
from ladderboard.metrics.inputs import Array
from ladderboard.server.audit.library_versions import read_rules_in_force
from ladderboard.server.competitions.live_competition import BOARD, LiveCompetition
from ladderboard.server.db.rows.instances import LATE
from ladderboard.server.submissions.records import StoredAnswers

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


@dataclass(eq=False)
class Memories:
    """The memory of each instance, up to the entry that was taken last."""

    by_key: dict[str, Memory] = field(default_factory=dict)
    stored: dict[str, StoredAnswers] = field(default_factory=dict)
    """Submission → where its answers are."""
    _rules: int = 1

    def note_versions(self, body: Mapping[str, Any]) -> None:
        """From an entry with versions on, the rules of those are in force."""
        if "versions" in body:
            self._rules = read_rules_in_force(body["versions"])

    def find(self, live: LiveCompetition, key: str) -> Memory:
        """The memory before the next attempt, under the rules in force."""
        # The first late entry goes on from where the deadline found its team (or the board).
        found = self.by_key.get(key) or self.by_key.get(key.removesuffix(LATE)) or live.memory(key, None)
        return found.under(self._rules)

    def judge(
        self, live: LiveCompetition, body: Mapping[str, Any], opening: Mapping[str, Any], values: Array
    ) -> Judgement:
        """The decision of a submission's entry, remembered; raises `HoldoutSpentError` where the budget is used up."""
        name, key = body["submission"], opening["instance"]
        candidate = live.evaluations.evaluate(name, values, training_score=opening["training_score"])
        judgement = judge(
            live,
            candidate,
            lambda incumbent: live.evaluations.of(incumbent, self.stored.__getitem__),
            team_id=body["team"],
            key=key,
            state_version=0,
            epoch=opening["epoch"],
            before=self.find(live, key),
        )
        if judgement.release.accepted:
            live.evaluations.remember(candidate)
        self.by_key[key] = judgement.after
        return replace(judgement, release=self._write_interval(live, judgement.release))

    def _write_interval(self, live: LiveCompetition, release: Release) -> Release:
        """The release with its interval by the rules in force; no decision rests on it."""
        if self._rules >= LINEAR_ARMS:
            return release
        former = replace(live.yardstick, scale=live.yardstick.scale.with_former_arms())
        interval = live.mechanism.make_interval(release.board_value, release.standard_error, former)
        return replace(release, interval=interval)

    def note_stored(self, name: str, opening: Mapping[str, Any]) -> StoredAnswers:
        """Remember where a submission's answers are, by the opening of its entry."""
        self.stored[name] = StoredAnswers(opening.get("output") or opening["file"], opening.get("scores"))
        return self.stored[name]

    def merge(self, live: LiveCompetition, *, kept: str, other: str) -> None:
        """The memory of two teams that became one."""
        if live.is_ranked:
            board, start = self.by_key.get(BOARD), live.memory(BOARD, None)
            if isinstance(board, RungBoard) and isinstance(start, RungBoard):
                self.by_key[BOARD] = merge_rungs(board, kept, other, empty=start.rungs[0], yardstick=live.yardstick)
            return
        given = self.by_key.pop(other, None)
        own, start = self.find(live, kept), live.memory(kept, None)
        if isinstance(given, State) and isinstance(own, State) and isinstance(start, State):
            given = given.under(self._rules)
            self.by_key[kept] = merge_states(own, given, start=start, yardstick=live.yardstick)


BUDGET = "budget"
"""The budget in a mechanism's memory: what either team has used of it stays used."""


def merge_states(kept: State, other: State, *, start: State, yardstick: Yardstick) -> State:
    """Merge two memories: the counts of both, and the released score and incumbent of the better.

    ``start``: the memory before the first attempt, to compute how much of a budget each has used.
    """
    better = other if _is_better(other.released, kept.released, yardstick) else kept
    memory = dict(better.memory)
    if BUDGET in memory:
        memory[BUDGET] = kept.memory[BUDGET] + other.memory[BUDGET] - start.memory[BUDGET]
    accepts = kept.accepts + other.accepts
    proof = merge_proofs((kept.proof, kept.accepts), (other.proof, other.accepts), accepts, yardstick)
    failed = None if kept.failed is None or other.failed is None else kept.failed + other.failed
    attempts = kept.attempts + other.attempts
    return replace(better, attempts=attempts, accepts=accepts, memory=memory, proof=proof, failed=failed)


def merge_proofs(one: tuple[Proof, int], other: tuple[Proof, int], accepts: int, yardstick: Yardstick) -> Proof:
    """Merge two teams' proofs: the better entry, with the accepts of both since their proofs and one for the merger.

    Each comes with the accepts of its own count so far, ``accepts`` is the merged count.
    """
    better = other[0] if _is_better(other[0].value, one[0].value, yardstick) else one[0]
    since = sum(count - proof.accepts for proof, count in (one, other)) + 1
    return replace(better, accepts=accepts - since)


def merge_rungs(board: RungBoard, kept: str, other: str, *, empty: Rung, yardstick: Yardstick) -> RungBoard:
    """Merge two teams' rungs: the better one stays, and the rungs below the other move up."""
    held = [index for index in (board.find_rung(kept), board.find_rung(other)) if index is not None]
    proofs = {team: proof for team, proof in board.proofs.items() if team != other}
    if other in board.proofs or kept in board.proofs:
        mine, given = ((board.find_proof(team), board.accepts) for team in (kept, other))
        proofs[kept] = merge_proofs(mine, given, board.accepts, yardstick)
    if not held:
        return replace(board, proofs=proofs)
    best = min(held)
    rungs = [
        Rung(kept, rung.state) if index == best else rung
        for index, rung in enumerate(board.rungs)
        if index == best or index not in held
    ]
    rungs += [empty] * (len(board.rungs) - len(rungs))
    return replace(board, rungs=tuple(rungs), proofs=proofs)


def _is_better(one: float | None, than: float | None, yardstick: Yardstick) -> bool:
    if one is None or than is None:
        return one is not None
    return yardstick.is_better(one, than)
