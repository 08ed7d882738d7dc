"""Organisers' Markdown: it looks as they meant it and cannot hurt a reader."""

from urllib.parse import urlsplit

import pytest

from ladderboard.server.app.markdown import render_markdown
from tests.web.pages.tree import tree_of

HARMFUL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](vbscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](<javascript:alert(1)>)",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "![x](https://example.org/spy.png)",
    "![x](//example.org/spy.png)",
    '[x](/a "onmouseover=alert(1)")',
    "```<script>\nalert(1)\n```",
    "[x]: javascript:alert(1)\n[x]",
    "| <script> |\n|---|\n| <svg onload=alert(1)> |",
    "[x](\\\\example.org)",
    "<style>body{display:none}</style>",
    "<details ontoggle=alert(1)>\n\nx\n\n</details>",
    "<details>\n<summary><img src=x onerror=alert(1)></summary>\n\n<script>alert(1)</script>\n\n</details>",
    "<details open><summary>[x](javascript:alert(1))</summary>\n\nx\n\n</details>",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$$\n\\href{javascript:alert(1)}{x}\n$$",
    "$<script>alert(1)</script>$",
    "$$\\foo<script>alert(1)</script>$$",
    "![x](images/../../evil.png)",
    '![x" onerror="alert(1)](images/a.png "t\\" onload=\\"alert(1)")',
]
SCHEMES = ("", "http", "https", "mailto")


@pytest.mark.parametrize("text", HARMFUL)
def test_nothing_harmful_comes_through(text: str) -> None:
    page = tree_of(str(render_markdown(text)))
    for node in page.walk():
        assert node.tag not in ("script", "style", "iframe", "object", "svg")
        assert not [name for name in node.attributes if name.startswith("on") or name == "style"]
        assert urlsplit(node.attributes.get("href", "/")).scheme in SCHEMES
        assert "\\" not in node.attributes.get("href", "/")
        assert not node.attributes.get("src", "/static").startswith(("http", "//", "data:"))


def test_headings_begin_below_those_of_the_page() -> None:
    page = tree_of(str(render_markdown("# One\n\n## Two\n\n###### Six")))
    assert [node.tag for node in page.walk()] == ["h2", "h3", "h6"]


def test_links_to_others_tell_them_nothing() -> None:
    page = tree_of(str(render_markdown("[a](https://example.org) [b](/rules)")))
    others, own = page.all("a")
    assert "noreferrer" in others.attributes["rel"]
    assert "rel" not in own.attributes


def test_tables_have_headers_and_can_be_scrolled_by_keyboard() -> None:
    page = tree_of(str(render_markdown("| a | b |\n|---|--:|\n| 1 | 2 |")))
    assert [head.attributes["scope"] for head in page.all("th")] == ["col", "col"]
    assert page.one("div").attributes["tabindex"] == "0"
    assert page.all("td")[1].has(class_="num")


def test_own_pictures_and_code_stay() -> None:
    page = tree_of(str(render_markdown("![map](/competitions/pets/data/map.png) `x < 1`\n\n~~no~~")))
    assert page.one("img").attributes["alt"] == "map"
    assert page.one("code").text == "x < 1"
    assert page.one("s").text == "no"


def test_pictures_of_the_folder_are_served_below_the_competition() -> None:
    text = "![map](images/my%20map.png) ![up](images/../solution.csv) ![other](data/x.png) ![hid](images/.x.png)"
    page = tree_of(str(render_markdown(text, images="/competitions/pets/images")))
    assert page.one("img").attributes["src"] == "/competitions/pets/images/my%20map.png"
    for words in ("[up]", "[other]", "[hid]"):
        assert words in page.text


def test_formulas_are_drawn_without_a_script() -> None:
    page = tree_of(str(render_markdown("Of $x^2$ and $5 or $6:\n\n$$\\frac{1}{n}$$\n\n$\\foo$")))
    inline, block = page.all("math")
    assert (inline.attributes["display"], inline.attributes["alttext"]) == ("inline", "x^2")
    assert (block.attributes["display"], block.one("mfrac").text) == ("block", "1n")
    assert "$5 or $6" in page.text
    assert page.one("code").text == "\\foo", "what cannot be drawn stays as it was written"


def test_folded_parts_hold_markdown_and_each_other() -> None:
    inner = "<details open>\n<summary>In</summary>\n\n```\n</details>\n```\n\n</details>"
    page = tree_of(
        str(render_markdown(f"<details><summary>**Out**</summary>\n\n- a\n\n{inner}\n\n</details>\n\nafter"))
    )
    outer = page.all("details")[0]
    assert [one.text for one in outer.all("summary")] == ["Out", "In"]
    assert "open" in outer.one("details").attributes
    assert "</details>" in outer.one("pre").text
    assert "after" not in outer.text


def test_other_markup_is_not_folded() -> None:
    for text in (
        "<details>\nnever closed",
        "before <details> x </details>",
        "</details>",
        "    <details>\n    </details>",
    ):
        assert not tree_of(str(render_markdown(text))).all("details")
