"""Other languages for tests: catalogues made here, and what of a page is said in none of them."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from ladderboard.web import text
from ladderboard.web.pages._shared.rendering import environment
from scripts.messages import catalogue
from tests.web.pages.tree import Node

OPEN, CLOSE = "⟦", "⟧"
MARKED = "ru"
"""A language that has every English message in brackets. Dates and sizes are Russian: no Latin letter stands outside of
brackets unless its words were never translated."""
READ_ALOUD = ("aria-label", "title", "placeholder", "alt", "data-head", "data-unit")
"""Attributes whose words people see or hear; `data-head` and `data-unit` are shown by the stylesheet."""
WORDS_OF_SCRIPTS = ("data-sending", "data-scoring", "data-failed")
NOT_WORDS = ("code", "pre", "script", "style")
"""What stands in these is for machines: commands, codes, names of parameters."""
_LETTERS = re.compile(r"[A-Za-z]{2,}")


@contextmanager
def spoken_here(language: str, messages: Mapping[str, str], folder: Path) -> Iterator[None]:
    """The pages speak this language too. Of plurals the keys and values have both forms, with a NUL between."""
    place = folder / language / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "ladderboard.mo").write_bytes(compiled(messages))
    caches = (text.translations, text.languages, environment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "LOCALE", folder)
        for cache in caches:
            cache.cache_clear()
        try:
            yield
        finally:
            text.speak(text.ENGLISH)
            for cache in caches:
                cache.cache_clear()


@lru_cache(maxsize=1)
def marked_catalogue() -> dict[str, str]:
    """Every message of the pages, in brackets."""
    found = {}
    for one in catalogue():
        if one.id:  # not the header
            forms = [one.id] if isinstance(one.id, str) else list(one.id)
            found["\0".join(forms)] = "\0".join(f"{OPEN}{form}{CLOSE}" for form in forms)
    return found


def compiled(messages: Mapping[str, str]) -> bytes:
    """The .mo file of these messages."""
    made, written = Catalog(), BytesIO()
    for message, translation in messages.items():
        one, *many = message.split("\0")
        made.add((one, *many) if many else one, tuple(translation.split("\0")) if many else translation)
    write_mo(written, made)
    return written.getvalue()


def untranslated(page: Node, own: tuple[str, ...] = ()) -> list[str]:
    """Words of a page outside all brackets; ``own`` are those that people have typed, and product names."""
    texts = ["".join(_flow(page))]
    for node in page.walk():
        texts += [node.attributes[name] for name in (*READ_ALOUD, *WORDS_OF_SCRIPTS) if name in node.attributes]
        if node.tag == "meta" and node.attributes.get("name") == "description":
            texts.append(node.attributes["content"])
    found = []
    for each in texts:
        outside = _outside(each)
        for known in sorted(own, key=len, reverse=True):
            outside = re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", " ", outside)
        found += [line.strip() for line in outside.splitlines() if _LETTERS.search(line)]
    return found


def _flow(node: Node) -> Iterator[str]:
    """All text in its order, a line for each element; brackets may open in one and close in another."""
    for child in node.children:
        if isinstance(child, str):
            yield child.replace("\n", " ")
        elif child.tag not in NOT_WORDS:
            yield "\n"
            yield from _flow(child)
            yield "\n"


def _outside(words: str) -> str:
    depth, kept = 0, []
    for letter in words:
        depth += (letter == OPEN) - (letter == CLOSE)
        if depth == 0 and letter != CLOSE:
            kept.append(letter)
    assert depth == 0, f"a bracket is never closed in {words[:200]!r}"
    return "".join(kept)
