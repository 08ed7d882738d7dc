"""The template of a translation: every message in the code and in the page templates.

    python -m scripts.messages > ladderboard.pot

`docs/guide/translate.md` has the next steps. Babel reads the page templates and writes the file. The code is read here
from its syntax tree: Babel's reader of Python would accept a message that is put together from pieces, which no
translation can ever match.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

from ladderboard.web.pages._shared.rendering import TEMPLATES

SOURCE = Path(__file__).parent.parent / "src"
PACKAGE = SOURCE / "ladderboard"
MARKS = {"ladderboard.core.words": {"translatable"}, "ladderboard.web.text": {"_", "pluralise"}}
"""Functions whose first argument is a message; the second is its plural, where it has one."""
TEXT, OWN_MARKS = PACKAGE / "web" / "text.py", {"_", "translatable", "pluralise", "gettext", "ngettext"}
"""The same in the file that defines most of them."""
DESCRIBED = (*(PACKAGE / "web" / "api").glob("*.py"), PACKAGE / "web" / "paging.py")
"""Files whose docstrings are shown: the page about the API has the first paragraph of each route's function."""
TEMPLATE_OPTIONS = {"extensions": "jinja2.ext.do", "trim_blocks": "yes", "lstrip_blocks": "yes", "silent": "no"}
"""As `environment` reads the templates; an error in one is raised."""

Found = tuple[str, int, str, str | None]
"""A file, a line, a message, and its plural."""


class NotInOnePieceError(ValueError):
    """A message that is put together when the code runs."""


@lru_cache(maxsize=1)
def catalogue() -> Catalog:
    """Every message once, without translations."""
    made = Catalog(project="Ladderboard", header_comment="# Messages of Ladderboard's pages.")
    for name, line, one, many in (*_in_code(), *_in_templates()):
        plural = many or _plural_of(made, one)
        made.add((one, plural) if plural else one, locations=[(name, line)])
    return made


def template() -> str:
    """The template of a translation (.pot)."""
    written = BytesIO()
    write_po(written, catalogue(), width=0)
    return written.getvalue().decode()


def messages_in(path: Path, *, name: str) -> Iterator[Found]:
    """The messages of one file of code; raises `NotInOnePieceError`."""
    source = path.read_text()
    if path not in DESCRIBED and not any(module in source for module in MARKS):
        return
    tree = ast.parse(source)
    marks = OWN_MARKS if path == TEXT else _imported_marks(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in marks:
            yield from _marked(node, name)
    if path in DESCRIBED:
        yield from ((name, line, text, None) for line, text in _descriptions(tree))


def _plural_of(known: Catalog, one: str) -> str | None:
    """The plural that a message has elsewhere: a catalogue holds it once, with its plural."""
    message = known.get(one)
    return message.id[1] if message is not None and isinstance(message.id, tuple) else None


def _in_code() -> Iterator[Found]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from messages_in(path, name=path.relative_to(SOURCE).as_posix())


def _in_templates() -> Iterator[Found]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        name = path.relative_to(SOURCE).as_posix()
        with path.open("rb") as file:
            for line, message, _comments, _context in extract("jinja2", file, options=TEMPLATE_OPTIONS):
                one, many = message if isinstance(message, tuple) else (message, None)
                yield name, line, one, many


def _imported_marks(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= MARKS.get(node.module or "", set()) & {one.name for one in node.names}
    return found


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _marked(call: ast.Call, name: str) -> Iterator[Found]:
    texts = [one.value for one in call.args[:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if texts and isinstance(call.args[0], ast.Constant):
        yield name, call.lineno, texts[0], texts[1] if len(texts) > 1 else None
    elif _called(call) in ("translatable", "pluralise"):  # `_` may also say what was marked elsewhere
        raise NotInOnePieceError(f"{name}:{call.lineno}: the message is no literal: {ast.unparse(call)[:80]}")


def _descriptions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The first paragraph of each route's function, and the descriptions of its parameters and resources."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            words = ast.get_docstring(node, clean=False)
            if words:
                yield node.lineno, inspect.cleandoc(words).split("\n\n")[0]
        if isinstance(node, ast.keyword) and node.arg in ("description", "tags"):
            for each in ast.walk(node.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.lineno, each.value


if __name__ == "__main__":
    sys.stdout.write(template())
