"""All attempts of a competition judged again, in their order, under a corrected solution.

It goes along the ledger with memories that grow as they did, so that what happens meanwhile can be followed up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ladderboard.core.errors import ConflictError, HoldoutSpentError, SubmissionError
from ladderboard.core.ledger import Entry
from ladderboard.core.records import Release, State
from ladderboard.mechanisms.rungs import RungBoard, find_state
from ladderboard.scoring.scorer import Answers
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import ledger
from ladderboard.server.submissions.memories import Memories, Memory
from ladderboard.server.submissions.recording import NO_ENTRY, BoardEntry


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
    memories: Memories = field(default_factory=Memories)
    attempts: dict[str, Rejudged] = field(default_factory=dict)
    teams: dict[str, BestEntry] = field(default_factory=dict)

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
                self.take(entry, entry.opening)

    def take(self, entry: Entry, opening: Mapping[str, Any] | None) -> None:
        """The next entry of the ledger; a submission needs its opening."""
        body = entry.body
        self.memories.note_versions(body)
        if entry.kind == "submission":
            assert opening is not None, "the caller has all openings"
            self._judge(entry, opening)
        elif entry.kind == "merged":
            self._merge(kept=body["team"], other=body["from"])
        self.seq = entry.seq

    def _judge(self, entry: Entry, opening: Mapping[str, Any]) -> None:
        body, name, team, key = entry.body, entry.body["submission"], entry.body["team"], opening["instance"]
        stored = self.memories.note_stored(name, opening)
        answers = self._read(name, stored.file)
        values = self.live.evaluations.recall(stored, answers=answers)
        before = self.memories.find(self.live, key)
        try:
            release = self.memories.judge(self.live, body, opening, values).release
        except HoldoutSpentError:
            self.memories.by_key[key], release = _spent(self.live, before, team)
        # A program is its archive, whatever it has answered.
        fingerprint = opening["predictions"] if self.live.runs_programs else self.live.fingerprint(answers)
        one = Rejudged(name, team, body["number"], entry.at, body["phase"], fingerprint, release)
        self.attempts[name] = one
        self._note(one, self.memories.by_key[key])

    def _read(self, name: str, digest: str) -> Answers:
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

    def _merge(self, *, kept: str, other: str) -> None:
        own, others = self.teams.setdefault(kept, BestEntry()), self.teams.pop(other, BestEntry())
        better = min((own, others), key=_place)
        self.teams[kept] = replace(better, accepts=own.accepts + others.accepts)
        self.memories.merge(self.live, kept=kept, other=other)


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
