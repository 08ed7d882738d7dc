"""Pages that stand alone: sentences, charts and tables as one HTML file, or as Markdown with image files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path


@dataclass(frozen=True)
class PageSection:
    """A section: heading, sentences, an optional chart (name, SVG) and table (first row: headings)."""

    heading: str
    sentences: Sequence[str]
    chart: tuple[str, str] | None = None
    table: Sequence[Sequence[str]] = ()


def write_page(path: Path, title: str, answer: str, sections: Sequence[PageSection]) -> None:
    """Write a page in the format given by the file's name: .md (charts as files beside it) or else HTML."""
    if path.suffix == ".md":
        _write_markdown(path, title, answer, sections)
    else:
        path.write_text(_render_page(title, answer, sections), encoding="utf-8")


def _write_markdown(path: Path, title: str, answer: str, sections: Sequence[PageSection]) -> None:
    lines = [f"# {_escape_markdown(title)}", "", f"**{_escape_markdown(answer)}**"]
    for section in sections:
        lines += ["", f"## {section.heading}"]
        for sentence in section.sentences:
            lines += ["", _escape_markdown(sentence)]
        if section.chart is not None:
            name = f"{path.stem}-{section.chart[0]}.svg"
            (path.parent / name).write_text(section.chart[1], encoding="utf-8")
            lines += ["", f"![{section.heading}]({name})"]
        if section.table:
            head, *rows = section.table
            lines += ["", _render_row(head), _render_row(["---"] * len(head)), *(_render_row(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _escape_markdown(text: str) -> str:
    """Names from a file are text, never markup."""
    return re.sub(r"([\\`*\[\]<])", r"\\\1", text)


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escape_markdown(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _render_page(title: str, answer: str, sections: Sequence[PageSection]) -> str:
    body = "\n".join(_render_section(section) for section in sections)
    return _PAGE.format(title=escape(title), style=_STYLE, sentence=escape(answer), body=body)


def _render_section(section: PageSection) -> str:
    parts = [f"<section>\n<h2>{escape(section.heading)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    if section.chart is not None:
        parts.append(f"<figure>{_adapt_svg(section.chart[1], section.chart[0], section.heading)}</figure>")
    if section.table:
        head, *rows = section.table
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
        parts.append(f'<div class="wide"><table><tr>{cells}</tr>{"".join(lines)}</table></div>')
    return "\n".join([*parts, "</section>"])


def _adapt_svg(svg: str, prefix: str, title: str) -> str:
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
figure { margin: .8rem 0 0; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 26rem; height: auto; color: var(--ink); }
figure svg.narrow { min-width: 0; max-width: 28rem; }
figure svg text { fill: currentColor; } figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; margin-top: .6rem; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:last-child { min-width: 6rem; }
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
