"""Elements of HTML and SVG with escaped text and attributes, and short numbers."""

import hashlib
import html
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

Attribute = str | float | None
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What neither HTML nor XML may contain; a name from a file may."""


class Drawing(str):
    """HTML or SVG that was made here and is not escaped again, by templates neither.

    >>> Drawing("<b>") + "<i>"
    '<b>&lt;i&gt;'
    """

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)

    def __add__(self, other: str) -> "Drawing":
        return Drawing(str(self) + escape(other))


def escape(text: object) -> str:
    """Text as HTML, attributes and SVG need it; a drawing stays as it is.

    >>> escape("<a b='c'>")
    '&lt;a b=&#x27;c&#x27;&gt;'
    """
    if isinstance(text, Drawing):
        return str(text)
    written = html.escape(str(text))
    return written if written.isprintable() else _CONTROLS.sub("\ufffd", written)


def tag(name: str, content: Drawing | str = "", /, **attributes: Attribute) -> Drawing:
    """One element; ``class_`` is written class, and ``stroke_width`` stroke-width. None leaves an attribute out.

    >>> tag("text", "a < b", x=1.50, text_anchor="end", class_="ch-label")
    '<text x="1.5" text-anchor="end" class="ch-label">a &lt; b</text>'
    """
    # Plain strings, each part escaped: this runs some hundred times for a page of the board.
    written = "".join(
        [f' {_name(key)}="{_attribute(value)}"' for key, value in attributes.items() if value is not None]
    )
    if not content:
        return Drawing(f"<{name}{written}/>")
    return Drawing(f"<{name}{written}>{escape(content)}</{name}>")


def group(*parts: Drawing, **attributes: Attribute) -> Drawing:
    """Several elements as one."""
    return tag("g", join(parts), **attributes)


def join(parts: Iterable[Drawing]) -> Drawing:
    """Several elements one after the other."""
    return Drawing("".join(map(escape, parts)))


def picture(
    width: float, height: float, parts: Iterable[Drawing], *, title: str, description: str = "", class_: str
) -> Drawing:
    """A whole chart. It scales with its container; ``title`` and ``description`` are read aloud instead of it."""
    body = join(parts)
    # Ids must differ where two charts stand on a page, and be the same for the same chart, so that pages can be cached.
    key = hashlib.blake2s(f"{title}|{description}|{body}".encode(), digest_size=5).hexdigest()
    described = bool(description)
    words = tag("title", title, id=f"t{key}") + (tag("desc", description, id=f"d{key}") if described else Drawing(""))
    return tag(
        "svg",
        words + body,
        viewBox=f"0 0 {short(width)} {short(height)}",
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"t{key} d{key}" if described else f"t{key}",
        class_=class_,
    )


def glyph(width: float, height: float, parts: Iterable[Drawing], *, label: str, class_: str) -> Drawing:
    """A chart the size of a word, which stands in a table: its label is its only text."""
    return tag(
        "svg",
        join(parts),
        viewBox=f"0 0 {short(width)} {short(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=class_,
    )


def path(points: Iterable[tuple[float, float]]) -> str:
    """A line through the points.

    >>> path([(0, 1), (2.25, 3)])
    'M0 1L2.2 3'
    """
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)


def steps(points: list[tuple[float, float]]) -> str:
    """A line that runs level to the next point's x, then rises or falls.

    >>> steps([(0, 5), (4, 2)])
    'M0 5H4V2'
    """
    moves = [f"M{short(points[0][0])} {short(points[0][1])}"]
    for (_, before), (x, y) in pairwise(points):
        if y != before:
            moves.append(f"H{short(x)}V{short(y)}")
    last_x, last_y = points[-1]
    if len(points) > 1 and last_y == points[-2][1]:
        moves.append(f"H{short(last_x)}")
    return "".join(moves)


def short(number: float) -> str:
    """A coordinate with one decimal, none where it is zero."""
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text


@lru_cache(maxsize=256)
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _attribute(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else short(value)
