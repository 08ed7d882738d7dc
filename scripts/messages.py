"""Every message that a translator has to say in another language, from the code and the templates.

``python -m scripts.messages`` writes the template of a catalogue, which any translator's tool reads:

    python -m scripts.messages > ladderboard.pot

`docs/guide/translate.md` has the rest of the way. A message has to stand in the code in one piece: one that is put
together when it runs cannot be looked up, and is refused here with its place.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ladderboard.web.pages._shared.rendering import TEMPLATES, environment

SOURCE = Path(__file__).parent.parent / "src"
PACKAGE = SOURCE / "ladderboard"
MARKS = {"ladderboard.core.words": {"translatable"}, "ladderboard.web.text": {"_", "counted"}}
"""Functions whose first argument is a message; the second is its plural, where it has one."""
TEXT, OWN_MARKS = PACKAGE / "web" / "text.py", {"_", "translatable", "counted", "gettext", "ngettext"}
"""The same in the file that defines most of them."""
DESCRIBED = (*(PACKAGE / "web" / "api").glob("*.py"), PACKAGE / "web" / "paging.py")
"""What the page about the API says of an address is the first paragraph of its function."""

HEADER = r"""# Messages of Ladderboard's pages.
#
msgid ""
msgstr ""
"Project-Id-Version: Ladderboard\n"
"Language: \n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"
"""


@dataclass
class Message:
    """One entry of a catalogue, and where it is used."""

    one: str
    many: str | None = None
    places: list[str] = field(default_factory=list)


class NotInOnePieceError(ValueError):
    """A message that is put together when it runs."""


@lru_cache(maxsize=1)
def messages() -> dict[str, Message]:
    """All messages by their (singular) English words, in the order of the files."""
    found: dict[str, Message] = {}
    for place, one, many in (*_in_code(), *_in_templates()):
        message = found.setdefault(one, Message(one))
        message.many = message.many or many
        message.places.append(place)
    return found


def template() -> str:
    """The catalogue's template (.pot)."""
    return HEADER + "".join(_entry(message) for message in messages().values())


Found = tuple[str, str, str | None]
"""A place, a message, and its plural."""


def _in_code() -> Iterator[Found]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        yield from messages_in(path, name=name)


def messages_in(path: Path, *, name: str) -> Iterator[Found]:
    """The messages of one file of code."""
    source = path.read_text()
    if path not in DESCRIBED and not any(module in source for module in MARKS):
        return
    tree = ast.parse(source)
    marks = OWN_MARKS if path == TEXT else _imported_marks(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in marks:
            yield from _marked(node, name)
    if path in DESCRIBED:
        yield from ((f"{name}:{line}", text, None) for line, text in _descriptions(tree))


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
        yield f"{name}:{call.lineno}", texts[0], texts[1] if len(texts) > 1 else None
    elif _called(call) in ("translatable", "counted"):  # `_` may also say what was marked elsewhere
        raise NotInOnePieceError(f"{name}:{call.lineno}: the message is no literal: {ast.unparse(call)[:80]}")


def _descriptions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The first paragraph of each route's function, and what is said of its parameters and resources."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            words = ast.get_docstring(node, clean=False)
            if words:
                yield node.lineno, inspect.cleandoc(words).split("\n\n")[0]
        if isinstance(node, ast.keyword) and node.arg in ("description", "tags"):
            for each in ast.walk(node.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.lineno, each.value


def _in_templates() -> Iterator[Found]:
    reading = environment("en")
    for path in sorted(TEMPLATES.rglob("*.html")):
        name = path.relative_to(SOURCE).as_posix()
        extracted = reading.extract_translations(path.read_text())  # type: ignore[attr-defined]  # added by the extension
        for line, _function, words in extracted:
            texts = [one for one in (words if isinstance(words, tuple) else (words,)) if isinstance(one, str)]
            if texts:  # none where what was marked elsewhere is said
                yield f"{name}:{line}", texts[0], texts[1] if len(texts) > 1 else None


def _entry(message: Message) -> str:
    lines = ["", *(f"#: {place}" for place in dict.fromkeys(message.places))]
    text = message.one + (message.many or "")
    if "%(" in text:
        lines.append("#, python-format")
    elif "{" in text:
        lines.append("#, python-brace-format")
    lines.append(f"msgid {_quoted(message.one)}")
    if message.many is None:
        return "\n".join([*lines, 'msgstr ""', ""])
    return "\n".join([*lines, f"msgid_plural {_quoted(message.many)}", 'msgstr[0] ""', 'msgstr[1] ""', ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


if __name__ == "__main__":
    sys.stdout.write(template())
