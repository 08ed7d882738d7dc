"""The words of a report: its verdict and its sections, for HTML and Markdown alike."""

import math
from collections.abc import Sequence

from ladderboard.analysis.report.battles import BattlesReport, list_battle_assumptions
from ladderboard.analysis.report.charts import draw_records, draw_task
from ladderboard.analysis.report.contents import ResultsReport
from ladderboard.analysis.report.rows import list_cells, render_table
from ladderboard.drawing.elements import Drawing, escape, join
from ladderboard.drawing.names import shorten_names
from ladderboard.drawing.page import PageSection
from ladderboard.inference.tasks.ranking import MEANINGS, describe_aggregates
from ladderboard.inference.variance_components import ANSWERS, describe_sources, find_typical, split_sources

AnyReport = ResultsReport | BattlesReport
SHOWN_NAMES = 4
NAME_LENGTH = 60
SHOWN_SYSTEMS = 10
"""In each panel of the tasks."""
PANELS = 30
POINT = 0.01


def describe_verdict(report: AnyReport) -> str:
    """Who leads, and who else may be first: by the ranges alone, so that the page tells one story."""
    ranges, measure = report.ranges, report.measure
    first, others = ranges[0], [one.system for one in ranges[1:] if one.could_be_first]
    score = f"{measure.name} {measure.format_score(measure.score(first.score))}"
    level = [one.system for one in ranges if one.rank == 1]
    if not others:
        return f"{_name(first.system)} is first with {score}, and no other system can be ({_share(report)} confidence)."
    lead = f"{_name(first.system)} leads with {score}" if len(level) == 1 else f"{list_names(level)} are level, {score}"
    return f"{lead}; {len(others) + 1} of {len(ranges)} systems may be first ({_share(report)} confidence)."


def list_sections(report: AnyReport, *, for_html: bool) -> list[PageSection]:
    """The sections in their order."""
    sections = [_ranks(report, for_html=for_html), _told_apart(report)]
    if isinstance(report, BattlesReport):
        sections.append(PageSection("Does one strength for each system fit?", [report.ranking.fit.sentence()]))
        sections += _controlled(report)
    else:
        sections += [_deciding(report), *_sources(report), _winner(report), *_tasks(report), *_records(report)]
    return [*sections, _read(report), _assumptions(report), _made(report, for_html=for_html)]


def _ranks(report: AnyReport, *, for_html: bool) -> PageSection:
    here, alone, same = (
        ("in these battles", "strength", "their errors go together")
        if isinstance(report, BattlesReport)
        else ("on these items", "score", "all systems have the same items")
    )
    words = [
        f"The range holds the ranks that a system may truly have: all ranges hold at once with {_share(report)} "
        f"confidence; the dot is the rank {here}. ± is each {alone}'s own interval alone: {alone}s whose intervals "
        f"overlap may still be told apart, since {same}.",
        _describe_counts(report),
    ]
    if for_html:
        return PageSection("Ranks", words, content=render_table(report.rows, report.measure))
    return PageSection("Ranks", words, table=list_cells(report.rows, report.measure))


def _describe_counts(report: AnyReport) -> str:
    """What is the same for all systems is no column."""
    if isinstance(report, BattlesReport):
        return f"{len(report.rows):,} systems, {len(report.battles):,} battles."
    results = report.results
    tasks = 1 if results.tasks is None else len(set(results.tasks))
    said = [f"{len(results.systems):,} systems", f"n = {len(results.items):,} items"]
    if tasks > 1:
        said.append(f"{tasks:,} tasks")
    if results.groups is not None:
        said.append(f"{len(set(results.groups)):,} groups of items")
    if results.repeats is not None and "runs" not in report.rows[0].more:
        low, high = int(results.repeats.counts.min()), int(results.repeats.counts.max())
        said.append(f"{low} runs of each item" if low == high else f"{low} to {high} runs of each item")
    direction = "lower" if report.measure.lower_is_better else "higher"
    return f"{', '.join(said)}; {direction} {report.measure.name} is better."


def _told_apart(report: AnyReport) -> PageSection:
    count = len(report.rows)
    pairs = count * (count - 1) // 2
    apart = pairs - sum(row.not_separable for row in report.rows) // 2
    words = [
        f"{apart:,} of the {pairs:,} pairs of systems are told apart, all at once with {_share(report)} confidence."
    ]
    if isinstance(report, ResultsReport):
        found = report.difficulty
        words.append(
            f"Of the {count - 1:,} systems that stand directly below another, {found.neighbours_apart:,} "
            f"{'is' if found.neighbours_apart == 1 else 'are'} certainly worse than it."
        )
    most = max(report.rows, key=lambda row: row.not_separable)
    if most.not_separable:
        words.append(
            f"A range of ranks 3–9 means: not told apart from 6 others. The widest is that of "
            f"{_name(most.range.system)}, not told apart from {most.not_separable:,}."
        )
    return PageSection("What can be told apart", words)


def _controlled(report: BattlesReport) -> list[PageSection]:
    """What else decides battles, where covariates were named."""
    effects = report.ranking.effects
    if not effects:
        return []
    words = (
        f"Strengths are those of answers with equal {' and '.join(one.name for one in effects)}. Effects on the "
        f"log-odds, with standard errors: {', '.join(one.describe() for one in effects)}."
    )
    return [PageSection("What else decides", [words])]


def _deciding(report: ResultsReport) -> PageSection:
    found, measure = report.difficulty, report.measure
    words = []
    if found.solved_by_all is not None and found.solved_by_none is not None:
        words.append(
            f"Every system solves {found.solved_by_all:,} of the {found.items:,} items, and none solves "
            f"{found.solved_by_none:,}: these {found.solved_by_all + found.solved_by_none:,} decide nothing."
        )
    else:
        words.append(f"On {found.level:,} of the {found.items:,} items all systems have the same score.")
    words.append(
        f"The best {found.top} differ on {found.deciding_top:,} items, {100 * found.deciding_top / found.items:.0f} %."
    )
    if found.gap is not None:
        point, needed = measure.format_amount(POINT), found.count_needed_items(POINT)
        words.append(
            f"A planned comparison of two of them usually proves a true difference of "
            f"{measure.format_amount(found.gap)} (80 % power, the typical pair). A difference of {point} would need "
            f"about {needed:,} items like these."
        )
    return PageSection("What decides", words)


def _sources(report: ResultsReport) -> list[PageSection]:
    """Where the variance of a score comes from, where seeds or prompts are named."""
    if report.results.conditions is None:
        return []
    systems = split_sources(report.results)
    typical, measure = find_typical(systems), report.measure
    rows = [
        ["source", "how many", "share of the variance", "standard error from it alone", "another one moves a score by"]
    ]
    for one in typical.sources:
        name = "single answers" if one.name == ANSWERS else one.name
        moves = "" if one.deviation is None else measure.format_amount(one.deviation)
        error = measure.format_amount(math.sqrt(one.variance))
        rows.append(
            [
                name,
                f"{one.count:,.3g}" if one.count < 100 else f"{one.count:,.0f}",
                f"{100 * typical.share(one):.0f} %",
                error,
                moves,
            ]
        )
    words = [
        describe_sources(systems, measure),
        "Ranges and intervals are for other items, seeds and prompts of the same kind. More of one source shrink its "
        "own part alone.",
    ]
    return [PageSection("Where the error comes from", words, table=rows)]


def _winner(report: ResultsReport) -> PageSection:
    winner, measure = report.winner, report.measure
    low, high = (measure.format_score(score) for score in sorted(measure.score(end) for end in winner.interval))
    observed, value = (measure.format_score(measure.score(loss)) for loss in (winner.naive, winner.value))
    words = [
        f"{_name(winner.system)} has the best {measure.name} of {len(report.rows):,}, "
        f"{observed}{winner.describe_level()}. Corrected for being the best, its true {measure.name} lies "
        f"between {low} and {high} ({_share(report)} "
        f"confidence); estimate {value}, luck {measure.format_amount(winner.luck)}."
    ]
    if winner.is_rough:
        words.append("Caution: a few large losses dominate, and the interval is too short.")
    return PageSection("The winner's luck", words)


def _tasks(report: ResultsReport) -> list[PageSection]:
    if not report.tasks:
        return []
    measure, systems = report.measure, [row.range.system for row in report.rows[:SHOWN_SYSTEMS]]
    words = ["The ranks above are over all items: a task with more items weighs more."]
    if len({one.winners for one in report.aggregates}) > 1:
        words.append(describe_aggregates(report.aggregates))
    elif report.aggregates:
        ways = ", ".join(MEANINGS[one.aggregate] for one in report.aggregates)
        words.append(f"However tasks are added up, {list_names(report.aggregates[0].winners)} is first ({ways}).")
    rows = [["task", "items", "best", measure.name, "may be first"]]
    for one in report.tasks:
        best = [other.system for other in one.ranges if other.rank == 1]
        score = measure.format_score(measure.score(one.ranges[0].score)) if best else "–"
        may = f"{sum(other.could_be_first for other in one.ranges):,}" if best else "–"
        rows.append([one.task, f"{one.items:,}", list_names(best) or "–", score, may])
    panels = join(
        Drawing(
            f"<figure><figcaption><bdi>{escape(_name(one.task))}</bdi> <small>{one.items:,} items</small></figcaption>"
            f"{draw_task(one, systems, measure)}</figure>\n"
        )
        for one in report.tasks[:PANELS]
        if one.ranges
    )
    legend = f"The first {len(systems)} systems on each task, each on an axis of its own; the intervals hold alone."
    if len(report.tasks) > PANELS:
        legend += f" The first {PANELS} of {len(report.tasks)} tasks are drawn."
    content = Drawing(f'<p>{escape(legend)}</p>\n<div class="multiples">{panels}</div>\n')
    return [PageSection("Tasks", words, table=rows, content=content)]


def _records(report: ResultsReport) -> list[PageSection]:
    audit, dates = report.records, report.results.dates
    if audit is None or dates is None:
        return []
    words = [audit.sentence(), "In the order of the runs' dates; runs of one day are one batch."]
    return [PageSection("Records over time", words, content=draw_records(audit, sorted(dates), report.measure))]


def _read(report: AnyReport) -> PageSection:
    if isinstance(report, BattlesReport):
        return PageSection("What was read", list(report.battles.notes))
    found = [f"Data check: {finding}" for finding in report.findings]
    return PageSection("What was read", [*report.results.notes, *(found or ["Data check: nothing odd was found."])])


def _assumptions(report: AnyReport) -> PageSection:
    if isinstance(report, BattlesReport):
        words = list_battle_assumptions(report)
    else:
        results = report.results
        groups = None if results.groups is None else len(set(results.groups))
        independent = "are independent of each other" if groups is None else f"come in {groups:,} independent groups"
        words = [f"The {len(results.items):,} items stand for the task, and {independent}."]
        if results.conditions is not None:
            words.append("Seeds and prompts are drawn at random, and move every system as strongly.")
        if results.repeats is not None:
            words.append("Runs are drawn anew for each item; a model trained again errs on all items together.")
    return PageSection(
        "What was assumed",
        [
            *words,
            "The systems were not chosen by looking at these items. Of several variants tried in secret, the best "
            "looks better than it is, and nothing here corrects for that.",
            "Ranges and intervals are for many items.",
        ],
    )


def _made(report: AnyReport, *, for_html: bool) -> PageSection:
    pairs = report.provenance.list_pairs()
    if not for_html:
        return PageSection("How it was made", table=[["what", "which"], *([name, value] for name, value in pairs)])
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return PageSection("How it was made", content=Drawing(f'<dl class="made">{listed}</dl>\n'))


def list_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(map(_name, names[:SHOWN_NAMES]))
    return shown if len(names) <= SHOWN_NAMES else f"{shown} and {len(names) - SHOWN_NAMES:,} more"


def _name(name: str) -> str:
    return shorten_names([name], NAME_LENGTH)[0]


def _share(report: AnyReport) -> str:
    return f"{100 * report.confidence:g} %"
