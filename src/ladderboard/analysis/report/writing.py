"""The words of a report, and its files."""

from pathlib import Path

from ladderboard.analysis.pages import PageSection, write_page
from ladderboard.analysis.report.battles import BattlesReport, describe_battles_top, list_battle_sections
from ladderboard.analysis.report.contents import ResultsReport
from ladderboard.analysis.report.pictures import draw_badge, draw_records
from ladderboard.analysis.report.ranks_sections import (
    describe_share,
    describe_top,
    list_names,
    write_ranks,
    write_ties,
)
from ladderboard.core.errors import InputError
from ladderboard.inference.tasks.ranking import MEANINGS, describe_aggregates

FORMATS = (".html", ".md")


def write_report(report: ResultsReport | BattlesReport, path: Path, *, title: str) -> None:
    """Write the report as .html, which needs nothing else, or .md with its pictures beside it."""
    if path.suffix not in FORMATS:
        raise InputError(f"{path.name}: the name of a report must end in {' or '.join(FORMATS)}")
    if isinstance(report, BattlesReport):
        write_page(path, title, describe_battles_top(report), list_battle_sections(report))
        return
    top = describe_top(report.ranges, report.results.measure, report.confidence)
    write_page(path, title, top, _list_sections(report))


def write_badge(report: ResultsReport | BattlesReport, path: Path, *, system: str | None = None) -> None:
    """Write the badge of a system, by default of the first one, as .svg."""
    if path.suffix != ".svg":
        raise InputError(f"{path.name}: the name of a badge must end in .svg")
    one = report.ranges[0] if system is None else report.find_range(system)
    badge = draw_badge(one, systems=len(report.ranges), items=report.units)
    path.write_text(badge, encoding="utf-8")


def _list_sections(report: ResultsReport) -> list[PageSection]:
    sections = [
        _write_check(report),
        write_ranks(report.ranges, report.results.measure, report.confidence),
        write_ties(report.ranges),
        _write_winner(report),
    ]
    if report.records is not None:
        sections.append(_write_records(report))
    if report.tasks:
        sections += [_write_tasks(report), _write_aggregates(report)]
    return [*sections, _write_assumptions(report)]


def _write_check(report: ResultsReport) -> PageSection:
    found = [f"Data check: {finding}" for finding in report.findings]
    return PageSection("What was read", [*report.results.notes, *(found or ["Data check: nothing odd was found."])])


def _write_winner(report: ResultsReport) -> PageSection:
    winner, measure = report.winner, report.results.measure
    low, high = (measure.format_score(score) for score in sorted(measure.score(end) for end in winner.interval))
    observed, value = (measure.format_score(measure.score(loss)) for loss in (winner.naive, winner.value))
    share = describe_share(report.confidence)
    words = [
        f"{winner.system} has the best {measure.name} of {len(report.ranges)}, {observed}{winner.describe_level()}. "
        f"Corrected for being the best, its true {measure.name} lies between {low} and {high} ({share} confidence).",
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
        best = [other.system for other in one.ranges if other.rank == 1]
        may = sum(other.could_be_first for other in one.ranges)
        score = measure.format_score(measure.score(one.ranges[0].score)) if best else ""
        rows.append([one.task, str(one.items), list_names(best), score, str(may) if best else ""])
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
        rows.append([MEANINGS[one.aggregate], list_names(one.winners), score, list_names(one.could_be_first)])
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
        f"Ranges and intervals hold with {describe_share(report.confidence)} confidence for many items, the ranges for "
        "all systems at once.",
    ]
    return PageSection("What was assumed", words)
