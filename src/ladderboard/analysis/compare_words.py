"""The words of a comparison: what its error contains, and its table for a pull request."""

from collections.abc import Sequence

from ladderboard.analysis.compare import ItemChange, PairedComparison, PartComparison, format_change
from ladderboard.drawing.markdown import escape_markdown, render_table

POINT = 0.01
MARKS = {"better": "✅", "not worse": "✅", "not proven": "➖", "worse": "❌"}


def describe_sources(found: PairedComparison) -> list[str]:
    """What the error contains and what it does not, a sentence each."""
    said = [] if found.units == found.items else [f"The items come in {found.units:,} independent groups."]
    if max(found.seeds) > 1:
        said.append(f"{found.seeds[0]} seeds of {found.new} and {found.seeds[1]} of {found.old}: part of the error.")
    if found.prompts > 1:
        said.append(f"{found.prompts} prompts, the same for both: part of the error.")
    single = [name for name, count in zip((found.new, found.old), found.seeds, strict=True) if count == 1]
    if single:
        said.append(f"Nothing is said of other trainings (seeds) of {' and '.join(single)}.")
    if found.runs > 1:
        share = "" if found.runs_share is None else f": {100 * found.runs_share:.0f} % of its variance"
        said.append(f"The chance of up to {found.runs} runs of each item is part of the error{share}.")
    if found.is_rough:
        said.append("Caution: few items carry the difference; items that differ more may happen not to be here.")
    return said


def describe_power(found: PairedComparison) -> str:
    """The gap that these items resolve, and what a gap of .01 would need; of seeds more items alone would not help."""
    if found.resolved_gap == 0 or max(*found.seeds, found.prompts) > 1:
        return ""
    gap, point = (found.measure.format_amount(amount) for amount in (found.resolved_gap, POINT))
    needed = found.count_needed_items(POINT)
    return f"These items usually prove (80 % power) a true difference of {gap}; {point} would need about {needed:,}."


def list_parts(found: PairedComparison, parts: Sequence[PartComparison]) -> list[list[str]]:
    """The cells of the table of tasks or groups, the most changed first."""
    rows = []
    for one in sorted(parts, key=lambda part: -abs(part.difference)):
        ends = "" if one.interval is None else " to ".join(_bare(found, end) for end in one.interval)
        scores = [found.measure.format_score(score) for score in (one.old, one.new)]
        rows.append([one.name, f"{one.items:,}", *scores, _bare(found, one.difference), ends])
    return rows


def list_changes(found: PairedComparison, changes: Sequence[ItemChange]) -> list[list[str]]:
    """The cells of the table of items."""
    return [[one.item, *(found.measure.format_score(score) for score in (one.old, one.new))] for one in changes]


def render_markdown(found: PairedComparison, *, notes: Sequence[str] = ()) -> str:
    """The comparison as Markdown for a pull request: the verdict, and the parts and items folded."""
    lines = [f"{MARKS[found.verdict]} {escape_markdown(found.sentence())}", ""]
    name = found.measure.name
    head = [name, found.old, found.new, "difference", f"{100 * found.confidence:g} % interval"]
    scores = [found.measure.format_score(score) for score in (found.old_score, found.new_score)]
    ends = " to ".join(_bare(found, end) for end in found.interval)
    rows = [["all", *scores, _bare(found, found.difference), ends]]
    rows += [[row[0], *row[2:]] for row in list_parts(found, found.by_task)]
    lines += [render_table([head, *rows]), ""]
    for title, changes in (("won", found.largest_wins), ("lost", found.largest_losses)):
        if changes:
            table = render_table([["item", found.old, found.new], *list_changes(found, changes)])
            lines += [f"<details><summary>Items {title}: the largest</summary>", "", table, "", "</details>", ""]
    said = [*describe_sources(found), describe_power(found), *notes]
    return "\n".join([*lines, *(f"- {escape_markdown(one)}" for one in said if one)]) + "\n"


def _bare(found: PairedComparison, amount: float) -> str:
    return format_change(found.measure, amount, unit=False)
