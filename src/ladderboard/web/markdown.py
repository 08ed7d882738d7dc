"""Organisers' Markdown rendered as safe HTML.

Raw HTML stays text. Links lead to http, https, mailto or this site; pictures come from this site only, which the
Content-Security-Policy would enforce anyway. Headings begin below those of the page.
"""

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ladderboard.web.text import _

LINK_SCHEMES = frozenset({"", "http", "https", "mailto"})
TOP_HEADING = 2
LAST_HEADING = 6
OPEN_SCROLL = Markup('<div class="scroll" tabindex="0" role="region" aria-label="{}">')
"""Around every table: on a phone a wide one scrolls by itself, with the keyboard too."""


def render_markdown(text: str, *, top_heading: int = TOP_HEADING) -> Markup:
    r"""The text as HTML; ``top_heading``: the level that ``#`` becomes; 1 lifts ``##`` to it.

    >>> render_markdown("# Hi <script>")
    Markup('<h2>Hi &lt;script&gt;</h2>\n')
    >>> render_markdown("[x](javascript:alert(1))")
    Markup('<p>[x](javascript:alert(1))</p>\n')
    """
    tokens = _parser().parse(text)
    return Markup(_parser().renderer.render(_rewritten(tokens, top_heading), _parser().options, {}))  # noqa: S704


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = _is_safe_link  # type: ignore[method-assign]  # the documented way to narrow it
    return parser


def _is_safe_link(url: str) -> bool:
    """Whether a link may stand. Control characters and backslashes are read differently by browsers and by us."""
    if any(ord(character) <= 32 or character == "\\" for character in url):
        return False
    try:
        return urlsplit(url).scheme.lower() in LINK_SCHEMES
    except ValueError:
        return False


def _is_own(url: str) -> bool:
    """An address on this site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc


def _rewritten(tokens: Sequence[Token], top_heading: int) -> list[Token]:
    """Headings shifted, tables wrapped, foreign links marked, foreign pictures turned into their alternative text."""
    kept = []
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(TOP_HEADING, min(LAST_HEADING, int(token.tag[1]) + top_heading - 1))}"
        if token.type == "th_open":
            token.attrSet("scope", "col")
        if token.type in ("th_open", "td_open"):
            token.attrs = {
                name: _choose_class(value) if name == "style" else value for name, value in token.attrs.items()
            }
            if "style" in token.attrs:  # inline styles are refused by the policy; a class says the same
                token.attrs["class"] = token.attrs.pop("style")
        if token.children:
            token.children = _rewritten_inline(token.children)
        if token.type == "table_open":
            kept.append(Token("html_block", "", 0, content=OPEN_SCROLL.format(_("table"))))
        kept.append(token)
        if token.type == "table_close":
            kept.append(Token("html_block", "", 0, content="</div>\n"))
    return kept


def _rewritten_inline(tokens: Sequence[Token]) -> list[Token]:
    kept = []
    for token in tokens:
        if token.type == "link_open" and not _is_own(str(token.attrGet("href") or "")):
            token.attrSet("rel", "noopener noreferrer nofollow ugc")
        if token.type == "image" and not _is_own(str(token.attrGet("src") or "")):
            kept.append(Token("text", "", 0, content=f"[{token.content}]"))
            continue
        kept.append(token)
    return kept


def _choose_class(style: str | int | float) -> str:
    return "num" if "right" in str(style) else ""
