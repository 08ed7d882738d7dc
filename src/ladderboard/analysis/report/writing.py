"""The words of a report, and its files."""

from collections.abc import Sequence
from pathlib import Path

from ladderboard.analysis.pages import PageSection, write_page
from ladderboard.analysis.report.contents import ResultsReport
from ladderboard.analysis.report.pictures import MOST_ROWS, draw_badge, draw_rank_ranges, draw_records
from ladderboard.core.errors import InputError
from ladderboard.inference.rank_ranges import RankRange
from ladderboard.inference.tasks.ranking import MEANINGS, describe_aggregates

FORMATS = (".html", ".md")
SHOWN_NAMES = 8


def write_report(report: ResultsReport, path: Path, *, title: str) -> None:
    """Write the report as .html, which needs nothing else, or .md with its pictures beside it."""
    if path.suffix not in FORMATS:
        raise InputError(f"{path.name}: the name of a report must end in {' or '.join(FORMATS)}")
    write_page(path, title, _describe_top(report), _list_sections(report))


def write_badge(report: ResultsReport, path: Path, *, system: str | None = None) -> None:
    """Write the badge of a system, by default of the first one, as .svg."""
    if path.suffix != ".svg":
        raise InputError(f"{path.name}: the name of a badge must end in .svg")
    one = report.ranges[0] if system is None else report.find_range(system)
    badge = draw_badge(one, systems=len(report.ranges), items=len(report.results.items))
    path.write_text(badge, encoding="utf-8")


def _list_sections(report: ResultsReport) -> list[PageSection]:
    sections = [_write_check(report), _write_ranks(report), _write_ties(report), _write_winner(report)]
    if report.records is not None:
        sections.append(_write_records(report))
    if report.tasks:
        sections += [_write_tasks(report), _write_aggregates(report)]
    return [*sections, _write_assumptions(report)]


def _describe_top(report: ResultsReport) -> str:
    """Who leads, and who else may be first: by the ranges alone, so that the page tells one story."""
    first, others = report.ranges[0], [one.system for one in report.ranges[1:] if one.could_be_first]
    measure = report.results.measure
    score = f"{measure.name} {measure.format_score(measure.score(first.score))}"
    if not others:
        return f"{first.system} is first with {score}, and no other system can be ({_share(report)} confidence)."
    may = f"{len(others)} of {len(report.ranges) - 1} others may be first too"
    return f"{first.system} leads with {score}; {may} ({_share(report)} confidence)."


def _write_check(report: ResultsReport) -> PageSection:
    found = [f"Data check: {finding}" for finding in report.findings]
    return PageSection("What was read", [*report.results.notes, *(found or ["Data check: nothing odd was found."])])


def _write_ranks(report: ResultsReport) -> PageSection:
    measure = report.results.measure
    words = [
        f"Every bar is the range of ranks that a system may truly have; all of them hold at once with {_share(report)} "
        "confidence. The dot is the rank on this test set."
    ]
    if len(report.ranges) > MOST_ROWS:
        words.append(f"The picture shows the first {MOST_ROWS} of {len(report.ranges)} systems, the table all.")
    rows = [
        [str(one.rank), _span(one), one.system, measure.format_score(measure.score(one.score)), str(one.group)]
        for one in report.ranges
    ]
    head = ["rank", "range", "system", measure.name, "group of ties"]
    return PageSection("Ranks", words, ("ranks", draw_rank_ranges(report.ranges, measure)), [head, *rows])


def _write_ties(report: ResultsReport) -> PageSection:
    groups: dict[int, list[str]] = {}
    for one in report.ranges:
        groups.setdefault(one.group, []).append(one.system)
    words = ["Systems of one group are tied directly or through others: the order within it may be luck."]
    rows = [[str(group), str(len(names)), _list_names(names)] for group, names in sorted(groups.items())]
    return PageSection("Groups of ties", words, table=[["group", "systems", "which"], *rows])


def _write_winner(report: ResultsReport) -> PageSection:
    winner, measure = report.winner, report.results.measure
    low, high = (measure.format_score(score) for score in sorted(measure.score(end) for end in winner.interval))
    observed, value = (measure.format_score(measure.score(loss)) for loss in (winner.naive, winner.value))
    words = [
        f"{winner.system} has the best {measure.name} of {len(report.ranges)}: {observed}. Corrected for being the "
        f"best, its true {measure.name} lies between {low} and {high} ({_share(report)} confidence).",
        f"Estimate: {value}; luck: {measure.format_amount(winner.luck)}.",
    ]
    if winner.is_rough:
        words.append("Caution: a few large losses dominate, and the interval is too short.")
    return PageSection("The winner", words)


def _write_records(report: ResultsReport) -> PageSection:
    audit, dates = report.records, report.results.dates
    assert audit is not None
    assert dates is not None
    words = [
        audit.sentence(),
        f"Order of time: by the dates of the runs, {dates[0][:10]} to {dates[-1][:10]}; runs of one day are one batch.",
    ]
    return PageSection("Records over time", words, ("records", draw_records(audit, report.results.measure)))


def _write_tasks(report: ResultsReport) -> PageSection:
    measure = report.results.measure
    rows = []
    for one in report.tasks:
        best = one.ranges[0] if one.ranges else None
        may = sum(other.could_be_first for other in one.ranges)
        score = "" if best is None else measure.format_score(measure.score(best.score))
        rows.append([one.task, str(one.items), "" if best is None else best.system, score, str(may) if best else ""])
    words = [
        f"The ranks above are over all {len(report.results.items)} items: a task with more items weighs more. On each "
        "task alone:"
    ]
    head = ["task", "items", "best system", measure.name, "may be first"]
    return PageSection("Tasks", words, table=[head, *rows])


def _write_aggregates(report: ResultsReport) -> PageSection:
    """Where the way to add tasks up decides who wins."""
    rows = []
    for one in report.aggregates:
        first = next(j for j, system in enumerate(one.ranges) if system.rank == 1)
        score = one.measure.format_score(one.scores[first])
        rows.append([MEANINGS[one.aggregate], _list_names(one.winners), score, _list_names(one.could_be_first)])
    head = ["ranked by", "first", "score", "may be first"]
    return PageSection("Ways to add tasks up", [describe_aggregates(report.aggregates)], table=[head, *rows])


def _write_assumptions(report: ResultsReport) -> PageSection:
    results = report.results
    groups = None if results.groups is None else len(set(results.groups))
    words = [
        f"{len(results.items)} items stand for the task: "
        + ("they are independent of each other." if groups is None else f"they come in {groups} independent groups.")
    ]
    if results.repeats is not None:
        words.append(f"Each score is the mean of up to {int(results.repeats.counts.max())} runs.")
    words += [
        f"{'Lower' if results.measure.lower_is_better else 'Higher'} {results.measure.name} is better.",
        "The systems were not chosen by looking at these items. Of several variants tried in secret, the best looks "
        "better than it is, and nothing here corrects for that.",
        f"Ranges and intervals hold with {_share(report)} confidence for many items, the ranges for all systems at "
        "once.",
    ]
    return PageSection("What was assumed", words)


def _span(one: RankRange) -> str:
    return str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"


def _share(report: ResultsReport) -> str:
    return f"{100 * report.confidence:g} %"


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown} and {len(names) - SHOWN_NAMES} more"
