"""The look that every page of ours shares: colours, letters, tables and charts, in light, dark and print."""

from pathlib import Path

LOOK = Path(__file__).with_name("look.css")
PAGE_STYLE = LOOK.with_name("page.css")
"""What a page that stands alone adds to it."""
SORTING = LOOK.with_name("sort.js")


def read_tokens() -> str:
    """The names of the colours and letters, as declarations.

    >>> "--accent: light-dark(" in read_tokens()
    True
    """
    text = LOOK.read_text(encoding="utf-8")
    return text[text.index(":root {") + len(":root {") : text.index("}")].strip()
