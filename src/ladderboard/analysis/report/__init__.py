"""The report of results: a page, Markdown or JSON with ranks, what is told apart, what decides; a widget, a badge."""

from ladderboard.analysis.report.contents import ResultsReport, make_report
from ladderboard.analysis.report.provenance import Provenance, hash_input
from ladderboard.analysis.report.writing import write_badge, write_report, write_widget

__all__ = ["Provenance", "ResultsReport", "hash_input", "make_report", "write_badge", "write_report", "write_widget"]
