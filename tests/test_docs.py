"""The documentation is held to the code: generated pages are fresh, links lead somewhere, nothing is undocumented."""

import re
from pathlib import Path

import pytest

from docs.api_page import read_description
from docs.generate import PAGES, PAPERS, REFERENCE, papers_page
from ladderboard.mechanisms import MECHANISMS

ROOT = Path(__file__).parent.parent
PAGES_WITH_LINKS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SECTIONS = ("guide", "theory", "reference", "decisions")
MAPS = ("CONTRIBUTING.md", "ARCHITECTURE.md")


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_says_what_the_code_says(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name](), "run `make docs`"


def test_the_catalogue_of_the_papers_says_what_the_experiments_say() -> None:
    assert PAPERS.read_text() == papers_page(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```markdown$.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_section_leads_to_its_heading(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text())
    missing = [
        f"{link}#{anchor}"
        for link, anchor in links
        if "://" not in link and anchor not in anchors(page.parent / link if link else page)
    ]
    assert not missing


WRITTEN = sorted({*PAGES_WITH_LINKS} - {ROOT / "CHANGELOG.md", REFERENCE / "api.md"})
ADDRESS = re.compile(r"(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?:https?://[\w.:-]+)?(/api/v1[\w{}/.-]*)")
"""A method, where one is named, and a path of the API."""
SHORTENED = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE) …[^\s`]*")


@pytest.fixture(scope="module")
def operations() -> list[tuple[str, str]]:
    """Every method of the API, and its path as a regular expression."""
    paths = read_description()["paths"]
    return [(method.upper(), re.sub(r"{\w+}", "[^/]+", path)) for path, one in paths.items() for method in one]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_address_that_a_page_names_exists(page: Path, operations: list[tuple[str, str]]) -> None:
    """Addresses are written in full: what "…" stands for would be the reader's guess."""
    text = page.read_text()
    unknown = [
        f"{asked} {path}"
        for asked, path in ADDRESS.findall(text)
        if not any(asked in ("", method) and re.fullmatch(known, path) for method, known in operations)
    ]
    assert not unknown
    assert not SHORTENED.findall(text)


def test_addresses_are_found_in_pages() -> None:
    text = "`PUT …/status`, `GET /api/v1/x/{y}`, curl -X POST https://a.org/api/v1/tokens \\, `/api/v1/a?b=c`"
    assert ADDRESS.findall(text) == [("GET", "/api/v1/x/{y}"), ("POST", "/api/v1/tokens"), ("", "/api/v1/a")]
    assert SHORTENED.findall(text) == ["PUT …/status"]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, with hyphens for blanks and without other signs."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_mechanism_has_a_theory_page(name: str) -> None:
    page = ROOT / "docs" / "theory" / f"{name}.md"
    assert MECHANISMS[name].__name__ in page.read_text()


def test_the_changelog_names_every_mechanism() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert [made.__name__ for made in MECHANISMS.values() if made.__name__ not in changelog] == []


def links(page: Path) -> set[Path]:
    """The files that a page links to."""
    found = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    return {(page.parent / link).resolve() for link in found if "://" not in link}


def test_every_page_is_within_two_clicks_of_the_index() -> None:
    docs = ROOT / "docs"
    first = links(docs / "README.md")
    reached = first.union(*(links(page) for page in first if page.suffix == ".md"))
    pages = [docs / "security.md", *(page for part in SECTIONS for page in (docs / part).glob("*.md"))]
    assert [str(page.relative_to(ROOT)) for page in sorted(pages) if page.resolve() not in reached] == []


@pytest.mark.parametrize("source", ["ladderboard", "ladderboard_lab"])
def test_the_maps_name_every_package(source: str) -> None:
    root = ROOT / "src" / source
    # A feature's SQL is where every feature has it, in `sql.py` or `sql/`, and so are its pages: the map says so once.
    folders = {path.parent for path in root.rglob("__init__.py")} - {root}
    packages = {str(folder.relative_to(ROOT)) for folder in folders if folder.name not in ("sql", "pages")}
    assert sorted(packages - {path.rstrip("/") for path in mapped_paths()}) == []


def test_every_path_that_the_maps_name_exists() -> None:
    assert [path for path in mapped_paths() if not (ROOT / path).exists()] == []


def mapped_paths() -> list[str]:
    """The paths that the two maps name; `<name>` stands for any file of its folder."""
    text = "".join((ROOT / name).read_text() for name in MAPS)
    named = re.findall(r"`((?:src|tests|docs|scripts|examples|benchmarks)/[^`\s]*)`", text)
    return sorted({path.partition("<")[0] for path in named})
