"""The Markdown of a description: CommonMark with tables, formulas ($…$, $$…$$) and <details>. Other HTML stays text."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

LINK_SCHEMES = frozenset({"", "http", "https", "mailto"})
FORMULAS = ("math_inline", "math_inline_double", "math_block")
"""The kinds of tokens that are formulas; the first one stands within a line of text."""

_OPENING = re.compile(r"<details(?P<open> open)?>\s*(?:<summary>(?P<summary>.*)</summary>)?\s*")
_SUMMARY = re.compile(r"<summary>(.*)</summary>\s*")
_CLOSING = re.compile(r"</details>\s*")
_FENCE = re.compile(r"(```|~~~)")


@lru_cache(maxsize=1)
def make_parser() -> "MarkdownIt":
    """The parser; its tokens are made for every description anew."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable(["table", "strikethrough"])
    # A dollar beside a blank or a digit is money.
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    parser.block.ruler.before(
        "fence", "details", _read_details, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
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


def _read_details(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """A part that readers unfold: <details> and </details> on lines of their own, with a <summary> at the start."""
    opening = _OPENING.fullmatch(_line(state, start))
    if opening is None or state.is_code_block(start):
        return False
    last = _find_end(state, start, end)
    if last is None:
        return False
    if silent:
        return True
    first, summary = start + 1, opening["summary"]
    below = _SUMMARY.fullmatch(_line(state, first)) if summary is None and first < last else None
    if below is not None:
        first, summary = first + 1, below[1]
    _add_details(state, (start, first, last), summary or "", is_open=opening["open"] is not None)
    state.line = last + 1
    return True


def _add_details(state: "StateBlock", lines: tuple[int, int, int], summary: str, *, is_open: bool) -> None:
    start, first, last = lines
    token = state.push("details_open", "details", 1)
    token.block, token.map, token.attrs = True, [start, last], {"open": ""} if is_open else {}
    if summary:
        state.push("summary_open", "summary", 1)
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = summary.strip(), [start, first], []
        state.push("summary_close", "summary", -1)
    line_max, parent, state.lineMax = state.lineMax, state.parentType, last
    state.parentType = "details"
    state.md.block.tokenize(state, first, last)
    state.lineMax, state.parentType = line_max, parent
    state.push("details_close", "details", -1).block = True


def _find_end(state: "StateBlock", start: int, end: int) -> int | None:
    """The line of the </details> that belongs to this <details>; None where there is none."""
    depth, fence = 0, ""
    for number in range(start, end):
        line = _line(state, number)
        found = _FENCE.match(line)
        if found and (not fence or fence == found[1]):
            fence = "" if fence else found[1]
        if fence:
            continue
        depth += bool(_OPENING.fullmatch(line)) - bool(_CLOSING.fullmatch(line))
        if depth == 0:
            return number
    return None


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
