"""The replay of a ledger: every release recomputed from the submitted files and compared.

Under the recorded versions of the libraries releases are equal bit for bit; under others they are compared after
rounding.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ladderboard.core.errors import DatabaseError, LadderboardError
from ladderboard.core.ledger import canonical
from ladderboard.server.audit.audit import PublishedEntry
from ladderboard.server.audit.library_versions import read_versions
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.results.rejudging import Rejudging
from ladderboard.server.submissions.memories import Memories
from ladderboard.server.submissions.records import StoredAnswers

SEALED = "an opening is sealed; replay needs the openings of all teams"
UNCHANGED = ("value", "board_value", "accepted", "attempt")
"""What a release of the first version and one of today have in common."""
DIGITS = 9
"""To how many significant digits numbers are compared under other versions of the libraries."""

Outcome = Literal["same", "same after rounding", "different", "not replayed"]


@dataclass(frozen=True)
class Replayed:
    """The replay of one release, or of all by a correction (number 0). ``words``: why it was not replayed."""

    seq: int
    submission: str
    number: int
    outcome: Outcome
    recorded: Mapping[str, Any]
    computed: Mapping[str, Any] | None = None
    words: str = ""

    @property
    def is_sound(self) -> bool:
        return self.outcome in ("same", "same after rounding")


@dataclass(eq=False)
class LedgerReplay:
    """The memories as they grow. ``scorings`` has the competition of each scoring version that is at hand."""

    scorings: Mapping[int, LiveCompetition]
    read_file: Callable[[str], bytes]
    _memories: Memories = field(default_factory=Memories)
    _versions: Mapping[str, str] | None = None
    _lost: str = ""
    """Why nothing more can be replayed; empty: nothing was lost yet."""

    def releases(self, entries: Callable[[], Iterable[PublishedEntry]]) -> Iterator[Replayed]:
        """Walk along the ledger; every submission's release again. The entries need their openings.

        ``entries`` gives them from the first one on, as often as it is asked: a correction scored everything before it
        anew.
        """
        for shown in entries():
            kind, body = shown.entry.kind, shown.entry.body
            self._versions = body.get("versions", self._versions)
            self._memories.note_versions(body)
            if kind == "merged" and self.scorings and not self._lost:
                self._memories.merge(self.scorings[max(self.scorings)], kept=body["team"], other=body["from"])
            elif kind == "rescored":
                yield self._replay_rescoring(shown, entries)
            elif kind == "submission":
                yield self._replay_submission(shown)

    def _replay_rescoring(self, shown: PublishedEntry, entries: Callable[[], Iterable[PublishedEntry]]) -> Replayed:
        """Replay all releases before a correction with the corrected solution, and compare their hash."""
        version, opening = shown.entry.body["scoring_version"], shown.opening
        live = self.scorings.get(version)
        if live is None or opening is None:
            self._lost = f"the solution of scoring version {version} is not at hand"
            return self._skip(shown, self._lost)
        again = Rejudging(live)
        for past in entries():
            if past.entry.seq >= shown.entry.seq:
                break
            if past.opening is None and past.entry.kind == "submission":
                self._lost = SEALED
                return self._skip(shown, self._lost)
            again.take(past.entry, past.opening)
        self._memories, self._lost = again.memories, ""
        releases = [[name, plain(one.release.to_dict())] for name, one in again.attempts.items()]
        if hashlib.sha256(canonical(releases)).hexdigest() == opening["releases"]:
            return self._report(shown, "same", None)
        if self._versions != read_versions():
            return self._skip(shown, "under other versions of the libraries the hash of all releases differs")
        return self._report(shown, "different", None, "the corrected releases are not those that were published")

    def _replay_submission(self, shown: PublishedEntry) -> Replayed:
        entry, opening = shown.entry, shown.opening
        if opening is None:
            return self._skip(shown, SEALED)
        stored = self._memories.note_stored(entry.body["submission"], opening)
        live = self.scorings.get(entry.body["scoring_version"])
        if live is None:
            self._lost = f"the solution of scoring version {entry.body['scoring_version']} is not at hand"
        if self._lost or live is None:
            return self._skip(shown, self._lost)
        try:
            computed = self._judge(live, shown, opening, stored)
        except DatabaseError as problem:
            self._lost = f"the file of submission {entry.body['submission']} is not at hand: {problem}"
            return self._skip(shown, self._lost)
        except LadderboardError as problem:
            return self._report(shown, "different", None, f"it cannot be scored again: {problem}")
        if computed is None:
            return self._report(shown, "different", None, "the file does not hold the predictions that were scored")
        return self._report(shown, self._compare(opening["release"], computed), computed)

    def _judge(
        self, live: LiveCompetition, shown: PublishedEntry, opening: Mapping[str, Any], stored: StoredAnswers
    ) -> dict[str, Any] | None:
        answers = live.evaluations.receive(self.read_file(opening["file"]))
        if live.fingerprint(answers) != opening["predictions"]:
            return None
        values = live.evaluations.recall(stored, answers=None if live.runs_programs else answers)
        release = self._memories.judge(live, shown.entry.body, opening, values).release
        computed: dict[str, Any] = plain(release.to_dict())
        return computed

    def _compare(self, recorded: Mapping[str, Any], computed: Mapping[str, Any]) -> Outcome:
        if "standard_error" not in recorded:
            # The first version had another rule for "improved" and for intervals; the rest must be what it was.
            recorded, computed = ({name: one[name] for name in UNCHANGED} for one in (recorded, computed))
        if recorded == computed:
            return "same"
        is_exact = self._versions == read_versions()
        return (
            "same after rounding"
            if not is_exact and round_numbers(recorded) == round_numbers(computed)
            else "different"
        )

    def _skip(self, shown: PublishedEntry, words: str) -> Replayed:
        return self._report(shown, "not replayed", None, words)

    def _report(
        self, shown: PublishedEntry, outcome: Outcome, computed: Mapping[str, Any] | None, words: str = ""
    ) -> Replayed:
        body, recorded = shown.entry.body, (shown.opening or {}).get("release", {})
        name, number = body.get("submission", shown.entry.kind), body.get("number", 0)
        return Replayed(shown.entry.seq, name, number, outcome, recorded, computed, words)


def plain(value: Any) -> Any:
    """A release as JSON has it: lists for pairs."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def round_numbers(value: Any) -> Any:
    """Round numbers to as many digits as every library agrees on.

    >>> round_numbers({"value": 0.1 + 0.2}) == round_numbers({"value": 0.3})
    True
    """
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: round_numbers(one) for key, one in value.items()}
    return [round_numbers(one) for one in value] if isinstance(value, list) else value
