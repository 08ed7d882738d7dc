"""The report of results: a page with the data check, rank ranges, ties, the winner, records and tasks; a badge."""

from ladderboard.analysis.report.contents import ResultsReport, make_report
from ladderboard.analysis.report.writing import write_badge, write_report

__all__ = ["ResultsReport", "make_report", "write_badge", "write_report"]
