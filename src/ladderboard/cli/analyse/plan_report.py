"""The report of a plan with charts: a self-contained HTML page, or Markdown with image files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.cli.analyse.plan_words import describe_detectable_gains, describe_parameters, list_rules
from ladderboard.planning.public_split import RULE

if TYPE_CHECKING:
    from ladderboard.planning.plan import SubmissionPlan

TITLE = "How many submissions can you allow?"


@dataclass(frozen=True)
class PlanSection:
    """A section of the report: heading, sentences, an optional chart (name, SVG) and table (first row: headings)."""

    heading: str
    sentences: Sequence[str]
    chart: tuple[str, str] | None = None
    table: Sequence[Sequence[str]] = ()


def write_report(plan: "SubmissionPlan", path: Path) -> None:
    """Write the report in the format given by the file's name."""
    sections = _sections(plan)
    if path.suffix == ".md":
        _write_markdown(plan, sections, path)
    else:
        path.write_text(_page(plan, sections), encoding="utf-8")


def _sections(plan: "SubmissionPlan") -> list[PlanSection]:
    return [_submissions(plan), *([_attacks(plan)] if plan.curves else []), _sight(plan), _public_part(plan)]


def _submissions(plan: "SubmissionPlan") -> PlanSection:
    head = ["rule", "per team", "in total", "because"] if plan.teams > 1 else ["rule", "per team", "because"]
    rows = [
        [row.rule, row.per_team, row.in_total, row.because] if plan.teams > 1 else [row.rule, row.per_team, row.because]
        for row in list_rules(plan)
    ]
    facts = (
        f"{plan.items:,} items, metric {plan.metric}, baseline {plan.baseline_score:.4f}, standard error "
        f"{plan.standard_error:.4f}, tolerance {plan.tolerance:g}, {plan.teams} team{'s' if plan.teams > 1 else ''}."
    )
    mechanism = f"Mechanism: {plan.mechanism.name} with {describe_parameters(plan)} ({plan.reason})."
    return PlanSection("Submissions", [facts, mechanism], table=[head, *rows])


def _attacks(plan: "SubmissionPlan") -> PlanSection:
    from ladderboard.figures.canvas import render_svg
    from ladderboard.figures.plan import draw_overfit

    title = "How overfit grows with one team's submissions"
    words = [
        "These attacks ran on shuffled labels, where there is nothing to learn: whatever the board shows beyond chance "
        "is luck or leakage. Lines are smoothed so that they never fall; dots are means (medians for step-forward "
        "regressions), bars two standard errors.",
        "An attacker who holds half of the labels is shown but does not count in the recommendation: leaked labels "
        "call for new items, not for fewer submissions.",
    ]
    return PlanSection(title, words, chart=("overfit", render_svg(draw_overfit(plan), title=title)))


def _sight(plan: "SubmissionPlan") -> PlanSection:
    from ladderboard.figures.canvas import render_svg
    from ladderboard.figures.plan import draw_detectable_gains

    title = "What the board can detect"
    drawn = any(sight.curve for sight in plan.sights)
    chart = ("sight", render_svg(draw_detectable_gains(plan), title=title)) if drawn else None
    return PlanSection(title, list(describe_detectable_gains(plan)), chart=chart)


def _public_part(plan: "SubmissionPlan") -> PlanSection:
    from ladderboard.figures.canvas import render_svg
    from ladderboard.figures.plan import draw_public_part

    part, title = plan.public_part, "How large to make the public part"
    one = part.recommended
    words = [
        part.sentence(),
        *([] if part.is_enough else [f"Rule: {RULE}."]),
        f"With {one.share:.0%} of the items public, the standard error is {one.public_standard_error:.4f} on "
        f"the public board and {one.private_standard_error:.4f} on the private board.",
    ]
    return PlanSection(title, words, chart=("public-part", render_svg(draw_public_part(plan), title=title)))


def _write_markdown(plan: "SubmissionPlan", sections: Sequence[PlanSection], path: Path) -> None:
    lines = [f"# {TITLE}", "", f"**{plan.sentence()}**"]
    for section in sections:
        lines += ["", f"## {section.heading}"]
        for sentence in section.sentences:
            lines += ["", sentence]
        if section.chart is not None:
            name = f"{path.stem}-{section.chart[0]}.svg"
            (path.parent / name).write_text(section.chart[1], encoding="utf-8")
            lines += ["", f"![{section.heading}]({name})"]
        if section.table:
            head, *rows = section.table
            lines += ["", _row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _page(plan: "SubmissionPlan", sections: Sequence[PlanSection]) -> str:
    body = "\n".join(_html(section) for section in sections)
    return _PAGE.format(title=escape(TITLE), style=_STYLE, sentence=escape(plan.sentence()), body=body)


def _html(section: PlanSection) -> str:
    parts = [f"<section>\n<h2>{escape(section.heading)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    if section.chart is not None:
        parts.append(f"<figure>{_inline(section.chart[1], *section.chart[:1], section.heading)}</figure>")
    if section.table:
        head, *rows = section.table
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
        parts.append(f'<div class="wide"><table><tr>{cells}</tr>{"".join(lines)}</table></div>')
    return "\n".join([*parts, "</section>"])


def _inline(svg: str, prefix: str, title: str) -> str:
    """Adapt an SVG to a page: unique ids, no background, ink in the page's colour, full width."""
    body = svg[svg.index("<svg") :]
    for pattern in (r"<metadata>.*?</metadata>", r"<style.*?</style>"):
        body = re.sub(pattern, "", body, flags=re.DOTALL)
    body = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{prefix}-", body)
    body = re.sub(r'(<g id="[^"]*patch_1">\s*<path [^>]*?style="fill: )#ffffff', r"\1none", body, count=1)
    body = re.sub(r'(<g id="[^"]*patch_2">\s*<path [^>]*?style="fill: )#ffffff', r"\1none", body, count=1)
    body = body.replace("#000000", "currentColor")
    body = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", body, count=1)
    body = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", body, count=1)
    return body.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1).strip()


_STYLE = """
:root { color-scheme: light dark; --ink: #20252b; --soft: #5b6570; --paper: #ffffff; --card: #f5f6f8; --line: #d9dde2;
  --accent: #0b6e99; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a0a9b4; --paper: #14171b; --card: #1d2127;
  --line: #343b44; --accent: #6cc3e8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .6rem; } h2 { font-size: 1.1rem; margin: 0 0 .4rem; }
.answer { font-size: 1.15rem; border-left: .3rem solid var(--accent); padding-left: .8rem; }
section { margin: 1.2rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
p { margin: .4rem 0; }
figure { margin: .8rem 0 0; } figure svg { display: block; width: 100%; height: auto; max-height: 60vh;
  color: var(--ink); }
figure svg text { fill: currentColor; } figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; margin-top: .6rem; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:not(:first-child):not(:last-child), th { white-space: nowrap; font-variant-numeric: tabular-nums; }
@media print { section { break-inside: avoid; } }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<p class="answer">{sentence}</p>
{body}
</body>
</html>
"""
