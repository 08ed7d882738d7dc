"""The check of a ledger by somebody who does not trust the server: the chain, the numbers, the seals.

It needs nothing but the entries. What they cannot show (the solution behind the commitment) is in `publication`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ladderboard.core.ledger import GENESIS, Entry, seal

Verdict = Literal["sound", "broken", "not checked"]

FIELDS = frozenset({"seq", "at", "kind", "body", "sealed", "previous", "hash"})
SHOWN = frozenset({"opening", "salt"})


class BrokenError(Exception):
    """An entry is not what it claims to be; ``seq`` names it."""

    def __init__(self, sentence: str, seq: int | None) -> None:
        super().__init__(sentence)
        self.seq = seq


@dataclass(frozen=True)
class AuditCheck:
    """The result of one check of a ledger. ``seq``: the entry that failed it."""

    name: str
    verdict: Verdict
    sentence: str
    seq: int | None = None


@dataclass(frozen=True)
class PublishedEntry:
    """A published entry, with its opening and the salt of its seal where these are public."""

    entry: Entry
    opening: dict[str, Any] | None = None
    salt: str | None = None

    @classmethod
    def from_json(cls, record: Any, *, place: int) -> "PublishedEntry":
        """An entry from its JSON; raises `BrokenError`. ``place``: where it stands, counted from 1."""
        if not isinstance(record, dict) or not FIELDS <= set(record) <= FIELDS | SHOWN:
            raise BrokenError(f"entry {place} is not an entry of a ledger: it needs {', '.join(sorted(FIELDS))}", place)
        if record["seq"] != place or isinstance(record["seq"], bool):
            raise BrokenError(f"entry {place} is missing: {record['seq']!r} stands in its place", place)
        kinds = {"at": str, "kind": str, "body": dict, "previous": str, "hash": str}
        wrong = [name for name, kind in kinds.items() if not isinstance(record[name], kind)]
        if wrong or not isinstance(record["sealed"], str | None):
            raise BrokenError(f"entry {place}: {(wrong or ['sealed'])[0]} cannot be read", place)
        entry = Entry(**{name: record[name] for name in FIELDS - {"at"}}, at=_moment(record["at"], place))
        return cls(entry, record.get("opening"), record.get("salt"))

    def to_json(self) -> dict[str, Any]:
        """The inverse of `from_json`; an opening that may not be seen leaves no trace."""
        shown = {**vars(self.entry), "at": self.entry.at.isoformat()}
        if self.opening is not None:
            shown |= {"opening": self.opening, "salt": self.salt}
        return shown


@dataclass
class Audit:
    """What a walk along a chain found; it ends at the first break."""

    entries: int = 0
    head: str = GENESIS
    openings: int = 0
    closed: int = 0
    submissions: int = 0
    commitments: list[tuple[int, str]] = field(default_factory=list)
    """The entry and the sealed hash of each commitment: one for each scoring version."""
    result: tuple[int, str] | None = None
    """The entry that revealed the private board (or corrected it since) and the hash of what was revealed."""
    heads: set[str] = field(default_factory=set)
    """Which of the heads that were noted earlier are in the chain."""
    problem: BrokenError | None = None

    @property
    def is_sound(self) -> bool:
        return self.problem is None

    def checks(self, seen: Sequence[str] = ()) -> Iterator[AuditCheck]:
        """The findings, in the order in which one would ask for them."""
        if self.problem is not None:
            yield AuditCheck("chain", "broken", str(self.problem), self.problem.seq)
            return
        yield AuditCheck(
            "chain", "sound", f"{self.entries} entries follow each other without a gap; the last is {self.head}"
        )
        yield AuditCheck("numbers", "sound", f"{self.submissions} submissions are numbered without a gap")
        yield from self._seals()
        for head in seen:
            if head in self.heads:
                yield AuditCheck(
                    "earlier head", "sound", f"{head[:16]}… is in this chain: nothing before it was rewritten"
                )
            else:
                yield AuditCheck(
                    "earlier head", "broken", f"{head} is not in this chain: it was rewritten or cut since"
                )

    def _seals(self) -> Iterator[AuditCheck]:
        if self.openings:
            yield AuditCheck("seals", "sound", f"{self.openings} openings are what was sealed")
        if self.closed:
            yield AuditCheck(
                "seals", "not checked", f"{self.closed} entries are sealed until the reveal (or are another team's)"
            )


def audit(records: Iterable[Any], *, seen: Sequence[str] = ()) -> Audit:
    """Walk along a published chain.

    Parameters
    ----------
    records
        The entries as JSON values, the first one first.
    seen
        Heads that were noted earlier; each must be in the chain, which shows that nothing before it was changed.
    """
    found, wanted = Audit(), set(seen)
    try:
        for place, record in enumerate(records, 1):
            check_entry(found, PublishedEntry.from_json(record, place=place))
            found.heads |= wanted & {found.head}
        if not found.entries:
            raise BrokenError("the ledger is empty; a competition's first entry is its creation", None)
    except BrokenError as problem:
        found.problem = problem
    return found


def check_entry(found: Audit, shown: PublishedEntry) -> None:
    """One step of the walk; raises `BrokenError`."""
    entry = shown.entry
    if entry.previous != found.head:
        raise BrokenError(f"entry {entry.seq} does not follow entry {entry.seq - 1}", entry.seq)
    if not _is_sound(entry, found.head):
        raise BrokenError(f"entry {entry.seq} ({entry.kind}) was changed after it was written", entry.seq)
    if (entry.kind == "created") != (entry.seq == 1):
        raise BrokenError(f"entry {entry.seq}: the first entry, and only the first, creates the competition", entry.seq)
    _look_at_seal(found, shown)
    _look_at_number(found, entry)
    commitment = entry.body.get("commitment")
    if isinstance(commitment, str):
        found.commitments.append((entry.seq, commitment))
    for told in (entry.body, shown.opening or {}):
        # Sealed when it is computed, in the open when it is revealed, sealed again by a correction.
        if isinstance(told.get("result"), str):
            found.result = entry.seq, told["result"]
    found.entries, found.head = entry.seq, entry.hash


def _look_at_seal(found: Audit, shown: PublishedEntry) -> None:
    entry = shown.entry
    if shown.opening is None:
        found.closed += entry.sealed is not None
        return
    if not isinstance(shown.salt, str) or not isinstance(shown.opening, dict):
        raise BrokenError(f"entry {entry.seq} has an opening without its salt", entry.seq)
    if not _is_sealed(entry, shown.salt, shown.opening):
        raise BrokenError(f"entry {entry.seq} ({entry.kind}): the opening is not what was sealed", entry.seq)
    found.openings += 1


def _is_sound(entry: Entry, previous: str) -> bool:
    try:
        return entry.is_sound(previous)
    except ValueError:  # NaN, which some programs write, is no JSON and has no hash
        return False


def _is_sealed(entry: Entry, salt: str, opening: dict[str, Any]) -> bool:
    try:
        return entry.sealed == seal(salt, opening)
    except ValueError:
        return False


def _look_at_number(found: Audit, entry: Entry) -> None:
    if entry.kind != "submission":
        return
    found.submissions += 1
    if entry.body.get("number") != found.submissions:
        raise BrokenError(
            f"entry {entry.seq} has submission number {entry.body.get('number')!r}; {found.submissions} was due",
            entry.seq,
        )


def _moment(text: str, place: int) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BrokenError(f"entry {place}: {text!r} is no time", place) from None
    # One spelling only, else a time could be changed without changing the hash that is made of it.
    if moment.isoformat() != text or moment.utcoffset() is None:
        raise BrokenError(f"entry {place}: {text!r} is not how a ledger writes a time", place)
    return moment
