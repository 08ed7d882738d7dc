"""The ledger's hash chain: entries, sealed openings and commitments.

An entry is public but for its *opening* (what a team was told, which file it sent). The opening is sealed: the entry
holds a salted hash of it. Its team can check it at once, everybody after the reveal, and nobody can change it between.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ladderboard.core.canonical_json import canonical_json

GENESIS = "0" * 64
"""What the first entry of a chain follows."""


@dataclass(frozen=True)
class Entry:
    """An entry of the ledger. ``hash`` covers its fields and, through ``previous``, all earlier entries."""

    seq: int
    at: datetime
    kind: str
    body: dict[str, Any]
    sealed: str | None
    previous: str
    hash: str

    @classmethod
    def following(
        cls, previous: str, *, seq: int, at: datetime, kind: str, body: dict[str, Any], sealed: str | None
    ) -> "Entry":
        return cls(
            seq,
            at,
            kind,
            body,
            sealed,
            previous,
            entry_hash(previous, seq=seq, at=at, kind=kind, body=body, sealed=sealed),
        )

    def is_sound(self, previous: str) -> bool:
        """Whether the entry follows ``previous`` and is unchanged."""
        made = entry_hash(previous, seq=self.seq, at=self.at, kind=self.kind, body=self.body, sealed=self.sealed)
        return self.previous == previous and self.hash == made


def entry_hash(previous: str, *, seq: int, at: datetime, kind: str, body: dict[str, Any], sealed: str | None) -> str:
    """Compute the hash of an entry, hexadecimal."""
    content = {"previous": previous, "seq": seq, "at": at.isoformat(), "kind": kind, "body": body, "sealed": sealed}
    return hashlib.sha256(canonical(content)).hexdigest()


def seal(salt: str, opening: dict[str, Any]) -> str:
    """Compute the salted hash of an opening, which commits to it without revealing it.

    >>> seal("aa", {"value": 0.1}) == seal("aa", {"value": 0.1}) != seal("ab", {"value": 0.1})
    True
    """
    return hashlib.sha256(salt.encode() + b":" + canonical(opening)).hexdigest()


def canonical(value: Any) -> bytes:
    """Convert a JSON value to the canonical bytes that are hashed."""
    return canonical_json(value).encode()
