"""What a reader left out: how many, their names, and why."""

from collections.abc import Iterable
from dataclasses import dataclass

SHOWN_NAMES = 5


@dataclass(frozen=True)
class LeftOut:
    """Things of one kind that were left out for one reason.

    >>> str(LeftOut("log", ("a.eval", "b.eval"), "the status is 'error'"))
    "left out 2 logs (a.eval, b.eval): the status is 'error'"
    """

    what: str
    """One of them: run, log, file, item, score, column, battle."""
    names: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        count = f"{len(self.names)} {self.what}{'s' * (len(self.names) != 1)}"
        return f"left out {count} ({list_names(self.names)}): {self.reason}"

    def to_json(self) -> dict[str, object]:
        """Every name, however many there are."""
        return {"what": self.what, "count": len(self.names), "names": list(self.names), "reason": self.reason}


Note = str | LeftOut
"""A sentence about the reading, or what was left out."""


def collect_left_out(what: str, found: Iterable[tuple[str, str]]) -> list[LeftOut]:
    """One entry for each reason of the (name, reason) pairs, in the order in which they come."""
    names: dict[str, list[str]] = {}
    for name, reason in found:
        names.setdefault(reason, []).append(name)
    return [LeftOut(what, tuple(dict.fromkeys(same)), reason) for reason, same in names.items()]


def take_left_out(notes: Iterable[Note]) -> tuple[LeftOut, ...]:
    """Those of the notes that say what was left out."""
    return tuple(note for note in notes if isinstance(note, LeftOut))


def list_names(names: Iterable[str], most: int = SHOWN_NAMES) -> str:
    """The first names, and a sign that there are more."""
    given = tuple(names)
    return ", ".join(given[:most]) + (", …" if len(given) > most else "")
