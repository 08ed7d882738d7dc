"""The rank sections of a report: who may be first, the picture and table of ranges, the groups of ties."""

from collections.abc import Sequence

from ladderboard.analysis.pages import PageSection
from ladderboard.analysis.report.pictures import MOST_ROWS, draw_rank_ranges
from ladderboard.inference.measure import Measure
from ladderboard.inference.rank_ranges import RankRange

SHOWN_NAMES = 8


def describe_top(ranges: Sequence[RankRange], measure: Measure, confidence: float) -> str:
    """Who leads, and who else may be first: by the ranges alone, so that the page tells one story."""
    first, others = ranges[0], [one.system for one in ranges[1:] if one.could_be_first]
    score = f"{measure.name} {measure.format_score(measure.score(first.score))}"
    share = describe_share(confidence)
    if not others:
        return f"{first.system} is first with {score}, and no other system can be ({share} confidence)."
    level = [one.system for one in ranges if one.rank == 1]
    may = f"{len(others) + 1} of {len(ranges)} systems may be first"
    lead = f"{first.system} leads with {score}" if len(level) == 1 else f"{list_names(level)} are level with {score}"
    return f"{lead}; {may} ({share} confidence)."


def write_ranks(
    ranges: Sequence[RankRange], measure: Measure, confidence: float, *, errors: Sequence[float] = ()
) -> PageSection:
    """The ranges, best first, as a picture and a table; ``errors``: the standard error of each score."""
    words = [
        f"Every bar is the range of ranks that a system may truly have; all of them hold at once with "
        f"{describe_share(confidence)} confidence. The dot is the rank on this test set."
    ]
    if len(ranges) > MOST_ROWS:
        words.append(f"The picture shows the first {MOST_ROWS} of {len(ranges)} systems, the table all.")
    rows = [
        [str(one.rank), _span(one), one.system, measure.format_score(measure.score(one.score)), str(one.group)]
        for one in ranges
    ]
    head = ["rank", "range", "system", measure.name, "group"]
    if errors:
        head.insert(4, "±")
        for row, error in zip(rows, errors, strict=True):
            row.insert(4, f"{error:.4f}")
    return PageSection("Ranks", words, ("ranks", draw_rank_ranges(ranges, measure)), [head, *rows])


def write_ties(ranges: Sequence[RankRange]) -> PageSection:
    """The systems of each group."""
    groups: dict[int, list[str]] = {}
    for one in ranges:
        groups.setdefault(one.group, []).append(one.system)
    words = ["Systems of one group are tied directly or through others: the order within it may be luck."]
    rows = [[str(group), str(len(names)), list_names(names)] for group, names in sorted(groups.items())]
    return PageSection("Groups of ties", words, table=[["group", "systems", "which"], *rows])


def describe_share(confidence: float) -> str:
    """A confidence in per cent."""
    return f"{100 * confidence:g} %"


def list_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown} and {len(names) - SHOWN_NAMES} more"


def _span(one: RankRange) -> str:
    return str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
