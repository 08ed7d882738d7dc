"""All attempts of a competition judged again, in their order, under a corrected solution.

The memories of the mechanism grow as they did: with the ledger's merges, its epochs of noise, and noise derived from
the same secret, team and attempt. It goes along the ledger, so that what happens meanwhile can be followed up.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ladderboard.core.errors import ConflictError, HoldoutSpentError, SubmissionError
from ladderboard.core.records import Release, State
from ladderboard.mechanisms.rungs import RungBoard, find_state
from ladderboard.metrics.inputs import Array
from ladderboard.server.audit import sql as ledger
from ladderboard.server.audit.library_versions import read_rules_in_force
from ladderboard.server.competitions.live_competition import BOARD, LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.submissions.judging import Memory, judge
from ladderboard.server.submissions.recording import NO_ENTRY, BoardEntry
from ladderboard.server.submissions.sql.attempts import LATE
from ladderboard.server.teams.merging import merge_rungs, merge_states


@dataclass(frozen=True)
class Rejudged:
    """One attempt, judged again."""

    submission_id: str
    team_id: str
    number: int
    at: datetime
    entry_kind: str
    fingerprint: str
    release: Release


@dataclass
class BestEntry:
    """The best entry of a team so far."""

    accepts: int = 0
    entry: BoardEntry = NO_ENTRY
    last_improvement: int | None = None
    last_improved_at: datetime | None = None


@dataclass(eq=False)
class Rejudging:
    """A walk along the ledger; ``live`` has the corrected solution."""

    live: LiveCompetition
    seq: int = 0
    memories: dict[str, Memory] = field(default_factory=dict)
    attempts: dict[str, Rejudged] = field(default_factory=dict)
    teams: dict[str, BestEntry] = field(default_factory=dict)
    _files: dict[str, str] = field(default_factory=dict)
    _rules: int = 1
    """Those in force at the entry that is judged."""

    def follow(self, connection: Connection, *, until: int) -> None:
        """Judge everything up to the ledger's entry ``until`` that was not yet."""
        while self.seq < until:
            page = ledger.read_page(
                connection,
                self.live.slug,
                after=self.seq,
                limit=min(ledger.AT_ONCE, until - self.seq),
                openings=ledger.ALL_OPENINGS,
            )
            for entry in page:
                self.take(entry)

    def take(self, entry: Any) -> None:
        """The next entry of the ledger, with its opening."""
        if "versions" in entry.body:
            self._rules = read_rules_in_force(entry.body["versions"])
        if entry.kind == "submission":
            self._judge(entry)
        elif entry.kind == "merged":
            self._merge(kept=entry.body["team"], other=entry.body["from"])
        self.seq = entry.seq

    def _judge(self, entry: Any) -> None:
        body, opening = entry.body, entry.opening
        name, key = body["submission"], opening["instance"]
        self._files[name] = opening["file"]
        predictions = self._read(name, opening["file"])
        candidate = self.live.evaluations.evaluate(name, predictions, training_score=opening["training_score"])
        before = self._memory(key).under(self._rules)
        try:
            judgement = judge(
                self.live,
                candidate,
                lambda incumbent: self.live.evaluations.of(incumbent, self._files.__getitem__),
                team_id=body["team"],
                key=key,
                state_version=0,
                epoch=opening["epoch"],
                before=before,
            )
            after, release = judgement.after, judgement.release
        except HoldoutSpentError:
            after, release = _spent(self.live, before, body["team"])
        if release.accepted:
            self.live.evaluations.remember(candidate)
        self.memories[key] = after
        fingerprint = self.live.fingerprint(predictions)
        one = Rejudged(name, body["team"], body["number"], entry.at, body["phase"], fingerprint, release)
        self.attempts[name] = one
        self._note(one, after)

    def _read(self, name: str, digest: str) -> Array:
        try:
            return self.live.evaluations.read(self.live.files.read(digest))
        except SubmissionError as problem:
            raise ConflictError(
                f"submission {name} is not valid under the corrected solution: {problem}. A correction keeps the ids "
                "and what a prediction is; for another task start a new competition"
            ) from None

    def _note(self, one: Rejudged, after: Memory) -> None:
        if one.entry_kind == "late":
            return
        team = self.teams.setdefault(one.team_id, BestEntry())
        if one.release.accepted:
            team.accepts += 1
            team.last_improvement, team.last_improved_at = one.number, one.at
        if isinstance(after, State) and one.release.board_value is not None:
            order = self.live.yardstick.loss(one.release.board_value)
            team.entry = BoardEntry(order, one.release.board_value, one.release.standard_error)

    def _memory(self, key: str) -> Memory:
        if key in self.memories:
            return self.memories[key]
        # The first late entry goes on from where the deadline found its team (or the board).
        return self.memories.get(key.removesuffix(LATE)) or self.live.memory(key, None)

    def _merge(self, *, kept: str, other: str) -> None:
        own, others = self.teams.setdefault(kept, BestEntry()), self.teams.pop(other, BestEntry())
        better = min((own, others), key=_place)
        self.teams[kept] = replace(better, accepts=own.accepts + others.accepts)
        if self.live.is_ranked:
            board, start = self.memories.get(BOARD), self.live.memory(BOARD, None)
            if isinstance(board, RungBoard) and isinstance(start, RungBoard):
                self.memories[BOARD] = merge_rungs(
                    board, kept, other, empty=start.rungs[0], yardstick=self.live.yardstick
                )
            return
        given = self.memories.pop(other, None)
        mine, start = self._memory(kept).under(self._rules), self.live.memory(kept, None)
        if isinstance(given, State) and isinstance(mine, State) and isinstance(start, State):
            given = given.under(self._rules)
            self.memories[kept] = merge_states(mine, given, start=start, yardstick=self.live.yardstick)


def _spent(live: LiveCompetition, before: Memory, team_id: str) -> tuple[Memory, Release]:
    """What was answered when there was still a budget, and would not be now: an ordinary rejection."""
    attempt = before.attempts + 1
    shown = find_state(before, team_id)
    release = Release(
        None if isinstance(before, RungBoard) else shown.released,
        shown.released,
        accepted=False,
        improved=False,
        attempt=attempt,
        interval=live.mechanism.tell_interval(shown, live.yardstick),
        standard_error=shown.standard_error,
    )
    return replace(before, attempts=attempt), release


def _place(team: BestEntry) -> tuple[float, float]:
    """Lower is better; the earlier improvement of two equal values."""
    order = float("inf") if team.entry.board_order is None else team.entry.board_order
    return order, float("inf") if team.last_improvement is None else team.last_improvement
