"""The documentation as a site: built once, as `make site` builds it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.site_docstrings import EXAMPLE, fenced
from docs.site_hook import LINK, navigation, site_path

ROOT = Path(__file__).parent.parent
FROM_ELSEWHERE = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return folder


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    found = [(page.name, link) for page in pages for link in FROM_ELSEWHERE.findall(page.read_text())]
    # Where the site lives is told to search engines, not fetched.
    assert [one for one in found if 'rel="canonical"' not in one[1]] == []
    assert len(pages) > 100
    assert FROM_ELSEWHERE.search('<script src="https://cdn.example.org/x.js"></script>')


def test_every_link_within_the_site_leads_to_a_file(site: Path) -> None:
    # The page for unknown addresses is served at any of them, so it names the site's root.
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    missing = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"(?:href|src)=\"([^\"#?]+)", page.read_text())
        if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists()
    ]
    assert missing == []


def test_everything_can_be_searched(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    found = {entry["location"] for entry in entries}
    assert {"guide/loop.html", "reference/commands.html", "source/ARCHITECTURE.html", "reference/python.html"} <= found
    assert any("WitnessLadder" in location for location in found)


def test_machines_find_every_page_in_one_list(site: Path) -> None:
    listed = re.findall(r"\]\((\S+)\)", (site / "llms.txt").read_text())
    assert {"guide/loop.html", "reference/api.html", "security.html"} <= set(listed)
    assert [page for page in listed if not (site / page).exists()] == []


def test_examples_of_docstrings_are_listings(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text()
    assert "<blockquote>" not in page
    assert page.count("&gt;&gt;&gt;") + page.count('class="gp"') > 20


def test_navigation_has_every_user_and_every_page_that_the_index_lists() -> None:
    tabs = {name: pages for tab in navigation((ROOT / "docs" / "README.md").read_text()) for name, pages in tab.items()}
    assert list(tabs)[:4] == ["Start", "Host", "Operate", "Take part"]
    assert list(tabs)[-3:] == ["Reference", "Theory", "Decisions"]
    assert {"Take part": "guide/participate.md"} in tabs["Take part"]
    decisions = {page for entry in tabs["Decisions"] if isinstance(entry, dict) for page in entry.values()}
    assert decisions == {
        f"decisions/{page.name}" for page in (ROOT / "docs/decisions").glob("*.md") if page.name != "README.md"
    }


def test_links_and_examples_are_found() -> None:
    text = "[a](../b.md#c), ![p](x/p.svg), [`code`](d.py), [out](https://example.org/x.md)"
    assert [link["target"] for link in LINK.finditer(text)] == [
        "../b.md",
        "x/p.svg",
        "d.py",
        "https://example.org/x.md",
    ]
    assert site_path("docs/guide/loop.md") == "guide/loop.md"
    assert site_path("ARCHITECTURE.md") == "source/ARCHITECTURE.md"
    assert EXAMPLE.sub(fenced, "Adds.\n\n>>> 1 + 1\n2\n\nNothing else.\n") == (
        "Adds.\n\n```python\n>>> 1 + 1\n2\n```\n\nNothing else.\n"
    )
