"""The files of a report: a page, Markdown, JSON, a widget, a badge."""

from pathlib import Path

from ladderboard.analysis.report.charts import draw_badge
from ladderboard.analysis.report.embedding import render_widget, write_json
from ladderboard.analysis.report.sections import AnyReport, describe_verdict, list_sections
from ladderboard.core.errors import InputError
from ladderboard.drawing.page import write_page

FORMATS = (".html", ".md", ".json")


def write_report(report: AnyReport, path: Path, *, title: str) -> None:
    """Write the report as .html, which needs nothing else, as .md, or as .json (`report.schema.json`)."""
    if path.suffix not in FORMATS:
        raise InputError(f"{path.name}: the name of a report must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if path.suffix == ".json":
        write_json(report, path)
    else:
        write_page(path, title, describe_verdict(report), list_sections(report, for_html=path.suffix == ".html"))


def write_widget(report: AnyReport, path: Path) -> None:
    """Write the widget, a fragment of HTML to put into another page, as .html."""
    if path.suffix != ".html":
        raise InputError(f"{path.name}: the name of a widget must end in .html")
    path.write_text(render_widget(report), encoding="utf-8")


def write_badge(report: AnyReport, path: Path, *, system: str | None = None) -> None:
    """Write the badge of a system, by default of the first one, as .svg."""
    if path.suffix != ".svg":
        raise InputError(f"{path.name}: the name of a badge must end in .svg")
    one = report.ranges[0] if system is None else report.find_range(system)
    path.write_text(draw_badge(one, systems=len(report.ranges), items=report.units), encoding="utf-8")
