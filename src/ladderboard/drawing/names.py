"""Long names, cut in the middle or at their ends: names of models differ in one or the other."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile


def shorten_names(names: Sequence[str], width: int) -> list[str]:
    """Cut long names in the middle; those that would then read alike at their ends, or else not at all.

    >>> shorten_names(["org/model-7b-chat-v1", "org/model-7b-chat-v2", "ours"], 11)
    ['org/m…at-v1', 'org/m…at-v2', 'ours']
    >>> shorten_names(["org/model-beta-8b-instruct", "org/model-beta-70b-instruct"], 16)
    ['…-beta-8b-instr…', '…-beta-70b-inst…']
    """
    head = width // 2
    short = [
        name if len(name) <= width else f"{name[:head]}…{name[len(name) - (width - head - 1) :]}" for name in names
    ]
    times = Counter(short)
    for cut in [cut for cut, count in times.items() if count > 1]:
        alike = [place for place, other in enumerate(short) if other == cut]
        for place, name in zip(alike, _cut_ends([names[place] for place in alike], width), strict=True):
            short[place] = name
    return short if len(set(short)) == len(set(names)) else list(names)


def _cut_ends(names: Sequence[str], width: int) -> list[str]:
    """The part in which names differ, with as much around it as fits; whole names where that is too long."""
    start = _count_alike(names)
    end = _count_alike([name[start:][::-1] for name in names])
    longest = max(len(name) - end - start for name in names)
    if min(len(name) - end - start for name in names) < 1 or longest > width - 2:
        return list(names)
    first = max(0, start - (width - 2 - longest) // 2)
    return [_show_part(name, first, width) for name in names]


def _count_alike(names: Sequence[str]) -> int:
    """How many letters all names begin with."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))


def _show_part(name: str, first: int, width: int) -> str:
    before = "…" if first else ""
    room = width - len(before)
    rest = name[first:]
    return before + (rest if len(rest) <= room else f"{rest[: room - 1]}…")
