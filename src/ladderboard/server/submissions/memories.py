"""The mechanism's memories as they grow along a ledger, whoever walks along it: a replay, or a correction.

They start empty and grow as they did on the server: with the ledger's merges, its epochs of noise, and the rules that
were in force at each entry.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ladderboard.core.records import LINEAR_ARMS, Release, State
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.metrics.inputs import Array
from ladderboard.server.audit.library_versions import read_rules_in_force
from ladderboard.server.competitions.live_competition import BOARD, LiveCompetition
from ladderboard.server.db.rows.instances import LATE
from ladderboard.server.submissions.judging import Judgement, Memory, judge
from ladderboard.server.teams.merging import merge_rungs, merge_states


@dataclass(eq=False)
class Memories:
    """The memory of each instance, up to the entry that was taken last."""

    by_key: dict[str, Memory] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Submission → digest of its file."""
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
        self, live: LiveCompetition, body: Mapping[str, Any], opening: Mapping[str, Any], predictions: Array
    ) -> Judgement:
        """The decision of a submission's entry, remembered; raises `HoldoutSpentError` where the budget is used up."""
        name, key = body["submission"], opening["instance"]
        candidate = live.evaluations.evaluate(name, predictions, training_score=opening["training_score"])
        judgement = judge(
            live,
            candidate,
            lambda incumbent: live.evaluations.of(incumbent, self.files.__getitem__),
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
