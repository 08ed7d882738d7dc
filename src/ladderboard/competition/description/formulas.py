"""LaTeX formulas → MathML, which browsers draw without a script.

What the converter makes is not trusted: elements and attributes are chosen from a list, and every text is escaped.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST = 2000
"""Characters of one formula."""
DEEPEST = 64
TOO_DEEP = "the formula is nested too deeply"
ELEMENTS = frozenset({
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "mstyle", "mpadded",
    "mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none",
    "mtable", "mtr", "mtd", "menclose",
})  # fmt: skip
ATTRIBUTES = frozenset({
    "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "separator", "form", "lspace",
    "rspace", "minsize", "maxsize", "symmetric", "largeop", "movablelimits", "accent", "accentunder", "linethickness",
    "width", "height", "depth", "voffset", "columnalign", "rowalign", "columnspacing", "rowspacing", "columnlines",
    "rowlines", "frame", "notation",
})  # fmt: skip
"""No href, style, class, id or color: a formula is no way to link, to hide or to imitate a part of the page."""
_VALUE = re.compile(r"[A-Za-z0-9 .%+-]{0,64}")
_COMMAND = re.compile(r"\\[A-Za-z]+")


class FormulaError(ValueError):
    """A formula that cannot be drawn; the message says why."""


@lru_cache(maxsize=1024)
def convert_formula(latex: str, *, is_block: bool = False) -> str:
    r"""The MathML of a formula; raises `FormulaError`.

    >>> convert_formula(r"x^2")
    '<math display="inline" alttext="x^2"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>'
    >>> convert_formula(r"\frac{1}{n")
    Traceback (most recent call last):
        ...
    ladderboard.competition.description.formulas.FormulaError: a brace { is never closed
    """
    from latex2mathml.converter import convert_to_element

    if len(latex) > LONGEST:
        raise FormulaError(f"the formula has more than {LONGEST} characters")
    _refuse_open_braces(latex)
    try:
        root = convert_to_element(latex, display="block" if is_block else "inline")
        return "".join(_write(root, alttext=latex))
    except FormulaError:
        raise
    except RecursionError:
        raise FormulaError(TOO_DEEP) from None
    except Exception as problem:  # the converter raises its own kinds and, for odd formulas, any other
        raise FormulaError(f"it is not LaTeX that can be read ({_name(problem)})") from None


def _refuse_open_braces(latex: str) -> None:
    depth = 0
    for sign in re.findall(r"\\.|[{}]", latex, flags=re.DOTALL):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            raise FormulaError("a brace } closes nothing")
        if depth > DEEPEST:
            raise FormulaError(TOO_DEEP)
    if depth:
        raise FormulaError("a brace { is never closed")


def _write(element: "Element", *, alttext: str | None = None) -> Iterator[str]:
    """Write an element with what it holds; raises for one that is no part of a formula."""
    if element.tag not in ELEMENTS:
        raise FormulaError(f"it uses {element.tag!r}, which cannot be shown")
    given = {name: value for name, value in element.attrib.items() if name in ATTRIBUTES and _VALUE.fullmatch(value)}
    if alttext is not None:
        given["alttext"] = alttext
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
    yield f"<{element.tag}{attributes}>{_text(element.text)}"
    for child in element:
        yield from _write(child)
        yield _text(child.tail)
    yield f"</{element.tag}>"


def _text(given: str | None) -> str:
    text = unescape(given or "")  # the converter spells signs as character references
    unknown = _COMMAND.search(text)
    if unknown is not None:
        raise FormulaError(f"there is no command {unknown[0]}")
    return escape(text)


def _name(problem: Exception) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(problem).__name__.removesuffix("Error"))
    return words.lower()
