"""The HTML report of experiments: one self-contained page with every claim, figure, table and verdict."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ladderboard_lab.experiments.base import ResultTable
from ladderboard_lab.experiments.writing import INK, PAPER, Written, format_cell

PAPERS = {
    "Ladder": "Blum & Hardt 2015, The Ladder (arXiv 1502.04585)",
    "Slides": "He 2017, slides on the Ladder (Columbia, COMS 6998-4)",
    "Neto": "Chaibub Neto et al. 2016, Reducing overfitting in challenge-based competitions (arXiv 1607.00091)",
    "Multiplicity": "Møllersen & Holsbø 2023, What is the state of the art? (arXiv 2303.07272)",
    "Thresholdout": "Dwork et al. 2015, The reusable holdout",
}
"""Short names of the sources, and what a reader finds them by."""
OWN = "Questions of our own"

SHOWN_ROWS = 60
"""Rows of a table on the page; the CSV file beside it has them all."""


def write_report(written: Sequence[Written], path: Path) -> None:
    """Write the report of these experiments."""
    path.write_text(report_html(written), encoding="utf-8")


def report_html(written: Sequence[Written]) -> str:
    """Make the page: a summary of the verdicts, then one section per experiment, grouped by source."""
    held = sum(one.record["holds"] for one in written)
    papers = list(dict.fromkeys(one.record["paper"] for one in written))
    sections = [_paper_section(paper, [one for one in written if one.record["paper"] == paper]) for paper in papers]
    return _PAGE.format(
        style=_STYLE,
        held=held,
        total=len(written),
        kinds=_count_kinds(written),
        summary="\n".join(_summary_row(one) for one in written),
        sections="\n".join(sections),
    )


def _count_kinds(written: Sequence[Written]) -> str:
    """How many checks of each kind hold."""
    checks = [check for one in written for check in one.record["checks"]]
    kinds = list(dict.fromkeys(check["kind"] for check in checks))
    counts = [(kind, [check["decision"] == "holds" for check in checks if check["kind"] == kind]) for kind in kinds]
    return ", ".join(f"{kind} {sum(held)} of {len(held)}" for kind, held in counts)


def _paper_section(paper: str | None, written: Sequence[Written]) -> str:
    title = OWN if paper is None else PAPERS.get(paper, paper)
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(_section(one) for one in written)


def _section(one: Written) -> str:
    record = one.record
    name, title = record["id"], record["title"]
    numbers = "".join(
        f"<div><dt>{escape(key)}</dt><dd>{number:.4g}</dd></div>" for key, number in record["numbers"].items()
    )
    asked = "The paper" if record["paper"] is not None else "The question"
    stand_in = f'<p class="claim"><b>Data:</b> {_prose(record["stand_in"])}</p>\n' if record["stand_in"] else ""
    files = ", ".join(f'<a href="{name}.{suffix}">{suffix.upper()}</a>' for suffix in ("svg", "png", "pdf", "json"))
    repetitions = f', <a href="{name}.raw.csv">every repetition</a>' if record.get("lists_repetitions") else ""
    return (
        f'<section id="{name}">\n<h3>{escape(name)}: {escape(title)} {_badge(record["decision"])}</h3>\n'
        f'<div class="sides"><div>\n<p class="claim"><b>{asked}:</b> {escape(record["claim"])}</p>\n{stand_in}'
        f'<p class="verdict"><b>Found:</b> {escape(record["sentence"])}</p>\n<ul>{_checks(record["checks"])}</ul>\n'
        f"</div><figure>{inline_svg(one.svg, name, title)}</figure></div>\n<dl>{numbers}</dl>\n"
        f"<details><summary>Table ({len(one.table.rows)} rows, "
        f'<a href="{name}.csv">CSV</a>{repetitions})</summary>{_table(one.table)}</details>\n'
        f'<p class="command"><code>{escape(record["command"])}</code> <span>{files}</span></p>\n'
        "</section>"
    )


def _prose(text: str) -> str:
    """Text as HTML, with `code` set as such."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _checks(checks: Sequence[dict[str, Any]]) -> str:
    return "".join(
        f"<li>{_badge(check['decision'])} <i>{escape(check['kind'])}</i>: {escape(check['statement'])}"
        f"{_evidence(check)}</li>"
        for check in checks
    )


def _evidence(check: dict[str, Any]) -> str:
    """In how many repetitions each part is so, and why a check does not count."""
    words = [f"in {one}" for one in check["evidence"]] + ([check["caveat"]] if check["caveat"] else [])
    return f' <span class="soft">({escape("; ".join(words))})</span>' if words else ""


def _badge(decision: str) -> str:
    return f'<span class="{decision.rsplit(maxsplit=1)[-1]}">{decision}</span>'


def _summary_row(one: Written) -> str:
    record = one.record
    return (
        f'<tr><td><a href="#{record["id"]}">{escape(record["id"])}</a></td><td>{escape(record["title"])}</td>'
        f"<td>{_badge(record['decision'])}</td></tr>"
    )


def _table(table: ResultTable) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = [
        "<tr>" + "".join(f"<td>{escape(format_cell(cell))}</td>" for cell in row) + "</tr>"
        for row in table.rows[:SHOWN_ROWS]
    ]
    rest = len(table.rows) - SHOWN_ROWS
    more = f"<p>… and {rest} more rows in the CSV file.</p>" if rest > 0 else ""
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>{more}'


def inline_svg(svg: str, prefix: str, title: str) -> str:
    """Adapt an SVG to a page: no prolog, no background, text in the page's colour, unique ids."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)  # it would style the whole page; see _STYLE
    body = re.sub(r'\bid="(?=[A-Za-z0-9.]+_\d)', f'id="{prefix}-', body)
    body = body.replace(PAPER, "none").replace(INK, "currentColor")
    # The view box keeps the proportions; the page decides on the size.
    body = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", body, count=1)
    body = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", body, count=1)
    return body.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1).strip()


_STYLE = """
:root { color-scheme: light dark; --ink: #20252b; --soft: #5b6570; --paper: #ffffff; --card: #f5f6f8; --line: #d9dde2;
  --good: #1d7a46; --bad: #b3261e; --link: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a0a9b4; --paper: #14171b; --card: #1d2127;
  --line: #343b44; --good: #62c58d; --bad: #f08a80; --link: #7fb2ef; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0 0 .6rem; font-size: 1.1rem; }
a { color: var(--link); }
section { margin: 1.5rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
.sides { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 1rem; }
.sides ul { margin: .4rem 0; padding: 0; list-style: none; font-size: .9rem; } .sides li { margin: .3rem 0; }
figure { margin: 0; } figure svg { display: block; width: 100%; height: auto; max-height: 85vh; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
.holds, .hold, .decided { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border: 1px solid;
  border-radius: 1rem; white-space: nowrap; }
.holds { color: var(--good); } .hold { color: var(--bad); } .decided, .soft { color: var(--soft); }
.claim { color: var(--soft); } .claim, .verdict { margin: .4rem 0; }
dl { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: .5rem 0; font-size: .85rem; }
dl div { display: flex; gap: .4rem; } dt { color: var(--soft); } dd { margin: 0; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; }
.command { display: flex; justify-content: space-between; gap: 1rem; flex-wrap: wrap; color: var(--soft);
  font-size: .85rem; margin-bottom: 0; }
code { overflow-wrap: anywhere; } summary { cursor: pointer; }
@media (max-width: 60rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 40rem) { figure { overflow-x: auto; } figure svg { min-width: 36rem; max-height: none; } }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers, reproduced</title>
<style>{style}</style>
</head>
<body>
<h1>The papers, reproduced</h1>
<p>{held} of {total} verdicts hold. Checks that hold: {kinds}.</p>
<div class="wide"><table><tr><th>experiment</th><th>content</th><th>verdict</th></tr>
{summary}
</table></div>
{sections}
</body>
</html>
"""
