"""Markdown in which names from files are text, never markup."""

import re
from collections.abc import Sequence
from html import escape, unescape

from ladderboard.drawing.elements import Drawing

APART = "<!-- -->"
"""Shows nothing, and keeps what stands before it from becoming a mention or a link with what follows."""


def escape_markdown(text: str) -> str:
    r"""The text on one line, with every sign escaped that Markdown, HTML or a forge would read.

    >>> escape_markdown("<b> *x* | @all")
    '&lt;b&gt; \\*x\\* \\| @<!-- -->all'
    """
    signs = re.sub(r"([\\`*_~\[\]|!$])", r"\\\1", escape(" ".join(text.split()), quote=False))
    return re.sub(r"@|#|:(?=//)|www(?=\.)", rf"\g<0>{APART}", signs)


def render_table(rows: Sequence[Sequence[str]]) -> str:
    r"""A table of these cells; the first row is its head.

    >>> print(render_table([["system"], ["a|b"]]))
    | system |
    | --- |
    | a\|b |
    """
    head, *rest = ([escape_markdown(_words(cell)) for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rest))


def _words(cell: str) -> str:
    return unescape(re.sub("<[^>]*>", "", cell)) if isinstance(cell, Drawing) else cell
