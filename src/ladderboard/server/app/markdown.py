"""Organisers' Markdown rendered as safe HTML.

Raw HTML stays text, but for <details>. Links lead to http, https, mailto or this site; pictures come from this site
only, which the Content-Security-Policy would enforce anyway. Formulas become MathML. Headings begin below those of the
page.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from markdown_it.token import Token
from markupsafe import Markup, escape

from ladderboard.competition.description.formulas import FormulaError, convert_formula
from ladderboard.competition.description.markdown import FORMULAS, make_parser
from ladderboard.competition.description.pictures import IMAGES, is_local

TOP_HEADING = 2
LAST_HEADING = 6
OPEN_SCROLL = Markup('<div class="scroll" tabindex="0" role="region" aria-label="{}">')
"""Around every table: on a phone a wide one scrolls by itself, with the keyboard too."""


def render_markdown(text: str, *, top_heading: int = TOP_HEADING, images: str = "") -> Markup:
    r"""The text as HTML; ``top_heading``: the level that ``#`` becomes; 1 lifts ``##`` to it.

    ``images``: where the pictures of the folder are served.

    >>> render_markdown("# Hi <script>")
    Markup('<h2>Hi &lt;script&gt;</h2>\n')
    >>> render_markdown("[x](javascript:alert(1))")
    Markup('<p>[x](javascript:alert(1))</p>\n')
    >>> render_markdown("![a map](images/map.png)", images="/competitions/pets/images")
    Markup('<p><img src="/competitions/pets/images/map.png" alt="a map" loading="lazy" /></p>\n')
    """
    return _render(text, top_heading, images, "table")


@lru_cache(maxsize=64)
def _render(text: str, top_heading: int, images: str, table: str) -> Markup:
    """Keep what was rendered: a page with many formulas takes a while, and everybody opens the same one."""
    parser = make_parser()
    tokens = list(_rewritten(parser.parse(text), top_heading, images, table))
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704


def _rewritten(tokens: Sequence[Token], top_heading: int, images: str, table: str) -> Iterator[Token]:
    """Headings shifted, tables wrapped, formulas drawn, links marked, pictures of other sites turned into words."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(TOP_HEADING, min(LAST_HEADING, int(token.tag[1]) + top_heading - 1))}"
        if token.type in ("th_open", "td_open"):
            _rewrite_cell(token)
        if token.children:
            token.children = list(_rewritten_inline(token.children, images))
        if token.type == "table_open":
            yield _html(OPEN_SCROLL.format(table))
        yield _draw(token) if token.type in FORMULAS else token
        if token.type == "table_close":
            yield _html("</div>\n")


def _rewrite_cell(token: Token) -> None:
    if token.type == "th_open":
        token.attrSet("scope", "col")
    if "style" in token.attrs:  # inline styles are refused by the policy; a class says the same
        token.attrs["class"] = "num" if "right" in str(token.attrs.pop("style")) else ""


def _rewritten_inline(tokens: Sequence[Token], images: str) -> Iterator[Token]:
    for token in tokens:
        if token.type == "link_open" and not _is_own(str(token.attrGet("href") or "")):
            token.attrSet("rel", "noopener noreferrer nofollow ugc")
        if token.type == "image":
            yield _rewrite_picture(token, images)
        else:
            yield _draw(token) if token.type in FORMULAS else token


def _rewrite_picture(token: Token, images: str) -> Token:
    """The picture with the address where it is served, or its alternative text."""
    address = str(token.attrGet("src") or "")
    if is_local(address):
        path = unquote(urlsplit(address).path).removeprefix("./")
        name = path.removeprefix(f"{IMAGES}/")
        is_inside = name != path and not any(part.startswith(".") for part in name.split("/"))
        address = f"{images}/{quote(name)}" if images and is_inside else ""
    if not address or not _is_own(address):
        return Token("text", "", 0, content=f"[{token.content}]")
    token.attrs = {"src": address, "alt": "", **_title(token), "loading": "lazy"}
    return token


def _title(token: Token) -> dict[str, str | int | float]:
    title = token.attrGet("title")
    return {} if not title else {"title": title}


def _is_own(url: str) -> bool:
    """An address on this site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc


def _draw(token: Token) -> Token:
    """The formula as MathML; one that cannot be drawn stays as it was written."""
    is_block, latex = token.type != FORMULAS[0], token.content.strip()
    try:
        drawn = convert_formula(latex, is_block=is_block)
    except FormulaError:
        drawn = f"<code>{escape(latex)}</code>"
    if token.type != "math_block":
        return _html(drawn)
    return _html(f'<div class="formula" tabindex="0">{drawn}</div>\n')


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=content)
