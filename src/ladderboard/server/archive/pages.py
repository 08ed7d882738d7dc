"""What becomes of a page in an archive: links lead to its files, and what needs a server is gone."""

import re
from collections.abc import Callable
from html import escape, unescape

_GONE = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r'<header class="site">.*?</header>\n?',
        r'<footer class="foot">.*?</footer>\n?',
        r"<form\b.*?</form>\n?",
        r"<script\b[^>]*></script>\n?",
    )
)
_LINK = re.compile(r'<a\b([^>]*?)\shref="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_ASSET = re.compile(r'\b(src|href)="(/[^"]*)"')
_MAIN = '<main id="main">\n<div class="wrap">\n'


def make_standalone(html: str, *, find_file: Callable[[str], str | None], note: str) -> str:
    """Make a page of this site stand alone. ``find_file``: the file for an address; None where there is none.

    >>> make_standalone('<a href="/x">X</a> <a href="/y">Y</a>', find_file={"/x": "x.html"}.get, note="")
    '<a href="x.html">X</a> Y'
    """
    for pattern in _GONE:
        html = pattern.sub("", html)

    def turn_link(found: re.Match[str]) -> str:
        before, address, after, words = found.groups()
        target = _find_target(unescape(address), find_file)
        return words if target is None else f'<a{before} href="{escape(target)}"{after}>{words}</a>'

    def turn_asset(found: re.Match[str]) -> str:
        return f'{found[1]}="{escape(find_file(unescape(found[2])) or "#")}"'

    html = _ASSET.sub(turn_asset, _LINK.sub(turn_link, html))
    return html.replace(_MAIN, f'{_MAIN}<p class="note plain small">{escape(note)}</p>\n', 1)


def list_addresses(html: str) -> list[str]:
    """List the addresses of this site that a page leads to or shows."""
    return [unescape(found[2]) for found in _ASSET.finditer(html)]


def _find_target(address: str, find_file: Callable[[str], str | None]) -> str | None:
    if not address.startswith("/") or address.startswith("//"):
        return address
    path, sign, anchor = address.partition("#")
    file = find_file(path)
    return None if file is None else f"{file}{sign}{anchor}"
