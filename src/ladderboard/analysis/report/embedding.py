"""A report for machines and for other people's pages: JSON with a schema, and a widget without script."""

import json
from pathlib import Path
from typing import Any

from ladderboard.analysis.report.contents import ResultsReport
from ladderboard.analysis.report.rows import Row, format_error
from ladderboard.analysis.report.sections import AnyReport, describe_verdict
from ladderboard.drawing.elements import Drawing, escape, join
from ladderboard.drawing.look import read_tokens
from ladderboard.drawing.names import shorten_names
from ladderboard.drawing.whiskers import RankAxis, rank_whisker
from ladderboard.inference.measure import Measure

SCHEMA = Path(__file__).with_name("report.schema.json")
VERSION = 1
NAME_LENGTH = 40


def to_json(report: AnyReport) -> dict[str, Any]:
    """The report as numbers, in the form of `report.schema.json`."""
    found: dict[str, Any] = {
        "schema_version": VERSION,
        "verdict": describe_verdict(report),
        "kind": "scores" if isinstance(report, ResultsReport) else "battles",
        "measure": report.measure.name,
        "lower_is_better": report.measure.lower_is_better,
        "confidence": report.confidence,
        "units": report.units,
        "systems": [_row_to_json(row) for row in report.rows],
        "notes": list(report.results.notes if isinstance(report, ResultsReport) else report.battles.notes),
        "provenance": {name.replace(" ", "_"): value for name, value in report.provenance.list_pairs()},
    }
    if isinstance(report, ResultsReport):
        winner, score = report.winner, report.measure.score
        found["winner"] = {
            "system": winner.system,
            "observed": score(winner.naive),
            "corrected": score(winner.value),
            "interval": sorted(score(end) for end in winner.interval),
        }
        items = report.difficulty
        found["items"] = {
            "count": items.items,
            "level": items.level,
            "solved_by_all": items.solved_by_all,
            "solved_by_none": items.solved_by_none,
            "deciding_among_the_best": items.deciding_top,
            "resolved_gap": items.gap,
        }
        found["tasks"] = [
            {"task": one.task, "items": one.items, "systems": [_range_to_json(other) for other in one.ranges]}
            for one in report.tasks
        ]
    return found


def _row_to_json(row: Row) -> dict[str, Any]:
    more = {name.split(",")[0]: value for name, value in row.more.items()}
    return {**_range_to_json(row.range), "score": row.score, "interval": list(row.interval), **more}


def _range_to_json(one: Any) -> dict[str, Any]:
    return {"system": one.system, "rank": one.rank, "best_rank": one.best, "worst_rank": one.worst}


def write_json(report: AnyReport, path: Path) -> None:
    """Write the report as JSON. No sign of HTML is in it, so that it may stand in a script of a page."""
    text = json.dumps(to_json(report), indent=1, ensure_ascii=True, allow_nan=False)
    path.write_text(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n")


def render_widget(report: AnyReport, *, most: int = 10) -> Drawing:
    """An HTML fragment that brings its own look, loads nothing and runs nothing: the verdict and the first systems."""
    rows, measure = report.rows[:most], report.measure
    axis = RankAxis.over([(row.range.best, row.range.worst) for row in rows])
    names = shorten_names([row.range.system for row in rows], NAME_LENGTH)
    lines = join(_render_line(row, name, measure, axis) for row, name in zip(rows, names, strict=True))
    more = "" if len(report.rows) <= most else f" The first {most} of {len(report.rows):,}."
    made = f"Ranks hold at once with {100 * report.confidence:g} % confidence.{more}"
    made += " Ladderboard " + ", ".join(filter(None, (report.provenance.version, report.provenance.date[:10])))
    # Light or dark as the page around it is, not as the reader's system.
    tokens = read_tokens().replace("color-scheme: light dark;", "")
    return Drawing(
        f'<div class="ladderboard-widget" lang="en">\n'
        f"<style>\n.ladderboard-widget {{ {tokens} }}\n{_STYLE}</style>\n"
        f"<p>{escape(describe_verdict(report))}</p>\n<table><thead><tr><th>ranks</th><th></th><th>system</th>"
        f"<th>{escape(measure.name)}</th></tr></thead><tbody>\n{lines}</tbody></table>\n"
        f"<small>{escape(made)}</small>\n</div>\n"
    )


def _render_line(row: Row, name: str, measure: Measure, axis: RankAxis) -> Drawing:
    one = row.range
    score = f"{measure.format_score(row.score)} ± {format_error(measure, row.error())}"
    return Drawing(
        f"<tr><td>{row.span}</td><td>{rank_whisker(one.best, one.worst, rank=one.rank, axis=axis)}</td>"
        f"<td><bdi>{escape(name)}</bdi></td><td>{escape(score)}</td></tr>\n"
    )


_STYLE = """
.ladderboard-widget { font: .95rem/1.5 var(--sans); color: var(--ink); background: var(--paper); padding: 1rem; }
.ladderboard-widget p { font: 1.1rem/1.4 var(--serif); margin: 0 0 .6rem; }
.ladderboard-widget table { border-collapse: collapse; display: block; overflow-x: auto; }
.ladderboard-widget th { font-size: .8rem; color: var(--faint); text-align: left; }
.ladderboard-widget td, .ladderboard-widget th { padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); }
.ladderboard-widget td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.ladderboard-widget bdi { white-space: normal; overflow-wrap: anywhere; }
.ladderboard-widget svg { vertical-align: middle; }
.ladderboard-widget path { fill: none; stroke: var(--line); }
.ladderboard-widget .ch-whisker { stroke: var(--accent); stroke-width: 1.6; }
.ladderboard-widget .ch-dot { fill: var(--accent); }
@media (max-width: 36rem) { .ladderboard-widget :is(th, td):nth-child(2) { display: none; } }
.ladderboard-widget small { display: block; margin-top: .5rem; color: var(--soft); }
"""
