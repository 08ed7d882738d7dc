"""The documentation is held to the code: generated pages are fresh, links lead somewhere, nothing is undocumented."""

import re
from pathlib import Path

import pytest

from docs.generate import PAGES, REFERENCE
from ladderboard.mechanisms import MECHANISMS

ROOT = Path(__file__).parent.parent
PAGES_WITH_LINKS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_says_what_the_code_says(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_mechanism_has_a_theory_page(name: str) -> None:
    page = ROOT / "docs" / "theory" / f"{name}.md"
    assert MECHANISMS[name].__name__ in page.read_text()


def test_the_changelog_names_every_mechanism() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert [made.__name__ for made in MECHANISMS.values() if made.__name__ not in changelog] == []
