"""Pages that stand alone, in the look of the board: one HTML file, or Markdown with image files beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ladderboard.drawing.elements import Drawing, escape, join
from ladderboard.drawing.look import LOOK, PAGE_STYLE, SORTING
from ladderboard.drawing.markdown import escape_markdown, render_table

Cell = str | Drawing
NOTHING = Drawing("")
PLAIN = " !$'()*+,/:;=?@"
"""Signs of an address in an attribute that stand for themselves; a chart written with %20 is a third longer."""


@dataclass(frozen=True)
class PageSection:
    """A section: heading, sentences, and what follows them.

    ``chart``: a name and an SVG that stands for itself, shown as a picture. ``table``: the first row has the headings.
    ``content``: HTML made here, which Markdown leaves out. ``anchor``: its id, for links within the page.
    """

    heading: str
    sentences: Sequence[str] = ()
    chart: tuple[str, str] | None = None
    table: Sequence[Sequence[Cell]] = ()
    content: Drawing = NOTHING
    anchor: str | None = None


def write_page(path: Path, title: str, answer: str, sections: Sequence[PageSection]) -> None:
    """Write a page in the format given by the file's name: .md (charts as files beside it) or else HTML."""
    if path.suffix == ".md":
        path.write_text(render_markdown(title, answer, sections, name=path.stem), encoding="utf-8")
        for section in sections:
            if section.chart is not None:
                path.with_name(f"{path.stem}-{section.chart[0]}.svg").write_text(section.chart[1], encoding="utf-8")
    else:
        path.write_text(render_page(title, answer, sections), encoding="utf-8")


def render_markdown(title: str, answer: str, sections: Sequence[PageSection], *, name: str) -> str:
    """The page as Markdown; its pictures are called ``name-chart.svg``."""
    lines = [f"# {escape_markdown(title)}", "", f"**{escape_markdown(answer)}**"]
    for section in sections:
        lines += ["", f"## {escape_markdown(section.heading)}"]
        for sentence in section.sentences:
            lines += ["", escape_markdown(sentence)]
        if section.chart is not None:
            lines += ["", f"![{escape_markdown(section.heading)}]({name}-{section.chart[0]}.svg)"]
        if section.table:
            lines += ["", render_table(section.table)]
    return "\n".join(lines) + "\n"


def render_page(title: str, answer: str, sections: Sequence[PageSection]) -> str:
    """The page as HTML that loads nothing."""
    style = "\n".join(part.read_text(encoding="utf-8") for part in (LOOK, PAGE_STYLE))
    body = join(_render_section(section) for section in sections)
    script = f"<script>\n{SORTING.read_text(encoding='utf-8')}</script>\n" if 'class="ranks"' in body else ""
    return _PAGE.format(title=escape(title), style=style, answer=escape(answer), body=body, script=script)


def render_rows(rows: Sequence[Sequence[Cell]]) -> Drawing:
    """A table of these cells, which may be wider than the page; the first row has the headings."""
    head, *rest = rows
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rest)
    return Drawing(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(head[0])}"><table><thead><tr>{heads}</tr>'
        f"</thead><tbody>\n{lines}</tbody></table></div>\n"
    )


def _render_section(section: PageSection) -> Drawing:
    opening = "<section>" if section.anchor is None else f'<section id="{escape(section.anchor)}">'
    parts = [f"{opening}\n<h2>{escape(section.heading)}</h2>\n"]
    parts += [f"<p>{escape(sentence)}</p>\n" for sentence in section.sentences]
    if section.chart is not None:
        # As a picture: nothing in it can reach the page, and no name in it can meet one of the page's.
        source = f"data:image/svg+xml;charset=utf-8,{quote(section.chart[1], safe=PLAIN)}"
        parts.append(f'<figure><img src="{source}" alt="{escape(section.heading)}"></figure>\n')
    if section.table:
        parts.append(str(render_rows(section.table)))
    return Drawing("".join([*parts, str(section.content), "</section>\n"]))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="claim">{answer}</p>
{body}</main>
{script}</body>
</html>
"""
