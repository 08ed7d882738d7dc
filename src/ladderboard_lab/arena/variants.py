"""The mechanisms an arena compares: every one, with the parameters under which papers and platforms run it."""

import ladderboard as lb

REFERENCE = next(iter(lb.FullDisclosure.variants))
"""The variant whose honest error is 1 in every ratio."""


def make_variants(*, n: int, k: int) -> dict[str, "lb.Mechanism"]:
    """Name → mechanism, for a board of n items that allows k submissions.

    >>> make_variants(n=400, k=1000)["full_disclosure_coarse"]
    FullDisclosure(precision=0.05)
    """
    found: dict[str, lb.Mechanism] = {}
    for made in lb.MECHANISMS.values():
        found |= made.make_variants(items=n, submissions=k)
    return found


def list_variants() -> tuple[str, ...]:
    """The names."""
    return tuple(name for one in lb.MECHANISMS.values() for name in one.variants)
