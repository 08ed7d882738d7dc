"""MkDocs' hook: pages that are written for the repository become a site.

- Navigation is what docs/README.md lists, so that it has one list.
- Links that leave docs/ lead to copies: Markdown becomes pages, other files are served as they are.
- The Python reference has a section for each public name.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(?P<before>!?\[(?:[^][]|\[[^][]*\])*\]\()(?P<target>[^)#\s]+)(?P<after>(?:#[^)\s]*)?\))")
FENCED = re.compile(r"^(```.*?^```$)", flags=re.DOTALL | re.MULTILINE)
PYTHON = "reference/python.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Navigation by user, then reference, theory and decisions, as docs/README.md lists them."""
    config.nav = list(navigation((ROOT / "docs" / "README.md").read_text()))
    return config


def navigation(index: str) -> Iterator[dict[str, Any]]:
    """A tab for each row of the table by user, and for each section that lists pages."""
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", index, flags=re.DOTALL | re.MULTILINE))
    yield {"Start": [{"Ladderboard": "README.md"}, {"The demo": "guide/demo.md"}]}
    for user, pages in re.findall(r"^\| [^|]*\*\*(.+)\*\*[^|]* \| (.+) \|$", sections["By user"], flags=re.MULTILINE):
        yield {user: entries(pages)}
    reference = [{"Python": PYTHON}, *({name.capitalize(): f"reference/{name}.md"} for name in REFERENCES)]
    yield {"Reference": reference}
    yield {"Theory": entries(sections["Theory"])}
    yield {
        "Decisions": [
            "decisions/README.md",
            *entries((ROOT / "docs/decisions/README.md").read_text(), "docs/decisions"),
        ]
    }


REFERENCES = ("commands", "api", "metrics", "mechanisms")


def entries(text: str, folder: str = "docs") -> list[dict[str, str]]:
    """The pages that a text links to, each once, by the words that it uses."""
    found: dict[str, str] = {}
    for words, target in re.findall(r"\[([^][]+)\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", text):
        found.setdefault(site_path(posixpath.normpath(posixpath.join(folder, target))), words[0].upper() + words[1:])
    return [{words: page} for page, words in found.items()]


def site_path(in_repository: str) -> str:
    """Where a file of the repository is on the site."""
    return in_repository.removeprefix("docs/") if in_repository.startswith("docs/") else f"source/{in_repository}"


def repository_path(on_site: str) -> str:
    """Where a page of the site is in the repository."""
    return on_site.removeprefix("source/") if on_site.startswith("source/") else f"docs/{on_site}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what pages link to outside docs/, and the Python reference."""
    files.append(File.generated(config, PYTHON, content=python_reference()))
    known = {file.src_uri for file in files}
    unread = [repository_path(uri) for uri in sorted(known) if uri.endswith(".md") and uri != PYTHON]
    while unread:
        page = unread.pop()
        for target in targets(page):
            uri = site_path(target)
            if uri not in known:
                known.add(uri)
                files.append(File.generated(config, uri, abs_src_path=str(ROOT / target)))
                unread += [target] if uri.endswith(".md") else []
    return files


def targets(page: str) -> Iterator[str]:
    """The files of the repository that a page links to, outside its listings."""
    text = FENCED.sub("", (ROOT / page).read_text())
    for link in LINK.finditer(text):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link["target"]))
        if "://" not in link["target"] and (ROOT / target).is_file():
            yield target


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Point relative links to where their files are on the site."""
    here = repository_path(page.file.src_uri)

    def translated(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), link["target"]))
        if "://" in link["target"] or link["target"].startswith("mailto:"):
            return link[0]
        if not (ROOT / target).is_file():
            raise FileNotFoundError(f"{here} links to {link['target']}, which is no file")
        there = posixpath.relpath(site_path(target), posixpath.dirname(page.file.src_uri))
        return f"{link['before']}{there}{link['after']}"

    parts = FENCED.split(markdown)
    return "".join(part if at % 2 else LINK.sub(translated, part) for at, part in enumerate(parts))


def python_reference() -> str:
    """A section for each public name, in alphabetical order; errors last."""
    stub = (ROOT / "src" / "ladderboard" / "__init__.pyi").read_text()
    names = re.findall(r"^from (\S+) import (\w+) as \2$", stub, flags=re.MULTILINE)
    ordered = sorted(names, key=lambda name: (name[1].endswith("Error"), name[1].lower()))
    sections = [f"::: {module}.{name}" for module, name in ordered]
    return "\n\n".join(["# Python", "Everything that `import ladderboard as lb` shows.", *sections]) + "\n"


def on_post_build(config: MkDocsConfig) -> None:
    """Write llms.txt: the list of pages for machines, by user."""
    lines = ["# Ladderboard", "", f"> {config.site_description}", ""]
    for tab in navigation((ROOT / "docs" / "README.md").read_text()):
        for name, pages in tab.items():
            found = [one for entry in pages if isinstance(entry, dict) for one in entry.items()]
            lines += [f"## {name}", "", *(f"- [{words}]({served_path(page)})" for words, page in found), ""]
    Path(config.site_dir, "llms.txt").write_text("\n".join(lines))


def served_path(page: str) -> str:
    """Where a browser finds a page of Markdown."""
    return page.replace("README.md", "index.html").replace(".md", ".html")
