"""Two sequences compared: their edit distance, and their longest common subsequence."""

from collections.abc import Hashable, Sequence


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and substitutions that make one the other.

    By the bits of whole numbers, one step for each entry of ``b`` (Myers 1999, A fast bit-vector algorithm for
    approximate string matching, J. ACM 46; in the form of Hyyrö 2003).

    >>> edit_distance("kitten", "sitting"), edit_distance("", "abc")
    (3, 3)
    """
    if not a:
        return len(b)
    masks, every, last = _find_places(a), (1 << len(a)) - 1, 1 << (len(a) - 1)
    higher, lower, distance = every, 0, len(a)
    for entry in b:
        same = masks.get(entry, 0)
        vertical = same | lower
        horizontal = ((((same & higher) + higher) ^ higher) | same) & every
        up = lower | (every & ~(horizontal | higher))
        down = higher & horizontal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & every, down << 1 & every
        higher, lower = down | (every & ~(vertical | up)), up & vertical
    return distance


def count_common(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence (Hyyrö 2004, Bit-parallel LCS-length computation revisited).

    >>> count_common("abcde", "xacxe")
    3
    """
    masks, every = _find_places(a), (1 << len(a)) - 1
    row = every
    for entry in b:
        hits = row & masks.get(entry, 0)
        row = (row + hits | row - hits) & every
    return len(a) - row.bit_count()


def _find_places(a: Sequence[Hashable]) -> dict[Hashable, int]:
    """Entry → the places where it stands, as the bits of a number."""
    places: dict[Hashable, int] = {}
    for at, entry in enumerate(a):
        places[entry] = places.get(entry, 0) | 1 << at
    return places
