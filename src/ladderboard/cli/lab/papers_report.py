"""The report of experiments, read like a preprint: claim, place in the source, figure, numbers with errors, verdict."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from ladderboard.drawing.elements import Drawing, join, tag
from ladderboard.drawing.page import Cell, PageSection, render_rows, write_page
from ladderboard_lab.experiments.base import ResultTable
from ladderboard_lab.experiments.sources import SOURCES
from ladderboard_lab.experiments.writing import Written, format_cell

OWN = "Questions of our own"
THRESHOLDOUT = "Dwork et al. 2015, The reusable holdout"
SHOWN_ROWS = 60
"""Rows of a table on the page; the CSV file beside it has them all."""
TONES = {"holds": "good", "does not hold": "bad", "not decided": "soft"}


def write_report(written: Sequence[Written], path: Path, *, folder: Path) -> None:
    """Write the report of these experiments, whose files are in ``folder``; as .md with its figures beside it."""
    link = Path(os.path.relpath(folder, path.parent))
    answer = f"{sum(one.record['holds'] for one in written)} of {len(written)} verdicts hold."
    sections = [PageSection("What was found", _abstract(written), table=_summary(written))]
    for paper in dict.fromkeys(one.record["paper"] for one in written):
        for one in written:
            if one.record["paper"] == paper:
                sections += _describe(one, link)
    write_page(path, "The papers, reproduced", answer, sections)


def _abstract(written: Sequence[Written]) -> list[str]:
    """How the verdicts were made, and how many checks of each kind hold."""
    checks = [check for one in written for check in one.record["checks"]]
    kinds = {kind: [check for check in checks if check["kind"] == kind] for kind in _in_order(checks, "kind")}
    counts = (f"{kind} {sum(one['decision'] == 'holds' for one in own)} of {len(own)}" for kind, own in kinds.items())
    runs = _in_order([{"run": f"{one.record['size']} size, seed {one.record['seed']}"} for one in written], "run")
    level = max(one.record["level"] for one in written)
    return [
        f"Where chance has a part, exact tests over repetitions decide, and a verdict is wrong with a probability of "
        f"{level:g} at most. Checks with a reason beside them are told and do not count. Errors are standard errors.",
        f"Checks that hold: {', '.join(counts)}. Runs: {'; '.join(runs)}.",
    ]


def _in_order(records: Sequence[dict[str, str]], name: str) -> list[str]:
    return list(dict.fromkeys(record[name] for record in records))


def _summary(written: Sequence[Written]) -> list[list[Cell]]:
    rows: list[list[Cell]] = [["experiment", "place", "content", "verdict"]]
    for one in written:
        name = one.record["id"]
        rows.append([tag("a", name, href=f"#{name}"), _place(one), one.record["title"], _mark(one.record["decision"])])
    return rows


def _describe(one: Written, link: Path) -> list[PageSection]:
    """Claim, figure and checks; then the numbers, the table and the files."""
    record = one.record
    asked = "Claim" if record["paper"] is not None else "Question"
    words = [f"{_citation(record['paper'])}. {_place(one)}.", f"{asked}: {record['claim']}"]
    words += [f"Data: {record['stand_in'].replace('`', '')}."] if record["stand_in"] else []
    words += [f"Found: {record['sentence']}"]
    checks: list[list[Cell]] = [["check", "kind", "repetitions", "verdict"]]
    for check in record["checks"]:
        repetitions = "; ".join([*check["evidence"], *([check["caveat"]] if check["caveat"] else [])])
        checks.append([check["statement"], check["kind"], repetitions, _mark(check["decision"])])
    numbers: list[list[Cell]] = [["number", "value", "standard error"]]
    for name, value in record["numbers"].items():
        error = record["errors"].get(name)
        numbers.append([name, f"{value:.4g}", "" if error is None else f"{error:.2g}"])
    return [
        PageSection(f"{record['id']}: {record['title']}", words, (record["id"], one.svg), checks, anchor=record["id"]),
        PageSection(f"Numbers of {record['id']}", [record["command"]], table=numbers, content=_files(one, link)),
    ]


def _citation(paper: str | None) -> str:
    """The source, by what a reader finds it by."""
    known = {None: OWN, "Thresholdout": THRESHOLDOUT} | {name: words for name, (words, _, _) in SOURCES.items()}
    return known.get(paper, str(paper)).replace("*", "")


def _place(one: Written) -> str:
    """Where in the sources the experiment belongs: every item that it redoes."""
    listed = {
        source: [item.number for item in items if one.record["id"] in item.by]
        for source, (_, _, items) in SOURCES.items()
    }
    found = [f"{source}: {', '.join(dict.fromkeys(numbers))}" for source, numbers in listed.items() if numbers]
    return "; ".join(found) or "none of the five sources"


def _mark(decision: str) -> Cell:
    return tag("b", decision, class_=TONES[decision])


def _files(one: Written, link: Path) -> Drawing:
    """The table, and links to the files."""
    name, shown = one.record["id"], one.table.rows[:SHOWN_ROWS]
    rest = len(one.table.rows) - len(shown)
    more = tag("p", f"… and {rest} more rows in the CSV file.") if rest else Drawing("")
    table = tag("details", join([tag("summary", f"Table ({len(one.table.rows)} rows)"), _render(one.table), more]))
    raw = {"every repetition": "raw.csv"} if one.record.get("lists_repetitions") else {}
    endings = {"CSV": "csv", **raw, "SVG": "svg", "PNG": "png", "PDF": "pdf", "JSON": "json"}
    links = (tag("a", words, href=quote(f"{link / name}.{end}")) + " " for words, end in endings.items())
    return table + tag("p", join(links))


def _render(table: ResultTable) -> Drawing:
    return render_rows([table.columns, *([format_cell(cell) for cell in row] for row in table.rows[:SHOWN_ROWS])])
